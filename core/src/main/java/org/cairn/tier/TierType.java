// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.version.JobId;
import org.cairn.version.VersionId;

/**
 * A kind of tier, both ways: how versions get there, and how they come back. Jobs know this type
 * and none of its implementations, which {@link java.util.ServiceLoader} finds; adding a kind adds
 * a package and a line in {@code META-INF/services}.
 *
 * <p>A start goes like this, on all ranks alike:
 *
 * <ol>
 *   <li>every rank looks through the directories that it answers for, and asks the types what the
 *       {@linkplain #fragments containers} there hold; rank 0 asks what there is {@linkplain
 *       #elsewhere elsewhere}. Also types that this job does not use: another configuration may
 *       have left something behind;
 *   <li>all ranks exchange what they found. For each rank whose state no tier before had, a type
 *       says what it can {@linkplain #offer offer} of a version;
 *   <li>where its offer was taken, it {@linkplain #rebuild rebuilds}; together, from the nearest to
 *       the safest.
 * </ol>
 *
 * <p>Implementations have no state.
 */
public interface TierType {
  /** Its name and number. */
  TierKind kind();

  /**
   * What follows the rank in the names of its containers in directories of ranks, such as {@code
   * .partner}; empty if it keeps none there.
   */
  Optional<String> role();

  /**
   * The job of a file that lies where many jobs keep theirs, by its name; empty if the name does
   * not tell. Asked for files of another release, of which nothing else can be read.
   */
  default Optional<JobId> jobOf(String file) {
    return Optional.empty();
  }

  /** What is said of it, in a list of what was looked for, where it has nothing of a rank. */
  String nothing();

  /** What a container of this kind holds, in the directory of a rank. */
  default List<Fragment> fragments(FoundContainer found) {
    return List.of(found.asFragment());
  }

  /**
   * What there is in no directory of a rank; asked by rank 0, for all. Fragments without owner tell
   * of what cannot be had.
   *
   * @param tiers the settings of the job
   * @param job the name of the job
   */
  default List<Fragment> elsewhere(Tiers tiers, int ranks, String job) throws IOException {
    return List.of();
  }

  /**
   * Where the state of a rank can come from; empty if not from here. The answer follows from what
   * was found and from nothing else: so it is the same on all ranks.
   */
  Optional<Source> offer(Evidence evidence, int owner, VersionId version);

  /**
   * What it has of a version of a rank, for people, where that does not follow from the fragments
   * that hold it.
   */
  default Optional<String> answer(Evidence evidence, int owner, VersionId version) {
    return Optional.empty();
  }

  /**
   * Brings the states that its offers were taken for to the processes that want them; collective.
   * Who reads, and who wants, is in the {@linkplain Rebuild#roles table}: it need not be the rank
   * that saved. What turns out to be damaged is {@linkplain Rebuild#bad told}, not thrown: the
   * processes agree on it afterwards, and do without. A communicator that fails is thrown; what was
   * done until then harms nobody, and all may begin anew.
   */
  void rebuild(Rebuild rebuild) throws IOException;

  /**
   * Opens it for a job; collective, with the same outcome on all ranks.
   *
   * @return empty if the job does not want it, or cannot have it
   */
  Optional<Tier> open(Opening opening) throws IOException;
}
