// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.ElementType;
import org.cairn.Options;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;

/**
 * A program in a process of its own: a few ranks with their states, a restart if there is something
 * to restart from, some checkpoints in which all changes and in which little does. Prints how many
 * bytes the system says the process took at most.
 *
 * <pre>Probe FOLDER RANKS BYTES sync|async|erasure|none</pre>
 */
public final class Probe {
  private static final int CHECKPOINTS = 6;
  private static final int PAGE = 4096;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  private Probe() {}

  /** Runs it. */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    int ranks = Integer.parseInt(args[1]);
    long bytes = Long.parseLong(args[2]);
    String mode = args[3];
    try (Arena arena = Arena.ofShared()) {
      MemorySegment[] states = new MemorySegment[ranks];
      for (int rank = 0; rank < ranks; rank++) {
        states[rank] = arena.allocate(bytes, PAGE);
        change(states[rank], 8, rank);
      }
      if (!mode.equals("none")) {
        Ranks.run(ranks, rank -> "domain" + rank, comm -> live(folder, comm, states, mode));
      }
      System.out.println(mostResident());
    }
  }

  private static void live(Path folder, Communicator comm, MemorySegment[] states, String mode) {
    MemorySegment state = states[comm.rank()];
    Options options =
        Options.defaults()
            .asynchronous(mode.equals("async"))
            .tiers(
                mode.equals("erasure")
                    ? Tiers.none().erasure(1).group(comm.size(), 1)
                    : Tiers.none());
    try (Checkpointer cairn = Checkpointer.open(folder, comm, options)) {
      cairn.protect("state", state, ElementType.DOUBLE);
      cairn.restart();
      for (int i = 0; i < CHECKPOINTS; i++) {
        change(state, i % 2 == 0 ? 8 : 32 * PAGE, i);
        Checkpoint checkpoint = cairn.checkpoint();
        checkpoint.tiers().forEach(checkpoint::await);
      }
    }
  }

  /** Changes a word every so many bytes. */
  private static void change(MemorySegment state, int step, long salt) {
    for (long at = 0; at < state.byteSize(); at += step) {
      state.set(LONG, at, (at * 0x9E3779B97F4A7C15L) ^ (salt + 1));
    }
  }

  private static long mostResident() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmHWM:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
        .findFirst()
        .orElseThrow(() -> new IOException("the system does not say what a process takes"));
  }
}
