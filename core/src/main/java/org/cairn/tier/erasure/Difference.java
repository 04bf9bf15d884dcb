// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.cairn.container.VersionView;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Delta;

/**
 * What turns the byte space of one version of a member into that of another: new ⊕ old, where
 * something differs. Without an old version the whole new one. A block that is where it was and
 * what it was is not looked at; one that changed, came, went or moved is combined in at its new
 * place, and its old bytes at its old one.
 *
 * <p>Immutable, and without bytes: whoever wants these {@linkplain #open opens} it.
 */
final class Difference {
  /** Between a version and itself. */
  static final Difference NOTHING = new Difference(List.of(), List.of());

  private final List<Part> added;
  private final List<Part> removed;
  private final TreeMap<Long, Long> ranges = new TreeMap<>();

  /** A version and where its bytes lie. */
  record Placed(VersionView view, ByteSpace space) {}

  /** Blocks of a version. */
  private record Part(VersionView view, Runs runs) {}

  private Difference(List<Part> added, List<Part> removed) {
    this.added = added;
    this.removed = removed;
    removed.forEach(part -> part.runs.addRanges(ranges));
    added.forEach(part -> part.runs.addRanges(ranges));
  }

  /** All of a version. */
  static Difference ofAll(Placed now) {
    Runs all = Runs.ofAll(now.view.datasets(), now.space);
    return new Difference(List.of(new Part(now.view, all)), List.of());
  }

  /** What a comparison of two versions finds. */
  static Difference between(Placed before, Placed now) {
    Runs plus = new Runs(now.space);
    Runs minus = new Runs(before.space);
    compare(now, before, plus, minus);
    return new Difference(List.of(new Part(now.view, plus)), List.of(new Part(before.view, minus)));
  }

  /**
   * What a delta says; takes as long as there are changes. Only if the new space is what
   * {@linkplain ByteSpace#next follows} from the old one: then bytes lie elsewhere only in blocks
   * that came, went or have another length, and these are in the delta.
   *
   * @param before what of the base has gone
   * @param now what of the version has changed
   */
  static Difference of(Delta delta, Placed before, Placed now) {
    Runs plus = new Runs(now.space);
    Runs minus = new Runs(before.space);
    delta.<RuntimeException>forEachChanged((dataset, block) -> plus.add(dataset, block, block + 1));
    delta.<RuntimeException>forEachGone((dataset, block) -> minus.add(dataset, block, block + 1));
    return new Difference(List.of(new Part(now.view, plus)), List.of(new Part(before.view, minus)));
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

  /** How many bytes differ. */
  long bytes() {
    return ranges.entrySet().stream().mapToLong(range -> range.getValue() - range.getKey()).sum();
  }

  /** Whether something between two addresses differs. */
  boolean isIn(long from, long to) {
    Map.Entry<Long, Long> last = ranges.lowerEntry(to);
    return last != null && last.getValue() > from;
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

  /** Opens it for reading; the containers that it was made from must be open. */
  Reading open() {
    return new Reading();
  }

  /** Reads the bytes; every block is verified. For one thread. */
  final class Reading implements AutoCloseable {
    private final List<Layer> plus = added.stream().map(Reading::layer).toList();
    private final List<Layer> minus = removed.stream().map(Reading::layer).toList();

    private static Layer layer(Part part) {
      return new Layer(part.view, part.runs);
    }

    /**
     * Puts what differs from {@code start} on into {@code window}; other bytes of it are not
     * touched. Is asked for one window after the other, from the first on.
     *
     * @throws DamagedBaseException if the old version is damaged
     */
    void read(MemorySegment window, long start) throws IOException {
      forEachRange(
          start,
          start + window.byteSize(),
          (from, to) -> window.asSlice(from - start, to - from).fill((byte) 0));
      for (Layer layer : plus) {
        layer.copyTo(window, start, Long.MAX_VALUE);
      }
      for (Layer layer : minus) {
        try {
          layer.addTo(window, start, Long.MAX_VALUE);
        } catch (IOException e) {
          throw new DamagedBaseException(false, layer.version(), e);
        }
      }
    }

    Difference difference() {
      return Difference.this;
    }

    @Override
    public void close() {
      plus.forEach(Layer::close);
      minus.forEach(Layer::close);
    }
  }
}
