// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import org.cairn.container.DatasetPlan;

/** Sends what differs to those who hold parity of it, unit by unit. */
final class Pieces implements Exchange.Source {
  private final Stripes stripes;
  private final int me;
  private final long end;
  private final Difference.Reading difference;
  private final BitSet receivers;
  private final MemorySegment unit;

  /**
   * A source.
   *
   * @param rows how many rows of parity there are; what lies behind them has gone
   * @param unit memory for one unit
   */
  Pieces(
      Stripes stripes,
      int me,
      long rows,
      Difference.Reading difference,
      BitSet receivers,
      MemorySegment unit) {
    this.stripes = stripes;
    this.me = me;
    this.end = rows * stripes.data() * stripes.unit();
    this.difference = difference;
    this.receivers = receivers;
    this.unit = unit;
  }

  /** Unit by unit: what was read is sent while it is still in the cache of a core. */
  @Override
  public void fill(int window, Outbox out) throws IOException {
    long start = (long) window * stripes.windowBytes(false);
    long behind = Math.min(end, start + stripes.windowBytes(false));
    for (long at = start; at < behind; at += stripes.unit()) {
      if (difference.difference().isIn(at, at + stripes.unit())) {
        fill(at, (int) (at - start), out);
      }
    }
  }

  private void fill(long address, int offset, Outbox out) throws IOException {
    difference.read(unit, address);
    difference
        .difference()
        .forEachRange(
            address,
            address + stripes.unit(),
            (from, to) -> give(offset, (int) (from - address), (int) (to - address), out));
  }

  /** Gives a part of the unit at an offset of the window to those who hold its parity. */
  private void give(int unitOffset, int from, int to, Outbox out) {
    if (DatasetPlan.isZero(unit, from, to - from)) {
      return;
    }
    int number = unitOffset / stripes.unit();
    int row = number / stripes.data();
    int stripe = stripes.stripeOfData(me, number % stripes.data());
    for (int p = 0; p < stripes.parity(); p++) {
      int holder = stripes.holder(stripe, p);
      if (receivers.get(holder)) {
        int place = row * stripes.parity() + stripes.place(holder, stripe);
        out.put(holder, place * stripes.unit() + from, unit, from, to - from);
      }
    }
  }
}
