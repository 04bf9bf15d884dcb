// SPDX-License-Identifier: Apache-2.0
package org.cairn;

/**
 * Where a version can be kept: a name, and the number by which files and messages know it. Those of
 * Cairn itself are constants; others come with a {@link org.cairn.tier.TierType}. In order from the
 * nearest to the safest.
 */
public final class TierKind implements Comparable<TierKind> {
  /** The container of the rank itself: survives the death of the process. */
  public static final TierKind LOCAL = new TierKind("local", 1);

  /** A copy of the container held by a rank of another failure domain. */
  public static final TierKind PARTNER = new TierKind("partner", 2);

  /** Parity over a group of ranks. */
  public static final TierKind ERASURE = new TierKind("erasure", 4);

  /** Segments in a directory that all ranks see. */
  public static final TierKind SHARED = new TierKind("shared", 8);

  private static final int LARGEST = 1 << 30;

  private final String label;
  private final int number;

  /**
   * A kind of tier.
   *
   * @param label its name in messages, events and options: lower case letters
   * @param number a power of two, since versions say with a bit each where they were to be kept
   */
  public TierKind(String label, int number) {
    if (!label.matches("[a-z]{1,16}") || Integer.bitCount(number) != 1 || number > LARGEST) {
      throw new IllegalArgumentException(
          "a kind of tier called \"%s\" with number %d; use up to 16 lower case letters and a power of two"
              .formatted(label, number));
    }
    this.label = label;
    this.number = number;
  }

  /** The number in files and messages. */
  public int number() {
    return number;
  }

  /** The name in messages, events and options. */
  public String label() {
    return label;
  }

  /** The bit of this tier in {@link org.cairn.version.VersionInfo#tiers}. */
  public int bit() {
    return number;
  }

  @Override
  public int compareTo(TierKind other) {
    return Integer.compare(number, other.number);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TierKind kind && number == kind.number;
  }

  @Override
  public int hashCode() {
    return number;
  }

  @Override
  public String toString() {
    return label;
  }
}
