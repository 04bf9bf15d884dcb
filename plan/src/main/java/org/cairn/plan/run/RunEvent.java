// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.cairn.TierKind;

/**
 * Something that a rank logged. Of what an older or newer Cairn did not log, times are {@code NaN},
 * numbers 0 and texts empty.
 */
public sealed interface RunEvent {
  /** When it was logged, which is when it had ended. */
  Instant time();

  /**
   * The checkpoints were opened: a life of the program begins.
   *
   * @param time when
   * @param rank which rank it was
   * @param ranks how many there were
   * @param tiers the tiers that were asked for, in words
   */
  record Opened(Instant time, int rank, int ranks, String tiers) implements RunEvent {}

  /**
   * The program let go of its checkpoints: it was not killed.
   *
   * @param time when
   */
  record Closed(Instant time) implements RunEvent {}

  /**
   * A signal ended the process: of a batch system at its time limit, of a person, or of a launcher
   * after another rank was lost.
   *
   * @param time when
   * @param signal which
   */
  record Terminated(Instant time, String signal) implements RunEvent {}

  /**
   * A version became durable in the container of the rank.
   *
   * @param time when it was durable
   * @param version its identity, the same on all ranks and never used twice
   * @param full whether all was written, without comparing
   * @param decision why
   * @param protectedBytes the size of all datasets
   * @param blocks the number of all blocks
   * @param dirtyBlocks blocks that had changed or were new
   * @param touchedBytes what lies in pages that the program wrote to, all that was not tracked
   *     counted in; -1 if nothing was tracked
   * @param bytesWritten what went to the file
   * @param waitedSeconds how long the program waited
   * @param durableSeconds from the call until it was durable
   * @param hashSeconds hashing, averaged over the cores
   * @param copySeconds copying and coding, averaged over the cores
   * @param writeSeconds in write calls
   * @param forceSeconds from the last block written until durable
   * @param fileBytes the size of the container afterwards
   * @param liveBytes what of it is in use
   */
  record Checkpointed(
      Instant time,
      String version,
      boolean full,
      String decision,
      long protectedBytes,
      long blocks,
      long dirtyBlocks,
      long touchedBytes,
      long bytesWritten,
      double waitedSeconds,
      double durableSeconds,
      double hashSeconds,
      double copySeconds,
      double writeSeconds,
      double forceSeconds,
      long fileBytes,
      long liveBytes)
      implements RunEvent {

    /** When the program called for it. */
    public Instant started() {
      return Double.isNaN(durableSeconds)
          ? time
          : time.minusNanos(Math.round(durableSeconds * 1e9));
    }
  }

  /**
   * A version did not become durable.
   *
   * @param time when
   * @param version its identity
   * @param aborted whether the program wanted it so
   * @param failure why, empty if it was aborted
   */
  record CheckpointFailed(Instant time, String version, boolean aborted, String failure)
      implements RunEvent {}

  /**
   * The program asked for its state.
   *
   * @param time when it was there
   * @param version which it got; empty where there was none yet
   * @param bytes how much
   * @param seconds how long that took
   * @param origins for each rank the tier its state came from; empty if there is one rank only
   */
  record Restarted(Instant time, String version, long bytes, double seconds, List<String> origins)
      implements RunEvent {
    /** Copies the origins. */
    public Restarted {
      origins = List.copyOf(origins);
    }

    /** The tiers that were needed besides what each rank had itself, each once. */
    public Set<String> tiers() {
      Set<String> tiers = new LinkedHashSet<>();
      for (String origin : origins) {
        String tier = origin.replaceFirst(" of rank .*", "");
        if (!tier.equals(TierKind.LOCAL.label())) {
          tiers.add(tier);
        }
      }
      return tiers;
    }
  }

  /**
   * What became of a version on its way to a tier.
   *
   * @param time when
   * @param tier its label, such as {@code partner}
   * @param version the version
   * @param outcome whether it came there
   * @param bytes what this rank sent or wrote
   * @param seconds how long it took
   * @param failure why it failed, or empty
   */
  record Tiered(
      Instant time,
      String tier,
      String version,
      Outcome outcome,
      long bytes,
      double seconds,
      String failure)
      implements RunEvent {}

  /** How a transfer to a tier ends. */
  enum Outcome {
    /** The tier has it. */
    REACHED,
    /** The tier does not have it. */
    FAILED,
    /** The tier was busy with an earlier one. */
    SKIPPED
  }
}
