// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.cairn.Checkpointer;
import org.cairn.DatasetStats;
import org.cairn.Options;
import org.cairn.Tracking;
import org.cairn.comm.Communicator;
import org.cairn.comm.Communicators;
import org.cairn.comm.Request;

/**
 * A rank into whose tracked memory the other one sends messages of all sizes. After each of them
 * two checkpoints are taken, one that goes by pages and one that hashes everything: both must find
 * the same blocks changed, and save the same bytes.
 */
final class TrackedRank {
  private static final long BYTES = 16 << 20;
  private static final int TAG = 3;
  private static final int BLOCK = 16 << 10;

  /** From one that is copied with its envelope to those that the other process fetches or puts. */
  private static final List<Integer> SIZES =
      List.of(1, 100, 4_000, 4_096, 5_000, 65_000, 262_144, 1 << 20, (4 << 20) - 3, 4 << 20);

  private final Communicator ranks;
  private final Path directory;
  private long trackedHashed;

  private TrackedRank(Communicator ranks, Path directory) {
    this.ranks = ranks;
    this.directory = directory;
  }

  /** Arguments: a directory that is there. */
  public static void main(String[] arguments) {
    try (Communicator ranks = Communicators.world()) {
      new TrackedRank(ranks, Path.of(arguments[0])).run();
    }
  }

  private Checkpointer open(String name, Tracking tracking) {
    return Checkpointer.open(
        directory.resolve(name + ranks.rank()),
        Options.defaults().tracking(tracking).threads(1).verifyEvery(1_000));
  }

  private void run() {
    byte[] last;
    int rounds = 0;
    try (Checkpointer tracked = open("tracked", Tracking.REQUIRED);
        Checkpointer hashed = open("hashed", Tracking.OFF)) {
      MemorySegment grid = tracked.allocate("grid", BYTES);
      hashed.protect("grid", grid);
      tracked.checkpoint();
      hashed.checkpoint();
      for (int round = 0; round < 3; round++) {
        for (int size : SIZES) {
          Request arriving = expect(grid, size, round);
          compare(tracked, hashed, size); // while a receive is open
          exchange(arriving, size, round);
          compare(tracked, hashed, size);
          rounds++;
        }
      }
      last = grid.toArray(JAVA_BYTE);
    }
    boolean same = Arrays.equals(last, saved("tracked")) && Arrays.equals(last, saved("hashed"));
    System.out.printf(
        "rank %d: %d messages, bytes are the same: %b, hashed %s%n",
        ranks.rank(), rounds, same, trackedHashed < 2 * BYTES * rounds / 4 ? "little" : "much");
  }

  /** Where no page begins. */
  private Request expect(MemorySegment grid, int size, int round) {
    long at = (round * 4_321L + size) % (BYTES - size);
    return ranks.startReceive(grid.asSlice(at, size), 1 - ranks.rank(), TAG);
  }

  /** Sends what the other one has not yet. */
  private void exchange(Request arriving, int size, int round) {
    byte[] message = new byte[size];
    Arrays.fill(message, (byte) (1 + round + 3 * ranks.rank()));
    ranks.send(MemorySegment.ofArray(message), 1 - ranks.rank(), TAG);
    arriving.await();
  }

  private void compare(Checkpointer tracked, Checkpointer hashed, int size) {
    DatasetStats byPages = tracked.checkpoint().stats().orElseThrow().datasets().getFirst();
    DatasetStats byHashes = hashed.checkpoint().stats().orElseThrow().datasets().getFirst();
    trackedHashed += byPages.hashedBytes();
    if (byPages.changedBytes() != byHashes.changedBytes()) {
      System.out.printf(
          "rank %d missed a message of %d bytes: %d of %d blocks were seen%n",
          ranks.rank(), size, byPages.changedBytes() / BLOCK, byHashes.changedBytes() / BLOCK);
    }
  }

  private byte[] saved(String name) {
    try (Checkpointer cairn = open(name, Tracking.OFF)) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.restart();
      return grid.toArray(JAVA_BYTE);
    }
  }
}
