// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import org.cairn.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * Reads and writes map records; see {@link VersionFormat} for the grammar.
 *
 * <p>Blocks that a checkpoint lays side by side in the order of their slots become one run: a
 * header and a digest each. Their places follow from the first.
 */
public final class MapRecord {
  /** Receives what a record says, in order. Later calls for a slot override earlier ones. */
  public interface Visitor {
    /** A block with bytes: {@code stored} as in {@link BlockMap#stored(int, int)}. */
    void block(int slot, int blockLength, int stored, long place, long low, long high);

    /**
     * Blocks with bytes, as they are and side by side, in consecutive slots of one leaf of a {@link
     * BlockMap}.
     *
     * @param digests low and high halves in turn
     */
    default void blocks(int first, int count, int blockLength, long place, long[] digests) {
      int stored = BlockMap.stored(0, blockLength);
      for (int i = 0; i < count; i++) {
        long at = place + (long) i * blockLength;
        block(first + i, blockLength, stored, at, digests[2 * i], digests[2 * i + 1]);
      }
    }

    /** Blocks of zeros. */
    void zeros(int first, int count, int blockLength);

    /** Slots that no dataset uses any more. */
    void released(int first, int count);
  }

  /** Tells one visitor after the other. */
  public record Both(Visitor one, Visitor other) implements Visitor {
    @Override
    public void block(int slot, int blockLength, int stored, long place, long low, long high) {
      one.block(slot, blockLength, stored, place, low, high);
      other.block(slot, blockLength, stored, place, low, high);
    }

    @Override
    public void blocks(int first, int count, int blockLength, long place, long[] digests) {
      one.blocks(first, count, blockLength, place, digests);
      other.blocks(first, count, blockLength, place, digests);
    }

    @Override
    public void zeros(int first, int count, int blockLength) {
      one.zeros(first, count, blockLength);
      other.zeros(first, count, blockLength);
    }

    @Override
    public void released(int first, int count) {
      one.released(first, count);
      other.released(first, count);
    }
  }

  private MapRecord() {}

  /** Encodes a record as it is told what to say. */
  public static final class Builder implements Visitor {
    private final RecordWriter out;
    private long runs;
    private long header;
    private int kind;
    private int codec;
    private int blockLength;
    private long nextSlot;
    private long nextPlace;
    private long count;

    /** Builds into {@code out}, which is the builder's alone until {@link #finish}. */
    public Builder(RecordWriter out) {
      this.out = out;
    }

    /** Begins a record: a base, or a delta to what records before it say. */
    public void start(boolean base) {
      out.reset();
      out.putInt(base ? VersionFormat.TAG_BASE : VersionFormat.TAG_DELTA);
      out.putInt(0);
      out.putLong(0);
      runs = 0;
      kind = 0;
    }

    @Override
    public void block(int slot, int length, int stored, long place, long low, long high) {
      int storedCodec = BlockMap.storedCodec(stored);
      int newKind = storedCodec == 0 ? VersionFormat.RUN_RAW : VersionFormat.RUN_CODED;
      if (!continues(newKind, storedCodec, length, slot) || place != nextPlace) {
        startRun(newKind, storedCodec, length, slot, place);
      }
      out.putLong(low);
      out.putLong(high);
      if (newKind == VersionFormat.RUN_CODED) {
        out.putInt(BlockMap.storedLength(stored)).putInt(0);
      }
      nextPlace = place + BlockMap.storedLength(stored);
      advance(1);
    }

    @Override
    public void zeros(int first, int number, int length) {
      if (!continues(VersionFormat.RUN_ZERO, 0, length, first)) {
        startRun(VersionFormat.RUN_ZERO, 0, length, first, 0);
      }
      advance(number);
    }

    @Override
    public void released(int first, int number) {
      if (!continues(VersionFormat.RUN_RELEASED, 0, 0, first)) {
        startRun(VersionFormat.RUN_RELEASED, 0, 0, first, 0);
      }
      advance(number);
    }

    private boolean continues(int newKind, int newCodec, int length, int slot) {
      return kind == newKind && codec == newCodec && blockLength == length && nextSlot == slot;
    }

    private void startRun(int newKind, int newCodec, int length, int slot, long place) {
      kind = newKind;
      codec = newCodec;
      blockLength = length;
      nextSlot = slot;
      count = 0;
      header = out.position();
      out.putByte(newKind);
      out.putByte(newCodec);
      out.putShort(0);
      out.putInt(length);
      out.putLong(slot);
      out.putLong(0);
      out.putLong(place);
      runs++;
    }

    private void advance(int number) {
      count += number;
      nextSlot += number;
      out.setLong(header + 16, count);
    }

    /** The finished record. */
    public RecordWriter finish() {
      out.setLong(8, runs);
      kind = 0;
      return out;
    }
  }

  /** Reads a record of the given kind and tells {@code visitor} what it says. */
  public static void read(RecordReader in, boolean base, Visitor visitor)
      throws CorruptContainerException {
    in.expectTag(base ? VersionFormat.TAG_BASE : VersionFormat.TAG_DELTA, "a block map");
    in.getInt();
    long runs = in.getLong();
    long[] digests = new long[2 * BlockLeaf.SLOTS]; // one for all: a record may have a run a block
    long slots = 0;
    for (long i = 0; i < runs; i++) {
      slots += readRun(in, visitor, VersionFormat.MAX_SLOTS - slots, digests);
    }
    in.expectEnd();
  }

  private static long readRun(RecordReader in, Visitor visitor, long slotsLeft, long[] digests)
      throws CorruptContainerException {
    int kind = in.getByte();
    int codec = in.getByte();
    in.getShort();
    int blockLength = in.getInt();
    long first = in.getLong();
    long count = in.getLong();
    long place = in.getLong();
    // The sum over a record is bounded too: claimed zeros take no bytes, but they do take time.
    if (first < 0 || count <= 0 || count > slotsLeft || first > VersionFormat.MAX_SLOTS - count) {
      throw in.corrupt("a run of " + count + " slots from " + first + " on is impossible");
    }
    switch (kind) {
      case VersionFormat.RUN_RAW, VersionFormat.RUN_CODED -> {
        checkLength(in, blockLength);
        if ((codec == 0) != (kind == VersionFormat.RUN_RAW)) {
          throw in.corrupt("a run of kind %d with codec %d".formatted(kind, codec));
        }
        if (kind == VersionFormat.RUN_RAW) {
          readRaw(in, visitor, blockLength, (int) first, (int) count, place, digests);
        } else {
          readCoded(in, visitor, codec, blockLength, (int) first, (int) count, place);
        }
      }
      case VersionFormat.RUN_ZERO -> {
        checkLength(in, blockLength);
        visitor.zeros((int) first, (int) count, blockLength);
      }
      case VersionFormat.RUN_RELEASED -> visitor.released((int) first, (int) count);
      default -> throw in.corrupt("a run of unknown kind " + kind);
    }
    return count;
  }

  private static int readStoredLength(RecordReader in) throws CorruptContainerException {
    int length = in.getInt();
    in.getInt();
    return length;
  }

  private static void checkLength(RecordReader in, int length) throws CorruptContainerException {
    if (length <= 0 || length > VersionFormat.MAX_BLOCK) {
      throw in.corrupt("a block length of " + length);
    }
  }

  /** Leaf by leaf: a state has many blocks, and a process that restarts has just begun. */
  private static void readRaw(
      RecordReader in,
      Visitor visitor,
      int blockLength,
      int first,
      int count,
      long firstPlace,
      long[] digests)
      throws CorruptContainerException {
    int done = 0;
    while (done < count) {
      int slot = first + done;
      int some = Math.min(count - done, BlockLeaf.SLOTS - (slot & BlockLeaf.MASK));
      long place = firstPlace + (long) done * blockLength;
      for (int i = 0; i < some; i++) {
        checkPlace(in, slot + i, place + (long) i * blockLength, blockLength);
      }
      in.getLongs(digests, 2 * some);
      visitor.blocks(slot, some, blockLength, place, digests);
      done += some;
    }
  }

  private static void readCoded(
      RecordReader in,
      Visitor visitor,
      int codec,
      int blockLength,
      int first,
      int count,
      long firstPlace)
      throws CorruptContainerException {
    long place = firstPlace;
    for (int i = 0; i < count; i++) {
      long low = in.getLong();
      long high = in.getLong();
      int length = readStoredLength(in);
      checkPlace(in, first + i, place, length);
      if (length > blockLength) {
        throw in.corrupt(
            "slot " + (first + i) + ", " + blockLength + " bytes, takes " + length + " bytes");
      }
      visitor.block(first + i, blockLength, BlockMap.stored(codec, length), place, low, high);
      place += length;
    }
  }

  private static void checkPlace(RecordReader in, int slot, long place, int length)
      throws CorruptContainerException {
    if (place < VersionFormat.FIRST_PLACE || place > VersionFormat.MAX_FILE || length <= 0) {
      throw in.corrupt("slot " + slot + " at " + place + " of length " + length);
    }
  }
}
