// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Where a version can be kept, from the nearest to the safest. */
public enum TierKind {
  /** The container of the rank itself: survives the death of the process. */
  LOCAL,
  /** A copy of the container held by a rank of another failure domain. */
  PARTNER,
  /** Parity over a group of ranks. */
  ERASURE,
  /** Segments in a directory that all ranks see. */
  SHARED;

  /** The name in messages, events and options. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The bit of this tier in {@link org.cairn.container.VersionInfo#tiers}. */
  public int bit() {
    return 1 << ordinal();
  }

  /** The tiers of these bits. */
  public static Set<TierKind> of(int bits) {
    Set<TierKind> kinds = EnumSet.noneOf(TierKind.class);
    for (TierKind kind : values()) {
      if ((bits & kind.bit()) != 0) {
        kinds.add(kind);
      }
    }
    return kinds;
  }
}
