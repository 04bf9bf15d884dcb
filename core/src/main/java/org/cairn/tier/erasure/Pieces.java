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
  private final MemorySegment buffer;

  /**
   * A source.
   *
   * @param rows how many rows of parity there are; what lies behind them has gone
   * @param buffer for one window
   */
  Pieces(
      Stripes stripes,
      int me,
      long rows,
      Difference.Reading difference,
      BitSet receivers,
      MemorySegment buffer) {
    this.stripes = stripes;
    this.me = me;
    this.end = rows * stripes.data() * stripes.unit();
    this.difference = difference;
    this.receivers = receivers;
    this.buffer = buffer;
  }

  @Override
  public void fill(int window, Outbox out) throws IOException {
    long start = (long) window * buffer.byteSize();
    difference.read(buffer, start);
    difference
        .difference()
        .forEachRange(
            start,
            Math.min(end, start + buffer.byteSize()),
            (from, to) -> cut((int) (from - start), (int) (to - start), out));
  }

  /** Cuts a range at the ends of units, and gives each piece to those who hold its parity. */
  private void cut(int from, int to, Outbox out) {
    int unit = stripes.unit();
    for (int at = from; at < to; ) {
      int length = Math.min(to, (at / unit + 1) * unit) - at;
      if (!DatasetPlan.isZero(buffer, at, length)) {
        give(at, length, out);
      }
      at += length;
    }
  }

  private void give(int at, int length, Outbox out) {
    int unit = at / stripes.unit();
    int row = unit / stripes.data();
    int stripe = stripes.stripeOfData(me, unit % stripes.data());
    for (int p = 0; p < stripes.parity(); p++) {
      int holder = stripes.holder(stripe, p);
      if (receivers.get(holder)) {
        int place = row * stripes.parity() + stripes.place(holder, stripe);
        int offset = place * stripes.unit() + at % stripes.unit();
        out.put(holder, offset, buffer, at, length);
      }
    }
  }
}
