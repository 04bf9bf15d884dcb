// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * What hashes would have missed of a change that a program really made: two states of a dataset,
 * compared byte by byte and by digests. They are given piece by piece, in order.
 */
public final class StateStudy {
  private static final int PIECE_BYTES = 4 << 20;
  private static final int MOST_PIECE_BYTES = 64 << 20;

  /**
   * What became of a dataset in blocks of one size.
   *
   * @param block bytes of a block; the last one may be shorter
   * @param blocks how many there are
   * @param changed those of which some byte differs
   * @param missed by each hash in the order of the study, those that it took for unchanged
   */
  public record Found(int block, long blocks, long changed, List<Long> missed) {}

  private final List<StudiedHash> hashes;
  private final List<Integer> sizes;
  private final int piece;
  private final long[] blocks;
  private final long[] changed;
  private final long[][] missed;

  /**
   * A study of one dataset.
   *
   * @throws IllegalArgumentException if no piece of memory holds whole blocks of all sizes
   */
  public StateStudy(List<StudiedHash> hashes, List<Integer> sizes) {
    this.hashes = List.copyOf(hashes);
    this.sizes = BlockSizes.check(sizes);
    piece = piece(sizes);
    blocks = new long[sizes.size()];
    changed = new long[sizes.size()];
    missed = new long[sizes.size()][hashes.size()];
  }

  private static int piece(List<Integer> sizes) {
    BigInteger common = BigInteger.ONE;
    for (int size : sizes) {
      BigInteger next = BigInteger.valueOf(size);
      common = common.divide(common.gcd(next)).multiply(next);
    }
    if (common.bitLength() > 31 || common.intValueExact() > MOST_PIECE_BYTES) {
      throw BlockSizes.refuse(
          "states are not read in blocks of sizes that have no common multiple up to 64 MiB");
    }
    return Math.ceilDiv(PIECE_BYTES, common.intValueExact()) * common.intValueExact();
  }

  /** How many bytes each piece but the last one has. */
  public int pieceBytes() {
    return piece;
  }

  /** Compares the next piece, as it was and as it is. */
  public void add(MemorySegment before, MemorySegment after) {
    if (before.byteSize() != after.byteSize() || before.byteSize() > piece) {
      throw new IllegalArgumentException(
          "pieces of %d and %d B".formatted(before.byteSize(), after.byteSize()));
    }
    for (int i = 0; i < sizes.size(); i++) {
      add(i, before, after);
    }
  }

  private void add(int size, MemorySegment before, MemorySegment after) {
    int block = sizes.get(size);
    boolean[] differs = differences(before, after, block);
    blocks[size] += differs.length;
    for (boolean one : differs) {
      changed[size] += one ? 1 : 0;
    }
    long[] old = new long[2 * differs.length];
    long[] now = new long[2 * differs.length];
    for (int h = 0; h < hashes.size(); h++) {
      StudiedHash hash = hashes.get(h);
      hash.hash(before, 0, before.byteSize(), block, old);
      hash.hash(after, 0, after.byteSize(), block, now);
      for (int i = 0; i < differs.length; i++) {
        missed[size][h] += differs[i] && hash.equal(old, now, i) ? 1 : 0;
      }
    }
  }

  private static boolean[] differences(MemorySegment before, MemorySegment after, int block) {
    boolean[] differs = new boolean[Math.ceilDiv((int) before.byteSize(), block)];
    long at = before.mismatch(after);
    while (at >= 0) {
      int number = (int) (at / block);
      differs[number] = true;
      long next = (number + 1L) * block;
      long further =
          next < before.byteSize()
              ? MemorySegment.mismatch(
                  before, next, before.byteSize(), after, next, after.byteSize())
              : -1;
      at = further < 0 ? -1 : next + further;
    }
    return differs;
  }

  /** What was found so far, by size of blocks. */
  public List<Found> found() {
    List<Found> found = new ArrayList<>();
    for (int i = 0; i < sizes.size(); i++) {
      List<Long> counts = new ArrayList<>();
      for (long count : missed[i]) {
        counts.add(count);
      }
      found.add(new Found(sizes.get(i), blocks[i], changed[i], List.copyOf(counts)));
    }
    return found;
  }
}
