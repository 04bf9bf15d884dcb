// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.util.List;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;

/**
 * What a run begins with, before it is durable on any rank that it does.
 *
 * @param container what this rank goes on with
 * @param lineage what the run is
 * @param table what was known when that was chosen
 * @param stable the versions that all ranks have, oldest first
 * @param mends whether what turned out to be missing is made good in the tiers at once
 * @param all whether all that was saved was restored, and not only some datasets
 * @param makesRoom whether files of another number of ranks go before there are as many versions
 * @param takingBack what is done if the run does not begin
 */
record Start(
    LocalContainer container,
    Lineage lineage,
    FragmentTable table,
    List<VersionId> stable,
    boolean mends,
    boolean all,
    boolean makesRoom,
    TakingBack takingBack) {
  /** What is done if the run does not begin; collective. */
  @FunctionalInterface
  interface TakingBack {
    /**
     * Takes back what was done.
     *
     * @param reason why it does not begin
     */
    void run(Throwable reason);
  }

  /** A run that has nothing to restore. */
  static Start fromNothing(
      LocalContainer container, Lineage lineage, FragmentTable table, TakingBack takingBack) {
    return new Start(container, lineage, table, List.of(), false, true, false, takingBack);
  }

  /** A run that goes on with what was restored. */
  static Start from(
      Recovery.Restored restored, LocalContainer container, FragmentTable table, boolean mends) {
    return new Start(
        container, restored.lineage(), table, restored.stable(), mends, mends, false, reason -> {});
  }

  /** The same if only some datasets were restored. */
  Start ofSome() {
    return new Start(container, lineage, table, stable, mends, false, false, takingBack);
  }

  /** The same if files of another number of ranks go as soon as there is a version. */
  Start makingRoom() {
    return new Start(container, lineage, table, stable, mends, all, true, takingBack);
  }
}
