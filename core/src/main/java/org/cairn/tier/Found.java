// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import org.cairn.TierKind;

/** A fragment and the rank that can read it. */
public record Found(int holder, Fragment fragment) {
  /** Whether it is the state of the rank that found it, in that rank's own directory. */
  public boolean isOwnState() {
    return fragment.kind().equals(TierKind.LOCAL)
        && fragment.owner() == holder
        && isInOwnDirectory();
  }

  /** Whether it lies in the directory of the rank that found it. */
  public boolean isInOwnDirectory() {
    return fragment.directory().equals(FileNames.directory(holder));
  }
}
