// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.io.IOException;
import java.util.Optional;
import org.cairn.TierKind;
import org.cairn.container.Container;
import org.cairn.version.JobId;
import org.cairn.version.VersionId;

/**
 * A place where the versions of all ranks are kept: the way there. The way back begins before any
 * tier is open, and belongs to its {@link TierType}.
 *
 * <p>Assumptions:
 *
 * <ol>
 *   <li>All ranks call {@link #protect} with the same versions in the same order, one call at a
 *       time; the tier has a communicator of its own.
 *   <li>While {@code protect} runs, the local container of every rank retains the version, and the
 *       newest one that was {@linkplain #nowStable stable} before.
 * </ol>
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>{@code protect} changes nothing that is needed to produce the version stable last. It can
 *       be cut short at any point by the death of any rank, and repeated: it ships what changed
 *       since a version that is there; where that is not known it compares maps.
 *   <li>A rank that fails says so to whoever waits for it, goes on until nobody does, and throws
 *       then. No rank hangs because of another's full disk or damaged block.
 * </ol>
 */
public interface Tier extends AutoCloseable {
  /** Which tier this is. */
  TierKind kind();

  /**
   * Makes a version of every rank safe here; collective. That it returns says nothing of the other
   * ranks: whether the version is stable is agreed on by the caller.
   *
   * @param deltas what leads to the version from those that this tier has, where that is known
   * @return how many bytes this rank sent or wrote for it
   */
  long protect(VersionId version, Deltas deltas) throws IOException;

  /**
   * All ranks have agreed that this version, the last one given to {@link #protect}, is durable
   * here: what was kept for older ones may go with the next, but for versions that a person wants
   * to be kept for ever.
   */
  void nowStable(VersionId version);

  /**
   * What a person may want to know of how the version given to {@link #protect} last was brought
   * here, in words; asked for by the thread that called it.
   */
  default Optional<String> remark() {
    return Optional.empty();
  }

  /** How many ranks can be lost at once, of those that matter to each other here. */
  default int losses() {
    return 1;
  }

  /** Whether it keeps what it has in the directories of ranks. */
  boolean isInDirectories();

  /**
   * Takes the right to write there for a job, and waits as long as another run may have it. Called
   * by rank 0 before the run enters; whoever has the right already keeps it.
   *
   * @param host the machine that the caller runs on
   * @param place where the files of rank 0 lie, whose lock the caller holds: whoever left the right
   *     with this host and place must be dead, and is not waited for
   * @return whether it had to wait; then what is there has to be looked at again
   */
  default boolean acquire(JobId job, String host, String place) throws IOException {
    return false;
  }

  /**
   * A file in the directory of this rank was found damaged; if this tier keeps it, it has to mend
   * it.
   */
  default void damaged(String file) {}

  /** The container in the directory of this rank that this tier has open for writing, if any. */
  default Optional<Container> container() {
    return Optional.empty();
  }

  /** Something in {@link #container} was found to be bad; the next version has to mend it. */
  default void rotten() {}

  @Override
  void close() throws IOException;
}
