// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import org.cairn.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;

/**
 * Finds the blocks of a group that are the same: of equal length, with equal digests of all 128
 * bits by one algorithm. Who has told of one first gives it away for all others. For one thread.
 *
 * <pre>
 * Digests → (count:v length:v algorithm:u8 (low:u64 high:u64){count})*     in the order of blocks
 * </pre>
 *
 * <p>Blocks with weak digests are told as of algorithm 0, without digests: they are never shared.
 */
final class BlockSharing {
  /** What the table may take. */
  private static final long MEMORY = 16 << 20;

  private static final int BYTES_EACH = 48; // half of the table is free
  private static final int WEAK = 0;

  private long[] lows = new long[64];
  private long[] highs = new long[64];
  private int[] kinds = new int[64]; // length, and algorithm above it; 0 where nothing is
  private long[] owners = new long[64]; // member << 32 | ordinal
  private int used;
  private final Share[] shares;

  /** What a member need not give away, or gives away for others, too. */
  static final class Share {
    /** The ordinals of blocks that another one gives away, or it has given away before. */
    private final BitSet borrowed = new BitSet();

    /** For each of them member << 32 | ordinal of the one who gives it. */
    private long[] lenders = new long[8];

    private int borrowings;

    /** The ordinals of those whose place others want to know. */
    private final BitSet lent = new BitSet();

    BitSet borrowed() {
      return borrowed;
    }

    BitSet lent() {
      return lent;
    }

    int borrowings() {
      return borrowings;
    }

    int lender(int borrowing) {
      return (int) (lenders[borrowing] >>> 32);
    }

    int lentOrdinal(int borrowing) {
      return (int) lenders[borrowing];
    }

    private void borrow(int ordinal, long owner) {
      borrowed.set(ordinal);
      if (borrowings == lenders.length) {
        lenders = Supply.copy(lenders, 2 * borrowings);
      }
      lenders[borrowings++] = owner;
    }

    RecordWriter write(RecordWriter out) {
      return out.putCounted(borrowed.toByteArray()).putCounted(lent.toByteArray());
    }
  }

  BlockSharing(int members) {
    shares = new Share[members];
    Arrays.setAll(shares, _ -> new Share());
  }

  /** How many blocks a member may tell of. */
  static int mostBlocks(int members) {
    return (int) Math.max(256, MEMORY / BYTES_EACH / members);
  }

  Share of(int member) {
    return shares[member];
  }

  /** Writes digests of blocks that follow each other. */
  static final class Telling {
    private final RecordWriter out;
    private final RecordWriter digests = RecordWriter.onHeap();
    private int count;
    private int length;
    private int algorithm;

    Telling(RecordWriter out) {
      this.out = out;
    }

    /** Tells of the next block. */
    void block(int ofLength, int ofAlgorithm, boolean weak, long low, long high) {
      int kind = weak ? WEAK : ofAlgorithm;
      if (count > 0 && (ofLength != length || kind != algorithm)) {
        end();
      }
      length = ofLength;
      algorithm = kind;
      count++;
      if (!weak) {
        digests.putLong(low).putLong(high);
      }
    }

    void end() {
      if (count > 0) {
        out.putVarint(count).putVarint(length).putByte(algorithm).putBytes(digests.toArray());
        digests.reset();
        count = 0;
      }
    }
  }

  /** A member has told of its blocks. */
  void add(int member, RecordReader in) throws IOException {
    int ordinal = 0;
    while (in.remaining() > 0) {
      int count = in.getSmallVarint("a number of blocks");
      int length = in.getSmallVarint("a block length");
      int algorithm = in.getByte();
      if (algorithm == WEAK) {
        ordinal += count;
        continue;
      }
      if (length >>> 24 != 0) {
        throw new CorruptContainerException(in.file(), -1, "a block of %d bytes".formatted(length));
      }
      for (int i = 0; i < count; i++) {
        add(member, ordinal++, algorithm << 24 | length, in.getLong(), in.getLong());
      }
    }
  }

  private void add(int member, int ordinal, int kind, long low, long high) {
    if (2 * used >= lows.length) {
      grow();
    }
    int at = find(kind, low, high);
    if (kinds[at] == 0) {
      put(at, kind, low, high, (long) member << 32 | ordinal);
      used++;
      return;
    }
    shares[member].borrow(ordinal, owners[at]);
    shares[(int) (owners[at] >>> 32)].lent.set((int) owners[at]);
  }

  private void put(int at, int kind, long low, long high, long owner) {
    kinds[at] = kind;
    lows[at] = low;
    highs[at] = high;
    owners[at] = owner;
  }

  private int find(int kind, long low, long high) {
    int mask = lows.length - 1;
    int at = (int) (low ^ high >>> 32) & mask;
    while (kinds[at] != 0 && (kinds[at] != kind || lows[at] != low || highs[at] != high)) {
      at = at + 1 & mask;
    }
    return at;
  }

  private void grow() {
    long[] formerLows = lows;
    long[] formerHighs = highs;
    int[] formerKinds = kinds;
    long[] formerOwners = owners;
    int size = 2 * lows.length;
    lows = Supply.longs(size);
    highs = Supply.longs(size);
    kinds = Supply.ints(size);
    owners = Supply.longs(size);
    for (int i = 0; i < formerKinds.length; i++) {
      if (formerKinds[i] != 0) {
        int at = find(formerKinds[i], formerLows[i], formerHighs[i]);
        put(at, formerKinds[i], formerLows[i], formerHighs[i], formerOwners[i]);
      }
    }
  }
}
