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

  /** Nor is there an end to it on a busy machine, where a round may take a millisecond. */
  private static final long LONGEST_WARMUP = 1_000_000_000;

  private static final int BATCH = 100;
  private static final double SECONDS = 0.1;

  private PingPong() {}

  /** Arguments: REPETITIONS, then BYTES and ROUNDS for each size. */
  public static void main(String[] arguments) {
    try (Communicator ranks = Communicators.world();
        Arena arena = Arena.ofShared()) {
      warmUp(ranks, arena.allocate(8, 64));
      int repetitions = Integer.parseInt(arguments[0]);
      for (int a = 1; a + 1 < arguments.length; a += 2) {
        int bytes = Integer.parseInt(arguments[a]);
        measure(ranks, arena.allocate(bytes, 64), Integer.parseInt(arguments[a + 1]), repetitions);
      }
    }
  }

  private static void warmUp(Communicator ranks, MemorySegment memory) {
    long start = System.nanoTime();
    boolean enough = false;
    for (int done = 0; !enough && done < LEAST_WARMUP; done += BATCH) {
      exchange(ranks, memory, BATCH);
      enough = fromFirst(ranks, System.nanoTime() - start) > LONGEST_WARMUP;
    }
  }

  private static long fromFirst(Communicator ranks, long value) {
    long[] values = {value};
    ranks.broadcast(values, 0);
    return values[0];
  }

  /** As many rounds as rank 0 finds to fit into the time, not more than asked for. */
  private static int affordable(Communicator ranks, MemorySegment memory, int rounds) {
    long start = System.nanoTime();
    exchange(ranks, memory, 10);
    double fitting = 10 * SECONDS / ((System.nanoTime() - start) / 1e9);
    return (int) fromFirst(ranks, Math.clamp((long) fitting, 1, rounds));
  }

  private static void measure(Communicator ranks, MemorySegment memory, int most, int repetitions) {
    memory.fill((byte) (ranks.rank() + 1));
    exchange(ranks, memory, affordable(ranks, memory, 2 * most));
    int rounds = affordable(ranks, memory, most);
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
