// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.cairn.version.DatasetEntry;

/** Blocks of a version at their addresses; neighbours are kept as one run. */
final class Runs {
  private final ByteSpace space;
  private final List<Run> runs = new ArrayList<>();
  private boolean sorted = true;

  private record Run(long address, long length, DatasetEntry dataset, long offset) {
    long end() {
      return address + length;
    }

    long offsetOf(long addressInside) {
      return offset + (addressInside - address);
    }

    boolean isContinuedBy(Run next) {
      return end() == next.address && dataset == next.dataset && offset + length == next.offset;
    }
  }

  /** Receives parts of blocks. */
  interface PartVisitor<E extends Exception> {
    /** What follows are parts of these blocks, which lie one after the other. */
    default void run(DatasetEntry dataset, int first, int end) {}

    /** Bytes {@code [from, from + length)} of a block are at an address. */
    void part(DatasetEntry dataset, int block, int from, long address, int length) throws E;
  }

  Runs(ByteSpace space) {
    this.space = space;
  }

  static Runs ofAll(Collection<DatasetEntry> datasets, ByteSpace space) {
    Runs runs = new Runs(space);
    datasets.forEach(dataset -> runs.add(dataset, 0, dataset.blocks()));
    return runs;
  }

  /** Adds the blocks from {@code from} to before {@code to}. */
  void add(DatasetEntry dataset, int from, int to) {
    long size = dataset.spec().blockSize();
    long start = from * size;
    long end = Math.min(to * size, dataset.spec().byteLength());
    if (start < end) {
      space.locate(
          dataset.name(),
          start,
          end - start,
          (address, offset, length) -> add(new Run(address, length, dataset, offset)));
    }
  }

  private void add(Run run) {
    Run last = runs.isEmpty() ? null : runs.getLast();
    if (last != null && last.isContinuedBy(run)) {
      runs.set(
          runs.size() - 1,
          new Run(last.address, last.length + run.length, last.dataset, last.offset));
    } else {
      runs.add(run);
      sorted = false;
    }
  }

  private void sort() {
    if (!sorted) {
      runs.sort(Comparator.comparingLong(Run::address));
      sorted = true;
      assert areApart() : "runs overlap";
    }
  }

  private boolean areApart() {
    for (int i = 1; i < runs.size(); i++) {
      if (runs.get(i).address < runs.get(i - 1).end()) {
        return false;
      }
    }
    return true;
  }

  /** Calls for all that lies between two addresses, block by block. */
  <E extends Exception> void forEachPart(long from, long to, PartVisitor<E> visitor) throws E {
    forEachPart(from, to, to, visitor);
  }

  /**
   * The same, for whoever goes on from {@code to} until {@code wanted} next: runs are told so far.
   */
  <E extends Exception> void forEachPart(long from, long to, long wanted, PartVisitor<E> visitor)
      throws E {
    sort();
    for (int i = firstBehind(from); i < runs.size() && runs.get(i).address < to; i++) {
      Run run = runs.get(i);
      int blockSize = run.dataset.spec().blockSize();
      long address = Math.max(from, run.address);
      long end = Math.min(to, run.end());
      visitor.run(
          run.dataset,
          (int) (run.offsetOf(address) / blockSize),
          (int) Math.ceilDiv(run.offsetOf(Math.min(wanted, run.end())), (long) blockSize));
      while (address < end) {
        long offset = run.offsetOf(address);
        int inBlock = (int) (offset % blockSize);
        int length = (int) Math.min(end - address, blockSize - inBlock);
        visitor.part(run.dataset, (int) (offset / blockSize), inBlock, address, length);
        address += length;
      }
    }
  }

  /** The first run that ends behind an address. Runs do not overlap. */
  private int firstBehind(long address) {
    int low = 0;
    int high = runs.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (runs.get(middle).end() <= address) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Adds the addresses to a set of ranges that do not touch each other: start → end. */
  void addRanges(TreeMap<Long, Long> ranges) {
    for (Run run : runs) {
      addRange(ranges, run.address, run.end());
    }
  }

  private static void addRange(TreeMap<Long, Long> ranges, long from, long to) {
    long start = from;
    long end = to;
    var before = ranges.floorEntry(start);
    if (before != null && before.getValue() >= start) {
      start = before.getKey();
      end = Math.max(end, before.getValue());
    }
    var next = ranges.ceilingEntry(start);
    while (next != null && next.getKey() <= end) {
      end = Math.max(end, next.getValue());
      ranges.remove(next.getKey());
      next = ranges.ceilingEntry(start);
    }
    ranges.put(start, end);
  }
}
