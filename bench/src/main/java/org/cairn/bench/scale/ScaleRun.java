// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.scale;

import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.comm.CountingCommunicator;
import org.cairn.testkit.comm.Traffic;
import org.cairn.testkit.store.MemoryDirectories;

/**
 * Three starts of a job of many thread ranks with a few tiers and next to no state: the first run,
 * one that finds everything, and one after a rank has lost its directory. What is counted is
 * therefore what it costs to be many.
 *
 * <p>Every rank is a failure domain of its own, and has a directory among those of all: the worst
 * there is for looking at directories. Nobody watches: beats come by the clock, and what is counted
 * is to be the same on every machine.
 */
public final class ScaleRun {
  /** Groups that do not grow with the number of ranks, as a user would have them. */
  private static final int GROUP = 8;

  private static final int LOST_RANK = 1;

  /** What is counted by itself, in this order. */
  public enum Phase {
    /** Opening an empty place. */
    OPEN,
    /** A restart that finds nothing, and begins a job. */
    BEGIN,
    /** The first checkpoint, which goes to all tiers, and whole. */
    FIRST_CHECKPOINT,
    /** A checkpoint, to the partner and to parity too. */
    CHECKPOINT,
    /** Bringing it to the shared directory. */
    FLUSH,
    /** A last checkpoint, and closing, which brings it to the shared directory. */
    CLOSE,
    /** Opening where everything is there. */
    REOPEN,
    /** A restart where everything is there. */
    RESTART,
    /** Opening after the directory of a rank was lost. */
    REOPEN_LOSS,
    /** A restart after the directory of a rank was lost. */
    RESTART_LOSS
  }

  /** Is told what a phase took, while all ranks wait. */
  public interface Observer {
    /** A phase has ended on all ranks. */
    void ended(Phase phase, Traffic.Load load);
  }

  private final int ranks;
  private final Observer observer;
  private final Traffic traffic;
  private final MemoryDirectories directories = new MemoryDirectories();
  private final Options options;

  /** A job of so many ranks with a shared directory, and with these tiers beside it. */
  public ScaleRun(int ranks, Set<TierKind> beside, Observer observer) {
    this.ranks = ranks;
    this.observer = observer;
    this.traffic = new Traffic(ranks);
    Tiers tiers =
        Tiers.none()
            .shared(new MemoryStore(), 1_000) // the first version, and when it is asked for
            .sharedGroup(GROUP)
            .patience(Duration.ofMinutes(10));
    tiers = beside.contains(TierKind.PARTNER) ? tiers.partner(1) : tiers;
    tiers = beside.contains(TierKind.ERASURE) ? tiers.erasure(1).group(GROUP, 2) : tiers;
    this.options =
        Options.defaults()
            .tiers(tiers)
            .flushOnClose(Duration.ofMinutes(10))
            .waitAtMost(Duration.ZERO);
  }

  /** Lives through all phases. */
  public void run() {
    Ranks.run(ranks, rank -> "node" + rank, this::firstRun);
    Ranks.run(ranks, rank -> "node" + rank, comm -> again(comm, Phase.REOPEN, Phase.RESTART));
    directories.lose(LOST_RANK);
    Ranks.run(
        ranks, rank -> "node" + rank, comm -> again(comm, Phase.REOPEN_LOSS, Phase.RESTART_LOSS));
  }

  private void firstRun(Communicator comm) throws Exception {
    Checkpointer cairn = open(comm);
    ended(comm, Phase.OPEN);
    long[] state = protect(cairn);
    cairn.restart();
    ended(comm, Phase.BEGIN);
    Checkpoint first = cairn.checkpoint();
    first.tiers().forEach(first::await);
    ended(comm, Phase.FIRST_CHECKPOINT);
    Arrays.fill(state, comm.rank());
    Checkpoint taken = cairn.checkpoint();
    taken.tiers().forEach(taken::await);
    ended(comm, Phase.CHECKPOINT);
    cairn.flush(TierKind.SHARED);
    ended(comm, Phase.FLUSH);
    cairn.checkpoint();
    cairn.close();
    ended(comm, Phase.CLOSE);
  }

  private void again(Communicator comm, Phase opened, Phase restarted) throws Exception {
    try (Checkpointer cairn = open(comm)) {
      ended(comm, opened);
      long[] state = protect(cairn);
      cairn.restart();
      ended(comm, restarted);
      if (Arrays.stream(state).anyMatch(value -> value != comm.rank())) {
        throw new AssertionError("rank " + comm.rank() + " came back with something else");
      }
    }
    comm.barrier();
    traffic.reset();
    comm.barrier();
  }

  private Checkpointer open(Communicator comm) {
    return Checkpointer.open(directories, new CountingCommunicator(comm, traffic), options);
  }

  private static long[] protect(Checkpointer cairn) {
    long[] state = new long[16];
    cairn.protect("u", state);
    return state;
  }

  /** The ranks meet over messages that are not counted. */
  private void ended(Communicator comm, Phase phase) {
    comm.barrier();
    if (comm.rank() == 0) {
      observer.ended(phase, traffic.heaviest());
      traffic.reset();
    }
    comm.barrier();
  }
}
