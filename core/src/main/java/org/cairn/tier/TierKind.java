// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Where a version can be kept, from the nearest to the safest. */
public enum TierKind {
  /** The container of the rank itself: survives the death of the process. */
  LOCAL(1),
  /** A copy of the container held by a rank of another failure domain. */
  PARTNER(2),
  /** Parity over a group of ranks. */
  ERASURE(4),
  /** Segments in a directory that all ranks see. */
  SHARED(8);

  private final int number;

  TierKind(int number) {
    this.number = number;
  }

  /** The number in files and messages. */
  public int number() {
    return number;
  }

  /** Whether there is a tier of a number. */
  public static boolean isKnown(int number) {
    return Arrays.stream(values()).anyMatch(kind -> kind.number == number);
  }

  /** The tier of a number. */
  public static TierKind ofNumber(int number) {
    for (TierKind kind : values()) {
      if (kind.number == number) {
        return kind;
      }
    }
    throw new IllegalArgumentException("no tier has the number " + number);
  }

  /** The name in messages, events and options. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The bit of this tier in {@link org.cairn.container.VersionInfo#tiers}. */
  public int bit() {
    return number;
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
