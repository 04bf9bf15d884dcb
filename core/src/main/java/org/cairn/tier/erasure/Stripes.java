// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.util.Arrays;

/**
 * Which units of the members of a group belong together.
 *
 * <pre>
 * Row    → Stripe{members}          stripe t = 0 … members−1
 * Stripe → one unit of each member  member i gives unit (i−t) mod members of the stripe's code:
 *                                   the first {@code parity} of them hold parity, the others data
 * </pre>
 *
 * So each member has in a row {@code members − parity} units of data and {@code parity} units of
 * parity, each kind in the order of stripes, and never two of one stripe. A member's own bytes are
 * its data units row after row; its parity likewise. Stripes rotate, so that every member computes
 * and stores the same amount.
 */
final class Stripes {
  /**
   * Data that is handled at once, unless a single row is more: little enough to stay in the cache
   * of a core, and to have several windows of it in memory.
   */
  private static final int WINDOW_BYTES = 1 << 20;

  /** Units consist of whole blocks of parity. */
  static final int GRAIN = 16 << 10;

  private final int members;
  private final int parity;
  private final int unit;
  private final int windowRows;

  /** The stripes in which a member holds data, then those in which it holds parity. */
  private final int[][] order;

  /** At which place of its own data, or parity, of a row a member has its unit of a stripe. */
  private final int[][] place;

  Stripes(int members, int parity, int unit) {
    if (parity < 1 || parity >= members || members > 256 || badUnit(unit)) {
      throw new IllegalArgumentException(
          "stripes over %d members, %d of parity, in units of %d bytes"
              .formatted(members, parity, unit));
    }
    this.members = members;
    this.parity = parity;
    this.unit = unit;
    this.windowRows = Math.max(1, WINDOW_BYTES / (data() * unit));
    this.order = new int[members][members];
    this.place = new int[members][members];
    for (int member = 0; member < members; member++) {
      arrange(member);
    }
  }

  private static boolean badUnit(int unit) {
    return unit <= 0 || unit % GRAIN != 0 || unit > 1 << 24;
  }

  private void arrange(int member) {
    int nextData = 0;
    int nextParity = 0;
    for (int stripe = 0; stripe < members; stripe++) {
      boolean holdsParity = isParity(member, stripe);
      place[member][stripe] = holdsParity ? nextParity++ : nextData++;
      order[member][place[member][stripe] + (holdsParity ? data() : 0)] = stripe;
    }
  }

  int members() {
    return members;
  }

  int parity() {
    return parity;
  }

  int unit() {
    return unit;
  }

  /** How many units of data a stripe has, and a member in a row. */
  int data() {
    return members - parity;
  }

  boolean isParity(int member, int stripe) {
    return turn(member, stripe) < parity;
  }

  private int turn(int member, int stripe) {
    return Math.floorMod(member - stripe, members);
  }

  /** The number of a member's unit in the code of a stripe: data units first, then parity. */
  int codeUnit(int member, int stripe) {
    int turn = turn(member, stripe);
    return turn < parity ? data() + turn : turn - parity;
  }

  /** Who holds a unit of parity of a stripe. */
  int holder(int stripe, int parityIndex) {
    return (stripe + parityIndex) % members;
  }

  /** The stripe that the unit at this place of a member's data in a row belongs to. */
  int stripeOfData(int member, int placeInRow) {
    return order[member][placeInRow];
  }

  int stripeOfParity(int member, int placeInRow) {
    return order[member][data() + placeInRow];
  }

  /** The place of a member's unit of a stripe among its own units of that kind in a row. */
  int place(int member, int stripe) {
    return place[member][stripe];
  }

  /** How many rows hold this many bytes of a member. */
  long rows(long dataBytes) {
    return Math.ceilDiv(dataBytes, (long) data() * unit);
  }

  int windowRows() {
    return windowRows;
  }

  /** How many bytes of a member's data, or parity, are in a window of rows. */
  int windowBytes(boolean ofParity) {
    return windowRows * (ofParity ? parity : data()) * unit;
  }

  /** The same, of a window among so many rows: there may be fewer than a window has. */
  int windowBytes(boolean ofParity, long rows) {
    return (int) Math.min(windowRows, rows) * (ofParity ? parity : data()) * unit;
  }

  int windows(long rows) {
    return Math.toIntExact(Math.ceilDiv(rows, (long) windowRows));
  }

  @Override
  public String toString() {
    return "%d+%d of %d bytes, %s".formatted(data(), parity, unit, Arrays.deepToString(order));
  }
}
