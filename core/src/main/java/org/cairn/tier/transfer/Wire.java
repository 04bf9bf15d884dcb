// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.cairn.CorruptContainerException;
import org.cairn.container.StagedBlocks;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;

/**
 * The messages that bring a version from one container to another.
 *
 * <pre>
 * receiver → sender, tag OFFER:   Offer → count:u32 (VersionId
 *                                          digestLow:u64 digestHigh:u64){count}
 *                                          bad:u32 slot:u32{bad}      blocks it has lost
 *                                 Image, if the sender asked for the map
 * sender → receiver, tag DATA:    Message*, the last one End, Nothing or Failed
 *   Message → kind:u32 …
 *     Open    based:u32 VersionId Head              the version, and what it is compared with
 *     AskMap                                        send the image of your newest version
 *     Blocks  count:u32 Block{count} bytes
 *     End | Nothing | Failed text
 *   Block   → dataset:u32 block:u32 codec:u32 stored:i32 low:u64 high:u64   stored −1: all zeros
 * </pre>
 */
final class Wire {
  static final int OFFER = 1;
  static final int DATA = 2;

  static final int OPEN = 1;
  static final int ASK_MAP = 2;
  static final int BLOCKS = 3;
  static final int END = 4;
  static final int NOTHING = 5;
  static final int FAILED = 6;

  /** What comes before the headers of blocks. */
  static final int PREFIX_BYTES = 8;

  private static final int LARGEST_CODEC = 255;

  private Wire() {}

  /** A version that the receiver has. */
  record Offered(VersionId id, Digest root) {
    static final int BYTES = VersionId.BYTES + Digest.BYTES;

    static Offered of(VersionInfo info) {
      return new Offered(info.id(), new Digest(info.digestLow(), info.digestHigh()));
    }
  }

  /**
   * What the receiver has.
   *
   * @param bad slots whose blocks it has lost, and wants again though they did not change
   */
  record Offer(List<Offered> versions, Set<Integer> bad) {
    RecordWriter write() {
      RecordWriter out = RecordWriter.onHeap().putInt(versions.size());
      for (Offered one : versions) {
        one.id.write(out);
        one.root.write(out);
      }
      out.putInt(bad.size());
      bad.forEach(out::putInt);
      return out;
    }

    static Offer read(RecordReader in) throws CorruptContainerException {
      List<Offered> versions = new ArrayList<>();
      for (int left = in.getCount(Offered.BYTES); left > 0; left--) {
        versions.add(new Offered(VersionId.read(in), Digest.read(in)));
      }
      Set<Integer> bad = new HashSet<>();
      for (int left = in.getCount(Integer.BYTES); left > 0; left--) {
        bad.add(in.getNumber("a slot"));
      }
      in.expectEnd();
      return new Offer(versions, bad);
    }
  }

  /**
   * What goes before the bytes of a block.
   *
   * @param stored how many bytes there are of it; {@link #ZEROS} if the block is nothing but zeros
   */
  record Block(int dataset, int number, int codec, int stored, long low, long high) {
    static final int BYTES = 32;
    static final int ZEROS = -1;

    void write(RecordWriter out) {
      out.putInt(dataset).putInt(number).putInt(codec).putInt(stored).putLong(low).putLong(high);
    }

    private static Block read(RecordReader in) throws CorruptContainerException {
      return new Block(
          in.getInt(), in.getInt(), in.getInt(), in.getInt(), in.getLong(), in.getLong());
    }

    /** Stages it; its bytes must be those that come next. */
    private void stage(RecordReader in, List<DatasetEntry> datasets, StagedBlocks staged)
        throws CorruptContainerException {
      if (dataset < 0 || dataset >= datasets.size()) {
        throw in.corrupt("a block of dataset %d of %d".formatted(dataset, datasets.size()));
      }
      DatasetEntry entry = datasets.get(dataset);
      // Else it would get the slot of another block.
      if (number < 0 || number >= entry.blocks()) {
        throw in.corrupt(
            "block %d of %d of \"%s\"".formatted(number, entry.blocks(), entry.name()));
      }
      int slot = entry.slotOf(number);
      int length = entry.blockLength(number);
      if (stored == ZEROS) {
        staged.addZero(slot, length);
        return;
      }
      if (!isPossible(length) || stored > staged.room()) {
        throw in.corrupt(
            "block %d of \"%s\": %d bytes of codec %d for %d, with %d left"
                .formatted(number, entry.name(), stored, codec, length, staged.room()));
      }
      if (codec == 0) {
        staged.addRaw(slot, length, low, high);
      } else {
        staged.addCoded(slot, length, codec, stored, low, high);
      }
    }

    private boolean isPossible(int length) {
      return codec == 0
          ? stored == length
          : codec > 0 && codec <= LARGEST_CODEC && stored > 0 && stored <= length;
    }
  }

  /** Reads a message of blocks; their bytes stay where they are, side by side. */
  static StagedBlocks readBlocks(RecordReader in, List<DatasetEntry> datasets)
      throws CorruptContainerException {
    int count = in.getCount(Block.BYTES);
    RecordReader headers = in.getRecord((long) count * Block.BYTES);
    StagedBlocks staged = new StagedBlocks(in.getMemory(in.remaining()));
    for (int i = 0; i < count; i++) {
      Block.read(headers).stage(headers, datasets, staged);
    }
    if (staged.room() > 0) {
      throw in.corrupt(staged.room() + " bytes that belong to no block");
    }
    return staged;
  }
}
