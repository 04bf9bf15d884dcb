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
  private final Mesh mesh;
  private long value = 0x9e3779b97f4a7c15L;

  public Fingerprint(Mesh mesh) {
    this.mesh = mesh;
  }

  /** Takes in a field of a grid of two axes. */
  public Fingerprint add(Range range, Field field) {
    long seed = value;
    double sum =
        mesh.sum(
            "fingerprint",
            range,
            reads(field),
            (k, i, j) -> {
              long place = seed + ((long) j << 32) + i;
              return mix(mix(place) ^ Double.doubleToRawLongBits(field.at(k))) >>> 32;
            });
    value = mix(value ^ Double.doubleToRawLongBits(sum));
    return this;
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
