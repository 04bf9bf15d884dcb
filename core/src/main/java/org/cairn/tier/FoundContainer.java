// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.util.List;
import org.cairn.container.ContainerReader;
import org.cairn.version.Ownership;
import org.cairn.version.VersionInfo;

/**
 * A container that can be read, in the directory of a rank.
 *
 * @param directory the name of the directory
 * @param file its name there
 * @param reader open for reading
 * @param unfinished whether it was being made when the job ended
 */
public record FoundContainer(
    String directory, String file, ContainerReader reader, boolean unfinished) {
  /** What it is to all whose containers hold states as they are. */
  public Fragment asFragment() {
    Ownership ownership = reader.ownership();
    Fragment.State state =
        reader.everHeldVersion() ? Fragment.State.USED : Fragment.State.NEVER_USED;
    return new Fragment(
        TierTypes.kind(ownership.kind()),
        ownership.rank(),
        directory,
        file,
        held(),
        null,
        reader.epoch(),
        ownership.lineage(),
        unfinished ? Fragment.State.UNFINISHED : state,
        unfinished ? "" : String.join("; ", reader.problems()));
  }

  /** The versions that it holds. */
  public List<Fragment.Held> held() {
    return reader.versions().stream().map(FoundContainer::held).toList();
  }

  /** A version as a fragment has it. */
  public static Fragment.Held held(VersionInfo info) {
    return new Fragment.Held(info.id(), info.takenAt(), info.digestLow(), info.digestHigh());
  }
}
