// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.cold;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.cairn.Checkpointer;
import org.cairn.ElementType;
import org.cairn.Options;

/**
 * A program that has just begun: opens a directory, and restarts from it or takes its first
 * checkpoint. Prints the seconds of opening, and of opening and the other together; memory was
 * there before.
 *
 * <pre>Program restart|first DIRECTORY BYTES</pre>
 */
public final class Program {
  private static final int DATASETS = 8;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  private Program() {}

  /** Runs it. */
  public static void main(String[] args) {
    boolean restarts = args[0].equals("restart");
    long each = Long.parseLong(args[2]) / DATASETS;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment[] memory = new MemorySegment[DATASETS];
      for (int i = 0; i < DATASETS; i++) {
        memory[i] = arena.allocate(each, 4096);
        fill(memory[i], i);
      }
      long start = System.nanoTime();
      try (Checkpointer cairn = Checkpointer.open(Path.of(args[1]), Options.defaults())) {
        long open = System.nanoTime();
        for (int i = 0; i < DATASETS; i++) {
          cairn.protect("field" + i, memory[i], ElementType.DOUBLE);
        }
        if (restarts) {
          cairn.restart();
        } else {
          cairn.checkpoint();
        }
        long end = System.nanoTime();
        System.out.println((open - start) * 1e-9 + " " + (end - start) * 1e-9);
      }
    }
  }

  private static void fill(MemorySegment memory, long salt) {
    long value = salt;
    for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
      value = value * 6364136223846793005L + 1442695040888963407L;
      memory.set(LONG, at, value);
    }
  }
}
