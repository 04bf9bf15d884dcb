// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.parity;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.cairn.container.DatasetEntry;
import org.cairn.container.VersionView;
import org.jspecify.annotations.Nullable;

/**
 * What turns the byte space of one version of a member into that of another: new ⊕ old, where
 * something differs. Without an old version the whole new one. A block that is where it was and
 * what it was is not looked at; one that changed, came, went or moved is combined in at its new
 * place, and its old bytes at its old one.
 */
final class Difference implements AutoCloseable {
  private final Layer added;
  private final @Nullable Layer removed;
  private final TreeMap<Long, Long> ranges = new TreeMap<>();

  /** A version and where its bytes lie. */
  record Placed(VersionView view, ByteSpace space) {}

  Difference(Placed now, @Nullable Placed before) {
    if (before == null) {
      added = new Layer(now.view, Runs.ofAll(now.view.datasets(), now.space));
      removed = null;
    } else {
      Runs plus = new Runs(now.space);
      Runs minus = new Runs(before.space);
      compare(now, before, plus, minus);
      added = new Layer(now.view, plus);
      removed = new Layer(before.view, minus);
      minus.addRanges(ranges);
    }
    added.runs().addRanges(ranges);
  }

  private static void compare(Placed now, Placed before, Runs plus, Runs minus) {
    Map<String, BitSet> changed = new HashMap<>();
    now.view.<RuntimeException>forEachChanged(
        before.view,
        (dataset, block) -> changed.computeIfAbsent(dataset.name(), _ -> new BitSet()).set(block));
    for (DatasetEntry dataset : now.view.datasets()) {
      BitSet blocks = changed.getOrDefault(dataset.name(), new BitSet());
      addMoved(dataset, now.space.agreesUpTo(dataset.name(), before.space), blocks);
      addRuns(plus, dataset, blocks, 0);
    }
    for (DatasetEntry old : before.view.datasets()) {
      DatasetEntry dataset = now.view.find(old.name()).orElse(null);
      boolean alike =
          dataset != null
              && dataset.spec().blockSize() == old.spec().blockSize()
              && dataset.spec().algorithm() == old.spec().algorithm();
      BitSet blocks = new BitSet();
      if (dataset != null && alike) {
        blocks.or(changed.getOrDefault(old.name(), new BitSet()));
        addMoved(old, now.space.agreesUpTo(old.name(), before.space), blocks);
        blocks.set(dataset.blocks(), Math.max(dataset.blocks(), old.blocks()));
      } else {
        blocks.set(0, old.blocks());
      }
      addRuns(minus, old, blocks, 0);
    }
  }

  /** Blocks that do not lie wholly where they lay. */
  private static void addMoved(DatasetEntry dataset, long agreed, BitSet blocks) {
    if (agreed < dataset.spec().byteLength()) {
      blocks.set((int) (agreed / dataset.spec().blockSize()), dataset.blocks());
    }
  }

  private static void addRuns(Runs runs, DatasetEntry dataset, BitSet blocks, int first) {
    int from = blocks.nextSetBit(first);
    while (from >= 0 && from < dataset.blocks()) {
      int to = Math.min(dataset.blocks(), blocks.nextClearBit(from));
      runs.add(dataset, from, to);
      from = blocks.nextSetBit(to);
    }
  }

  /** The windows of so many bytes in which something differs. */
  BitSet windows(long windowBytes) {
    BitSet windows = new BitSet();
    ranges.forEach(
        (from, to) -> windows.set((int) (from / windowBytes), (int) ((to - 1) / windowBytes) + 1));
    return windows;
  }

  /** Receives ranges of the byte space. */
  interface RangeVisitor {
    void range(long from, long to);
  }

  /** Calls for the parts of the byte space between two addresses that differ. */
  void forEachRange(long from, long to, RangeVisitor visitor) {
    Long first = ranges.floorKey(from);
    for (Map.Entry<Long, Long> range :
        ranges.subMap(first == null ? from : first, true, to, false).entrySet()) {
      if (range.getValue() > from) {
        visitor.range(Math.max(from, range.getKey()), Math.min(to, range.getValue()));
      }
    }
  }

  /**
   * Puts what differs from {@code start} on into {@code window}; other bytes of it are not touched.
   *
   * @throws DamagedBaseException if the old version is damaged
   */
  void read(MemorySegment window, long start) throws IOException {
    forEachRange(
        start,
        start + window.byteSize(),
        (from, to) -> window.asSlice(from - start, to - from).fill((byte) 0));
    added.addTo(window, start);
    if (removed != null) {
      try {
        removed.addTo(window, start);
      } catch (IOException e) {
        throw new DamagedBaseException(false, removed.version(), e);
      }
    }
  }

  @Override
  public void close() {
    added.close();
    if (removed != null) {
      removed.close();
    }
  }
}
