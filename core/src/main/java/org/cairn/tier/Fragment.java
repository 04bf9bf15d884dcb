// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.util.List;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * Something that a rank found and that helps to produce versions of a rank.
 *
 * @param kind the tier it belongs to
 * @param owner the rank whose state it holds; for parity, the rank that kept it
 * @param directory the name of the directory it lies in
 * @param file its name there; empty if the tier has its own ways
 * @param versions what it holds, newest first
 * @param group for parity: whose
 * @param epoch the newest epoch it knows of
 * @param problem what is wrong with it; empty if nothing is
 */
public record Fragment(
    TierKind kind,
    int owner,
    String directory,
    String file,
    List<VersionId> versions,
    @Nullable Group group,
    long epoch,
    String problem) {

  /**
   * A group of ranks with parity.
   *
   * @param members its ranks, in the order in which the code numbers them
   * @param lost how many of them it can lose
   * @param stamp tells parities apart that were not made together
   */
  public record Group(List<Integer> members, int lost, String stamp) {}
}
