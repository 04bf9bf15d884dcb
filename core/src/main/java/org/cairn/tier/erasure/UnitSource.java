// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
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
  private final MemorySegment dataWindow;
  private final MemorySegment parityWindow;

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
    this.dataWindow = arena.allocate(stripes.windowBytes(false, rows), 64);
    this.parityWindow = arena.allocate(stripes.windowBytes(true, rows), 64);
  }

  @Override
  public void fill(int window, Outbox out) throws IOException {
    readData(window);
    readParity(window);
    long firstRow = (long) window * stripes.windowRows();
    int count = (int) Math.min(stripes.windowRows(), rows - firstRow);
    for (int row = 0; row < count; row++) {
      for (int stripe = 0; stripe < stripes.members(); stripe++) {
        send(row, stripe, out);
      }
    }
  }

  private void readData(int window) throws IOException {
    if (data == null) {
      return;
    }
    dataWindow.fill((byte) 0);
    try {
      data.addTo(dataWindow, window * dataWindow.byteSize());
    } catch (IOException e) {
      throw new DamagedBaseException(false, data.version(), e);
    }
  }

  private void readParity(int window) throws IOException {
    BlockReader reader = parityReader;
    if (parity == null || reader == null) {
      return;
    }
    DatasetEntry dataset =
        parity
            .find(ParityWriter.PARITY)
            .orElseThrow(() -> new IOException("no parity in version " + parity.info().id()));
    int size = dataset.spec().blockSize();
    int first = Math.toIntExact(window * parityWindow.byteSize() / size);
    int end = (int) Math.min(dataset.blocks(), first + parityWindow.byteSize() / size);
    try {
      for (int block = first; block < end; block++) {
        parityWindow
            .asSlice((long) (block - first) * size, size)
            .copyFrom(reader.read(dataset, block));
      }
    } catch (IOException e) {
      throw new DamagedBaseException(true, parity.info().id(), e);
    }
  }

  private void send(int row, int stripe, Outbox out) {
    boolean ofParity = stripes.isParity(me, stripe);
    MemorySegment source = ofParity ? parityWindow : dataWindow;
    int perRow = ofParity ? stripes.parity() : stripes.data();
    long from = ((long) row * perRow + stripes.place(me, stripe)) * stripes.unit();
    for (int to = lost.nextSetBit(0); to >= 0; to = lost.nextSetBit(to + 1)) {
      if (decoding.isNeeded(stripe, me, to)) {
        int at = (row * stripes.data() + stripes.place(to, stripe)) * stripes.unit();
        send(to, at, source, from, out);
      }
    }
  }

  private void send(int to, int at, MemorySegment source, long from, Outbox out) {
    for (int done = 0; done < stripes.unit(); done += PIECE) {
      if (!DatasetPlan.isZero(source, from + done, PIECE)) {
        out.put(to, at + done, source, from + done, PIECE);
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
