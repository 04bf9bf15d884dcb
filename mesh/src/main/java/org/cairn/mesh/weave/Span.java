// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

/**
 * The points of a loop, or of a part of it: all global indices {@code i0 ≤ i < i1}, {@code j0 ≤ j <
 * j1}, {@code l0 ≤ l < l1}, of which {@code i} is the fastest, and where they lie in the fields of
 * a grid: {@code k = base + i + j * pitch + l * plane}.
 */
public record Span(int i0, int i1, int j0, int j1, int l0, int l1, int base, int pitch, int plane) {
  /** Part of a line. */
  public static Span line(int i0, int i1, int base) {
    return new Span(i0, i1, 0, 1, 0, 1, base, 0, 0);
  }

  /** Part of a plane. */
  public static Span plane(int i0, int i1, int j0, int j1, int base, int pitch) {
    return new Span(i0, i1, j0, j1, 0, 1, base, pitch, 0);
  }

  /** The number of points. */
  public long points() {
    return (long) Math.max(0, i1 - i0) * Math.max(0, j1 - j0) * Math.max(0, l1 - l0);
  }
}
