// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Several targets as sums of products of the same sources, computed in one pass over memory.
 *
 * <p>Memory is taken in tiles that fit the first-level cache together. Within a tile, steps combine
 * up to six sources into up to two targets each; whatever a later step needs again is still in the
 * cache. So every byte comes from memory once and goes there once, however many sources and targets
 * there are.
 *
 * <p>Kernels know one kind of segments only: native ones that all threads may use. Others (heap,
 * mapped files, memory of confined arenas) are copied tile by tile through such memory. A kernel
 * that met both would be slow with both. For confined arenas this was seen when warm-up used one
 * and the program a shared one: C2 compiled kernels over and over, each time for a loop predicate
 * that failed (0.06 in place of 8 GB/s, for minutes); probably the check for the owning thread.
 */
final class Combination {

  /** So that six sources and two targets take half of a cache of 64 KiB. */
  static final int TILE = 4 << 10;

  /** A thread that never runs: who lets it in lets everybody in. */
  private static final Thread NOBODY = Thread.ofPlatform().unstarted(() -> {});

  private final int sources;
  private final int targets;
  private final List<Step> steps = new ArrayList<>();

  /** One call of a kernel: which sources and targets go to which of its places. */
  @SuppressWarnings("ArrayRecordComponent") // read here only
  private record Step(Kernel kernel, int[] places, Coefficients coefficients) {}

  /**
   * @param rows for each target its coefficients
   * @param add whether targets keep what they have and add to it
   */
  Combination(Kernels kernels, int[][] rows, boolean add) {
    this.targets = rows.length;
    this.sources = rows[0].length;
    for (int from = 0; from < sources; ) {
      int count = chunk(sources - from, kernels.mostSources(areTwo(rows)));
      addSteps(kernels, rows, from, count, add || from > 0);
      from += count;
    }
  }

  /** Whether a step computes two sums of products. */
  private static boolean areTwo(int[][] rows) {
    return Arrays.stream(rows).filter(row -> !isSum(row, 0, row.length)).count() > 1;
  }

  /** In as few chunks as possible, and these of like size: a small one is dear. */
  private static int chunk(int left, int most) {
    int chunks = Math.ceilDiv(left, most);
    return Math.ceilDiv(left, chunks);
  }

  /** All targets from these sources: plain sums join the first rows with coefficients. */
  private void addSteps(Kernels kernels, int[][] rows, int from, int count, boolean add) {
    List<Integer> sums = new ArrayList<>();
    List<Integer> dots = new ArrayList<>();
    for (int target = 0; target < targets; target++) {
      (isSum(rows[target], from, count) ? sums : dots).add(target);
    }
    while (!sums.isEmpty() || !dots.isEmpty()) {
      boolean xor = !sums.isEmpty();
      List<Integer> chosen = new ArrayList<>();
      if (xor) {
        chosen.add(sums.removeFirst());
      }
      int dotCount = Math.min(dots.size(), xor ? 1 : Shape.MAX_DOTS);
      for (int i = 0; i < dotCount; i++) {
        chosen.add(dots.removeFirst());
      }
      steps.add(step(kernels, rows, new Shape(count, xor, dotCount, add), from, chosen));
    }
  }

  private static boolean isSum(int[] row, int from, int count) {
    return Arrays.stream(row, from, from + count).allMatch(coefficient -> coefficient == 1);
  }

  private Step step(Kernels kernels, int[][] rows, Shape shape, int from, List<Integer> chosen) {
    int[] places = new int[Shape.MAX_SOURCES + chosen.size()];
    for (int i = 0; i < Shape.MAX_SOURCES; i++) {
      places[i] = from + Math.min(i, shape.sources() - 1);
    }
    for (int i = 0; i < chosen.size(); i++) {
      places[Shape.MAX_SOURCES + i] = sources + chosen.get(i);
    }
    int[][] coefficients =
        chosen.stream()
            .skip(shape.xor() ? 1 : 0)
            .map(target -> Arrays.copyOfRange(rows[target], from, from + shape.sources()))
            .toArray(int[][]::new);
    return new Step(kernels.of(shape), places, Coefficients.of(coefficients));
  }

  /** Computes {@code [0, length)} of all targets; memory is the sources, then the targets. */
  void run(MemorySegment[] memory, long length) {
    if (areDirect(memory)) {
      runNative(placed(memory), length);
    } else {
      runCopied(memory, length);
    }
  }

  private static boolean areDirect(MemorySegment[] memory) {
    for (MemorySegment segment : memory) { // called for every block: no garbage
      if (!isDirect(segment)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isDirect(MemorySegment segment) {
    return segment.isNative() && !segment.isMapped() && segment.isAccessibleBy(NOBODY);
  }

  /** For each step its memory. */
  private MemorySegment[][] placed(MemorySegment[] memory) {
    MemorySegment[][] placed = new MemorySegment[steps.size()][];
    for (int i = 0; i < placed.length; i++) {
      int[] places = steps.get(i).places();
      placed[i] = new MemorySegment[places.length];
      for (int k = 0; k < places.length; k++) {
        placed[i][k] = memory[places[k]];
      }
    }
    return placed;
  }

  private void runNative(MemorySegment[][] placed, long length) {
    for (long at = 0; at < length; at += TILE) {
      int bytes = (int) Math.min(TILE, length - at);
      for (int i = 0; i < placed.length; i++) {
        Step step = steps.get(i);
        step.kernel().run(placed[i], at, bytes, step.coefficients());
      }
    }
  }

  private void runCopied(MemorySegment[] memory, long length) {
    MemorySegment[] window = new MemorySegment[memory.length];
    try {
      for (int i = 0; i < window.length; i++) {
        window[i] = Windows.take();
      }
      MemorySegment[][] placed = placed(window);
      for (long at = 0; at < length; at += TILE) {
        long bytes = Math.min(TILE, length - at);
        copyTile(memory, at, window, 0, 0, bytes);
        runNative(placed, bytes);
        copyTile(window, 0, memory, at, sources, bytes);
      }
    } finally {
      Windows.give(window);
    }
  }

  private static void copyTile(
      MemorySegment[] from, long fromAt, MemorySegment[] to, long toAt, int first, long bytes) {
    for (int i = first; i < from.length; i++) {
      MemorySegment.copy(from[i], fromAt, to[i], toAt, bytes);
    }
  }
}
