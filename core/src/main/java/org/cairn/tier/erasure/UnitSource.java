// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Objects;
import org.cairn.container.BlockReader;
import org.cairn.container.DatasetPlan;
import org.cairn.container.VersionView;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;
import org.jspecify.annotations.Nullable;

/** Sends those units of a member, data and parity, that others need to have theirs again. */
final class UnitSource implements Exchange.Source, AutoCloseable {
  /** Zeros are left out in pieces of this size. */
  private static final int PIECE = Stripes.GRAIN;

  private final Stripes stripes;
  private final long rows;
  private final int me;
  private final Decoding decoding;
  private final BitSet lost;
  private final @Nullable Layer data;
  private final @Nullable VersionView parity;
  private final @Nullable BlockReader parityReader;
  private final Arena arena = Supply.sharedArena();

  /** One at a time: it stays in the cache of a core until it is sent. */
  private final MemorySegment unit;

  /**
   * A source.
   *
   * @param data the member's own state; null if it is lost
   * @param parity the member's parity; null if it is lost
   */
  UnitSource(
      ParityLayout layout,
      int me,
      Decoding decoding,
      BitSet lost,
      @Nullable Layer data,
      @Nullable VersionView parity) {
    this.stripes = layout.stripes();
    this.rows = layout.rows();
    this.me = me;
    this.decoding = decoding;
    this.lost = lost;
    this.data = data;
    this.parity = parity;
    this.parityReader = parity == null ? null : new BlockReader(parity);
    this.unit = arena.allocate(stripes.unit(), 64);
  }

  /** Reads what somebody needs, and no more: most of a row may be left alone. */
  @Override
  public void fill(int window, Outbox out) throws IOException {
    long firstRow = (long) window * stripes.windowRows();
    int count = (int) Math.min(stripes.windowRows(), rows - firstRow);
    for (int row = 0; row < count; row++) {
      for (int stripe = 0; stripe < stripes.members(); stripe++) {
        if (isNeeded(stripe)) {
          read(firstRow + row, stripe);
          send(row, stripe, out);
        }
      }
    }
  }

  private boolean isNeeded(int stripe) {
    boolean there = stripes.isParity(me, stripe) ? parity != null : data != null;
    return there && lost.stream().anyMatch(to -> decoding.isNeeded(stripe, me, to));
  }

  private void read(long row, int stripe) throws IOException {
    if (stripes.isParity(me, stripe)) {
      readParity(row * stripes.parity() + stripes.place(me, stripe));
    } else {
      readData(row, stripes.place(me, stripe));
    }
  }

  private void readData(long row, int place) throws IOException {
    Layer layer = Objects.requireNonNull(data);
    long first = row * stripes.data();
    unit.fill((byte) 0);
    try {
      layer.copyTo(
          unit, (first + place) * stripes.unit(), (first + endOfNeeded(place)) * stripes.unit());
    } catch (IOException e) {
      throw new DamagedBaseException(false, layer.version(), e);
    }
  }

  /** The first unit of data in a row, from a place on, that nobody needs. */
  private int endOfNeeded(int place) {
    int end = place + 1;
    while (end < stripes.data() && isNeeded(stripes.stripeOfData(me, end))) {
      end++;
    }
    return end;
  }

  private void readParity(long number) throws IOException {
    VersionView view = Objects.requireNonNull(parity);
    BlockReader reader = Objects.requireNonNull(parityReader);
    try {
      DatasetEntry dataset =
          view.find(ParityWriter.PARITY).orElseThrow(() -> new IOException("it has no parity"));
      int size = dataset.spec().blockSize();
      if (stripes.unit() % size != 0) {
        throw new IOException("it has parity in blocks of %d bytes".formatted(size));
      }
      int count = stripes.unit() / size;
      int first = Math.toIntExact(number * count);
      reader.expect(dataset, first, first + count);
      for (int i = 0; i < count; i++) {
        unit.asSlice((long) i * size, size).copyFrom(reader.read(dataset, first + i));
      }
    } catch (IOException e) {
      throw new DamagedBaseException(true, view.info().id(), e);
    }
  }

  private void send(int row, int stripe, Outbox out) {
    for (int to = lost.nextSetBit(0); to >= 0; to = lost.nextSetBit(to + 1)) {
      if (decoding.isNeeded(stripe, me, to)) {
        put(to, (row * stripes.data() + stripes.place(to, stripe)) * stripes.unit(), out);
      }
    }
  }

  /** Zeros are left out. */
  private void put(int to, int at, Outbox out) {
    for (int done = 0; done < stripes.unit(); done += PIECE) {
      if (!DatasetPlan.isZero(unit, done, PIECE)) {
        out.put(to, at + done, unit, done, PIECE);
      }
    }
  }

  @Override
  public void close() {
    if (parityReader != null) {
      parityReader.close();
    }
    if (data != null) {
      data.close();
    }
    arena.close();
  }
}
