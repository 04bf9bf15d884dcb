// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.cairn.Scrubbing;
import org.cairn.Tiers;
import org.cairn.clock.Clock;

/**
 * What a job is made of.
 *
 * @param tiers where versions go beside the local container
 * @param retain how many stable versions the local container keeps
 * @param settings what else all ranks must have alike, in words
 * @param name by which the job is found again; empty if it has none
 * @param pruneOthersAfter how old files of other lives must be to be deleted; zero for never
 * @param scrubbing how often what is on disk is verified
 * @param warnsOfDifferences whether what is not the same everywhere is only told
 * @param inMemory whether containers are in memory, and on disk only at the end
 * @param random where identities come from
 */
public record JobSetup(
    Tiers tiers,
    int retain,
    String settings,
    String name,
    Duration pruneOthersAfter,
    Scrubbing scrubbing,
    boolean warnsOfDifferences,
    boolean inMemory,
    Clock clock,
    LongSupplier random) {
  /** What all ranks must have alike. */
  String inWords() {
    // Not by a format, which is slow to start with.
    return tiers + ", retaining " + retain + ", " + settings + ", job \"" + name + "\"";
  }
}
