// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import org.cairn.container.ContainerReader;
import org.cairn.record.Digest;
import org.cairn.version.VersionId;

/**
 * What a parity container tells of one of its versions: all that is needed to decide what can be
 * rebuilt.
 *
 * @param version the version of every member that the parity belongs to
 * @param members the ranks of the group
 * @param index which of them keeps this container
 * @param parity how many of them may be lost
 * @param stampLow stands for what the parity was made from; only equal stamps go together
 * @param stampHigh its upper half
 */
public record ParityInfo(
    VersionId version,
    List<Integer> members,
    int index,
    int parity,
    long stampLow,
    long stampHigh) {

  /** Reads it from a parity container. */
  public static ParityInfo read(ContainerReader reader, VersionId version) throws IOException {
    ParityLayout.Placed placed = ParityLayout.read(reader.view(version));
    Digest stamp = placed.layout().stamp();
    return new ParityInfo(
        version,
        placed.layout().ranks(),
        placed.index(),
        placed.layout().stripes().parity(),
        stamp.low(),
        stamp.high());
  }

  /** Whether units of the two can be decoded together. */
  public boolean fits(ParityInfo other) {
    return version.equals(other.version)
        && stampLow == other.stampLow
        && stampHigh == other.stampHigh;
  }

  /**
   * Whether the states of all members of a group can be had.
   *
   * @param members how many there are
   * @param parity how many of them may be lost
   * @param states the members, by index, whose own container has the version
   * @param parities the members whose parity container has it, all with one stamp
   */
  public static boolean canRebuild(int members, int parity, BitSet states, BitSet parities) {
    return ParityLayout.canRebuild(members, parity, states, parities);
  }
}
