// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.cold;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.cairn.Checkpointer;
import org.cairn.ElementType;
import org.cairn.comm.Ranks;

/**
 * A program that has just begun: opens a directory, and restarts from it or takes its first
 * checkpoint. Prints the seconds of opening, and of opening and the other together; memory was
 * there before. Several ranks are threads of the process, with equal parts of the bytes; what
 * counts is the slowest.
 *
 * <pre>Program restart|first DIRECTORY BYTES [RANKS]</pre>
 */
public final class Program {
  private static final int DATASETS = 8;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  private Program() {}

  /** Seconds since a rank began until it had opened, and until it was done. */
  private record Times(double opened, double done) {}

  /** Runs it. */
  public static void main(String[] args) {
    boolean restarts = args[0].equals("restart");
    int ranks = args.length > 3 ? Integer.parseInt(args[3]) : 1;
    long each = Long.parseLong(args[2]) / DATASETS / ranks;
    Path folder = Path.of(args[1]);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment[][] memory = new MemorySegment[ranks][DATASETS];
      for (int i = 0; i < ranks * DATASETS; i++) {
        MemorySegment some = arena.allocate(each, 4096);
        fill(some, i);
        memory[i / DATASETS][i % DATASETS] = some;
      }
      Times[] times = new Times[ranks];
      if (ranks == 1) {
        times[0] = live(() -> Checkpointer.open(folder), memory[0], restarts);
      } else {
        Ranks.run(
            ranks,
            rank -> "domain" + rank,
            comm ->
                times[comm.rank()] =
                    live(() -> Checkpointer.open(folder, comm), memory[comm.rank()], restarts));
      }
      System.out.println(most(times, Times::opened) + " " + most(times, Times::done));
    }
  }

  private static Times live(
      Supplier<Checkpointer> opening, MemorySegment[] memory, boolean restarts) {
    long start = System.nanoTime();
    try (Checkpointer cairn = opening.get()) {
      long open = System.nanoTime();
      for (int i = 0; i < DATASETS; i++) {
        cairn.protect("field" + i, memory[i], ElementType.DOUBLE);
      }
      if (restarts) {
        cairn.restart();
      } else {
        cairn.checkpoint();
      }
      return new Times((open - start) * 1e-9, (System.nanoTime() - start) * 1e-9);
    }
  }

  private static double most(Times[] times, ToDoubleFunction<Times> what) {
    return Arrays.stream(times).mapToDouble(what).max().orElseThrow();
  }

  private static void fill(MemorySegment memory, long salt) {
    long value = salt;
    for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
      value = value * 6364136223846793005L + 1442695040888963407L;
      memory.set(LONG, at, value);
    }
  }
}
