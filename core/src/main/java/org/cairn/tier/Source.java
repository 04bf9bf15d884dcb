// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import org.cairn.TierKind;
import org.jspecify.annotations.Nullable;

/**
 * Where the state of a member comes from, or its share in the parity of a group.
 *
 * @param kind the tier
 * @param holder the process that can read it; where the tier has its own ways, any can
 * @param directory the name of the directory it lies in; empty if the tier has its own ways
 * @param file its name there
 * @param group for parity: whose
 */
public record Source(
    TierKind kind, int holder, String directory, String file, Fragment.@Nullable Group group) {
  /** A container that was found. */
  public static Source of(Found found) {
    Fragment fragment = found.fragment();
    return new Source(fragment.kind(), found.holder(), fragment.directory(), fragment.file(), null);
  }

  /** The same, as the share in the parity of a group. */
  Source in(Fragment.Group shared) {
    return new Source(kind, holder, directory, file, shared);
  }

  /** Whether it is a file of state in the rank's own directory. */
  public boolean isOwn(int owner) {
    return kind.equals(TierKind.LOCAL)
        && holder == owner
        && directory.equals(FileNames.directory(owner));
  }

  /** Whether it is a container that holds the state as it is. */
  public boolean isContainer() {
    return !file.isEmpty() && group == null;
  }
}
