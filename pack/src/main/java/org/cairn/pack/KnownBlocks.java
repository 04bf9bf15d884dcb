// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.util.Arrays;
import org.cairn.supply.Supply;

/**
 * Blocks that are stored somewhere, found by what they are: all 128 bits of the digest, and the
 * length. Of blocks that are alike the first one counts. Takes some 50 bytes a block.
 */
final class KnownBlocks {
  private static final int FIRST = 64;
  private static final int NONE = -1;

  private int[] table = new int[2 * FIRST];
  private long[] digests = new long[2 * FIRST];
  private long[] addresses = new long[FIRST];
  private int[] lengths = new int[FIRST];
  private int[] segments = new int[FIRST];
  private int[] owners = new int[3 * FIRST];
  private int count;

  KnownBlocks() {
    Arrays.fill(table, NONE);
  }

  /** The number of the block that is like this; -1 if none is known. */
  int find(long low, long high, int length) {
    for (int at = slot(low, high); table[at] != NONE; at = (at + 1) % table.length) {
      int known = table[at];
      if (digests[2 * known] == low && digests[2 * known + 1] == high && lengths[known] == length) {
        return known;
      }
    }
    return NONE;
  }

  /**
   * Adds a block, unless one like it is known.
   *
   * @param member whose it is
   * @param segment the number of the segment that it lies in
   * @param address where it lies in the frames there
   */
  void add(
      long low,
      long high,
      int length,
      int member,
      int stream,
      int block,
      int segment,
      long address) {
    if (find(low, high, length) != NONE) {
      return;
    }
    if (count == lengths.length) {
      grow();
    }
    digests[2 * count] = low;
    digests[2 * count + 1] = high;
    lengths[count] = length;
    owners[3 * count] = member;
    owners[3 * count + 1] = stream;
    owners[3 * count + 2] = block;
    segments[count] = segment;
    addresses[count] = address;
    enter(count);
    count++;
  }

  private void grow() {
    int next = Math.multiplyExact(2, count);
    digests = Supply.copy(digests, 2 * next);
    addresses = Supply.copy(addresses, next);
    lengths = Arrays.copyOf(lengths, next);
    segments = Arrays.copyOf(segments, next);
    owners = Arrays.copyOf(owners, 3 * next);
    table = Supply.ints(2 * next);
    Arrays.fill(table, NONE);
    for (int i = 0; i < count; i++) {
      enter(i);
    }
  }

  private void enter(int number) {
    int at = slot(digests[2 * number], digests[2 * number + 1]);
    while (table[at] != NONE) {
      at = (at + 1) % table.length;
    }
    table[at] = number;
  }

  private int slot(long low, long high) {
    return (int) Long.remainderUnsigned(low ^ high, table.length);
  }

  int member(int number) {
    return owners[3 * number];
  }

  int stream(int number) {
    return owners[3 * number + 1];
  }

  int block(int number) {
    return owners[3 * number + 2];
  }

  int segment(int number) {
    return segments[number];
  }

  long address(int number) {
    return addresses[number];
  }

  int length(int number) {
    return lengths[number];
  }

  /** How many there are. */
  int size() {
    return count;
  }
}
