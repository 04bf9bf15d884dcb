// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.against;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.ElementType;
import org.cairn.Options;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Communicators;
import org.cairn.comm.Reduction;

/**
 * A program that saves its state with Cairn and does what it is told, as {@code fti.c} does with
 * FTI: the commands and answers are explained there.
 *
 * <pre>Speaker DIRECTORY BYTES local|erasure</pre>
 */
public final class Speaker {
  private static final int BLOCK = 16 << 10;
  private static final long STRIDE = 7919;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  private static final long CRASH = 0;
  private static final long CHANGE = 1;
  private static final long CHECKPOINT = 2;
  private static final long SUM = 3;

  private final Communicator ranks;
  private final MemorySegment state;
  private long changes;

  private Speaker(Communicator ranks, MemorySegment state) {
    this.ranks = ranks;
    this.state = state;
  }

  /** Runs it. */
  public static void main(String[] args) throws IOException {
    try (Communicator ranks = Communicators.world();
        Arena arena = Arena.ofShared()) {
      MemorySegment state = arena.allocate(Long.parseLong(args[1]), 4096);
      new Speaker(ranks, state).run(Path.of(args[0]), args[2].equals("erasure"));
    }
  }

  private void run(Path directory, boolean parity) throws IOException {
    fill();
    Tiers tiers = parity ? Tiers.none().erasure(1).group(ranks.size(), 1) : Tiers.none();
    ranks.barrier();
    long start = System.nanoTime();
    try (Checkpointer cairn =
        Checkpointer.open(directory, ranks, Options.defaults().tiers(tiers))) {
      cairn.protect("state", state, ElementType.DOUBLE);
      cairn.restart();
      ranks.barrier();
      answer(String.valueOf((System.nanoTime() - start) * 1e-9));
      obey(cairn);
    }
  }

  private void obey(Checkpointer cairn) throws IOException {
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    while (true) {
      long[] order = next(orders);
      if (order[0] == CRASH) {
        Runtime.getRuntime().halt(0);
      } else if (order[0] == CHANGE) {
        answer(String.valueOf(change(Double.longBitsToDouble(order[1]))));
      } else if (order[0] == SUM) {
        answer(Long.toUnsignedString(sum()));
      } else {
        ranks.barrier();
        long start = System.nanoTime();
        Checkpoint taken = cairn.checkpoint();
        taken.tiers().forEach(taken::await);
        ranks.barrier();
        answer(String.valueOf((System.nanoTime() - start) * 1e-9));
      }
    }
  }

  /** What rank 0 reads, for all. */
  private long[] next(BufferedReader orders) throws IOException {
    long[] order = new long[2];
    String line = ranks.rank() == 0 ? orders.readLine() : null;
    if (line != null) {
      String[] words = line.split(" ", -1);
      order[0] =
          switch (words[0]) {
            case "change" -> CHANGE;
            case "checkpoint" -> CHECKPOINT;
            case "sum" -> SUM;
            default -> CRASH;
          };
      order[1] = words.length > 1 ? Double.doubleToLongBits(Double.parseDouble(words[1])) : 0;
    }
    ranks.broadcast(order, 0);
    return order;
  }

  private void answer(String text) {
    if (ranks.rank() == 0) {
      System.out.println("@ " + text);
      System.out.flush();
    }
  }

  // ---------------------------------------------------------------- the state

  private void fill() {
    long value = ranks.rank();
    for (long at = 0; at < state.byteSize(); at += Long.BYTES) {
      value = value * 6364136223846793005L + 1442695040888963407L;
      state.set(LONG, at, value);
    }
  }

  private long change(double part) {
    long blocks = state.byteSize() / BLOCK;
    long some = Math.round(part * blocks);
    changes++;
    for (long i = 0; i < some; i++) {
      long at = (changes + i * STRIDE) % blocks * BLOCK;
      state.set(LONG, at, state.get(LONG, at) + 2 * changes + 1);
    }
    return some * BLOCK;
  }

  private long sum() {
    long mine = 0;
    for (long at = 0; at < state.byteSize(); at += Long.BYTES) {
      mine += state.get(LONG, at);
    }
    return ranks.allReduce(mine, Reduction.SUM);
  }
}
