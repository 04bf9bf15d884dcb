// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import org.cairn.comm.Communicator;
import org.cairn.comm.Communicators;

/** Messages between two ranks, there and back, like {@code pingpong.c}. */
public final class PingPong {
  private static final int TAG = 7;

  /** Compiled code needs more to get warm than C does. */
  private static final int LEAST_WARMUP = 30_000;

  private PingPong() {}

  /** Arguments: REPETITIONS, then BYTES and ROUNDS for each size. */
  public static void main(String[] arguments) {
    try (Communicator ranks = Communicators.world();
        Arena arena = Arena.ofShared()) {
      exchange(ranks, arena.allocate(8, 64), LEAST_WARMUP);
      int repetitions = Integer.parseInt(arguments[0]);
      for (int a = 1; a + 1 < arguments.length; a += 2) {
        int bytes = Integer.parseInt(arguments[a]);
        measure(ranks, arena.allocate(bytes, 64), Integer.parseInt(arguments[a + 1]), repetitions);
      }
    }
  }

  private static void measure(
      Communicator ranks, MemorySegment memory, int rounds, int repetitions) {
    memory.fill((byte) (ranks.rank() + 1));
    exchange(ranks, memory, 2 * rounds);
    for (int i = 0; i < repetitions; i++) {
      long start = System.nanoTime();
      exchange(ranks, memory, rounds);
      double seconds = (System.nanoTime() - start) / 1e9;
      if (ranks.rank() == 0) {
        System.out.printf(Locale.ROOT, "%d %.12f%n", memory.byteSize(), seconds / rounds / 2);
      }
    }
  }

  private static void exchange(Communicator ranks, MemorySegment memory, int rounds) {
    int other = 1 - ranks.rank();
    for (int i = 0; i < rounds; i++) {
      if (ranks.rank() == 0) {
        ranks.send(memory, other, TAG);
        ranks.receive(memory, other, TAG);
      } else {
        ranks.receive(memory, other, TAG);
        ranks.send(memory, other, TAG);
      }
    }
  }
}
