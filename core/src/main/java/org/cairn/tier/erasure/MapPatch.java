// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.Arrays;
import org.cairn.container.VersionView;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.Delta;
import org.cairn.version.SlotOwners;

/**
 * What makes the map of a member that of another version: the new head, and the slots in which
 * something is not what it was.
 *
 * <pre>
 * Patch → head:counted Run*
 * Run   → kind:u32 first:u32 count:u32 digest:u128{count}      kind 0: released, 1: zeros, 2: blocks
 * </pre>
 *
 * <p>Runs are in the order of slots; only blocks have digests. A slot that went to another dataset,
 * or to another block of it, is always among them. {@link PatchCheck} notices a patch that is
 * applied to something else than what it was made from.
 */
record MapPatch(MemberHead head, byte[] runs) implements MapMessage {
  private static final int RELEASED = 0;
  private static final int ZEROS = 1;
  private static final int BLOCKS = 2;

  /** Takes slots, in their order. */
  interface Visitor {
    void released(int slot) throws IOException;

    void zero(int slot) throws IOException;

    void block(int slot, long low, long high) throws IOException;
  }

  /** The patch of a delta, whose version has this head; takes as long as there are changes. */
  static MapPatch of(Delta delta, VersionView changed, MemberHead head) {
    Slots gone = new Slots();
    delta.<RuntimeException>forEachGone((dataset, block) -> gone.add(dataset.slotOf(block)));
    Builder builder = new Builder();
    delta.<RuntimeException>forEachChanged(
        (dataset, block) -> {
          int slot = dataset.slotOf(block);
          gone.takeBelow(slot, builder);
          put(changed, dataset, block, builder);
        });
    gone.takeBelow(Integer.MAX_VALUE, builder);
    return new MapPatch(head, builder.runs());
  }

  private static void put(VersionView view, DatasetEntry dataset, int block, Builder builder) {
    int slot = dataset.slotOf(block);
    if (view.isZero(dataset, block)) {
      builder.zero(slot);
    } else {
      builder.block(slot, view.low(dataset, block), view.high(dataset, block));
    }
  }

  /** Slots in ascending order, each of which is released unless something else is put there. */
  private static final class Slots {
    private int[] slots = new int[16];
    private int count;
    private int next;

    void add(int slot) {
      if (count == slots.length) {
        slots = Supply.copy(slots, 2 * count);
      }
      slots[count++] = slot;
    }

    /** Releases those before a slot that gets something new. */
    void takeBelow(int slot, Builder builder) {
      while (next < count && slots[next] < slot) {
        builder.released(slots[next++]);
      }
      if (next < count && slots[next] == slot) {
        next++;
      }
    }
  }

  /** The patch that a comparison of two maps finds. */
  static MapPatch between(MemberMap before, MemberMap now) {
    Builder builder = new Builder();
    int end = Math.max(before.owners().end(), now.owners().end());
    for (int slot = 0; slot < end; slot++) {
      if (!now.owners().find(slot)) {
        if (before.owners().find(slot)) {
          builder.released(slot);
        }
      } else if (!isSameOwner(slot, before.owners(), now.owners())
          || !now.pages().isSame(slot, before.pages())) {
        builder.put(slot, now.pages());
      }
    }
    return new MapPatch(now.head(), builder.runs());
  }

  /** Whether a slot holds the same block of the same dataset, or nothing, in both. */
  static boolean isSameOwner(int slot, SlotOwners before, SlotOwners now) {
    boolean was = before.find(slot);
    if (was != now.find(slot)) {
      return false;
    }
    return !was || before.block(slot) == now.block(slot) && haveSameKey(before.spec(), now.spec());
  }

  private static boolean haveSameKey(DatasetSpec one, DatasetSpec other) {
    return one.name().equals(other.name())
        && one.blockSize() == other.blockSize()
        && one.algorithm() == other.algorithm();
  }

  private static final class Builder {
    private final RecordWriter out = RecordWriter.onHeap();
    private final RecordWriter digests = RecordWriter.onHeap();
    private int kind = -1;
    private int first;
    private int count;

    void put(int slot, DigestPages pages) {
      if (pages.isZero(slot)) {
        zero(slot);
      } else {
        block(slot, pages.low(slot), pages.high(slot));
      }
    }

    void released(int slot) {
      add(RELEASED, slot);
    }

    void zero(int slot) {
      add(ZEROS, slot);
    }

    void block(int slot, long low, long high) {
      add(BLOCKS, slot);
      digests.putLong(low).putLong(high);
    }

    private void add(int nextKind, int slot) {
      if (nextKind != kind || slot != first + count) {
        endRun();
        kind = nextKind;
        first = slot;
      }
      count++;
    }

    private void endRun() {
      if (count > 0) {
        out.putInt(kind).putInt(first).putInt(count).putBytes(digests.toArray());
      }
      digests.reset();
      count = 0;
    }

    byte[] runs() {
      endRun();
      return out.toArray();
    }
  }

  /** Calls for all slots below {@code end}; a run that goes beyond it is refused. */
  void forEach(int end, String origin, Visitor visitor) throws IOException {
    RecordReader in = RecordReader.of(runs, origin);
    int behind = 0;
    while (in.remaining() > 0) {
      int kind = in.getInt();
      int first = in.getNumber("slot");
      int count = in.getNumber("a number of slots:");
      if (first < behind || count == 0 || count > end - first) {
        throw in.corrupt(
            "%d slots from %d on, after %d of %d".formatted(count, first, behind, end));
      }
      behind = first + count;
      for (int slot = first; slot < behind; slot++) {
        switch (kind) {
          case RELEASED -> visitor.released(slot);
          case ZEROS -> visitor.zero(slot);
          case BLOCKS -> visitor.block(slot, in.getLong(), in.getLong());
          default -> throw in.corrupt("a run of kind " + kind);
        }
      }
    }
  }

  static MapPatch read(RecordReader in) throws IOException {
    return new MapPatch(MemberHead.read(in.getCounted(), in.file()), in.getRest());
  }

  @Override
  public byte[] write() {
    return RecordWriter.onHeap().putInt(PATCH).putCounted(head.bytes()).putBytes(runs).toArray();
  }

  /** Whether the whole map would be shorter. */
  boolean isLongerThanWhole() {
    return runs.length >= DigestPages.bytes(SlotOwners.of(head.datasets()).end());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MapPatch that
        && Arrays.equals(head.bytes(), that.head.bytes())
        && Arrays.equals(runs, that.runs);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(runs);
  }

  @Override
  public String toString() {
    return "a patch of %d bytes to version %s".formatted(runs.length, head.info().id());
  }
}
