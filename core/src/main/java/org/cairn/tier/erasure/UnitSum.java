// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.cairn.erasure.Regions;
import org.cairn.supply.Supply;

/** Adds up what others send to what this member has lost. */
final class UnitSum implements Exchange.Sink, AutoCloseable {
  private final Stripes stripes;
  private final int me;
  private final Decoding decoding;
  private final BlockAssembler target;
  private final Arena arena = Supply.sharedArena();
  private final MemorySegment window;

  UnitSum(ParityLayout layout, int me, Decoding decoding, BlockAssembler target) {
    this.stripes = layout.stripes();
    this.me = me;
    this.decoding = decoding;
    this.target = target;
    this.window = arena.allocate(stripes.windowBytes(false, layout.rows()), 64);
  }

  @Override
  public void begin(int number) {
    window.fill((byte) 0);
  }

  @Override
  public void take(int member, int offset, MemorySegment message, long from, int length) {
    int stripe = stripes.stripeOfData(me, offset / stripes.unit() % stripes.data());
    byte coefficient = decoding.coefficient(stripe, member, me);
    Regions.multiplyAdd(coefficient, message, from, window, offset, length);
  }

  @Override
  public void end(int number) throws IOException {
    target.take(window, number * window.byteSize());
  }

  /** Writes what is left. */
  void finish() throws IOException {
    target.finish();
  }

  void publish() throws IOException {
    target.publish();
  }

  @Override
  public void close() {
    target.close();
    arena.close();
  }
}
