// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps;

import static org.cairn.mesh.Access.reads;

import org.cairn.mesh.Field;
import org.cairn.mesh.Mesh;
import org.cairn.mesh.Range;

/**
 * A number for all bits of fields, whoever has the points: each point gives a whole number that
 * depends on its place and its bits, and sums of those are exact.
 */
public final class Fingerprint {
  /** The fingerprint of nothing. */
  public static final long NOTHING = 0x9e3779b97f4a7c15L;

  private final Mesh mesh;
  private long value = NOTHING;

  public Fingerprint(Mesh mesh) {
    this.mesh = mesh;
  }

  /** Takes in a field of a grid of two axes. */
  public Fingerprint add(Range range, Field field) {
    long before = value;
    double sum =
        mesh.sum("fingerprint", range, reads(field), (k, i, j) -> term(before, i, j, field.at(k)));
    value = and(value, sum);
    return this;
  }

  /** What a point adds, after the fields before its own. */
  public static double term(long before, int i, int j, double point) {
    long place = before + ((long) j << 32) + i;
    return mix(mix(place) ^ Double.doubleToRawLongBits(point)) >>> 32;
  }

  /** The fingerprint of one field more, whose terms have this sum. */
  public static long and(long before, double sum) {
    return mix(before ^ Double.doubleToRawLongBits(sum));
  }

  public long value() {
    return value;
  }

  /** Every bit of the result depends on every bit (Steele, Lea, Flood: SplitMix). */
  private static long mix(long bits) {
    long a = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
    long b = (a ^ (a >>> 27)) * 0x94d049bb133111ebL;
    return b ^ (b >>> 31);
  }
}
