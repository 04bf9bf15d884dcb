// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

/**
 * A half-open box of global indices: {@code i0 ≤ i < i1}, {@code j0 ≤ j < j1}, {@code l0 ≤ l < l1}.
 * Axes that a grid does not have are {@code 0..1}. All empty boxes are equal.
 */
public record Box(int i0, int i1, int j0, int j1, int l0, int l1) {
  /** No point at all. */
  public static final Box EMPTY = new Box(0, 0, 0, 0, 0, 0);

  /** A box; if it has no point on some axis, it is the empty one. */
  public Box {
    if (i0 >= i1 || j0 >= j1 || l0 >= l1) {
      i0 = i1 = j0 = j1 = l0 = l1 = 0;
    }
  }

  /** A box of one axis. */
  public static Box of(int i0, int i1) {
    return new Box(i0, i1, 0, 1, 0, 1);
  }

  /** A box of two axes. */
  public static Box of(int i0, int i1, int j0, int j1) {
    return new Box(i0, i1, j0, j1, 0, 1);
  }

  /** A box of three axes. */
  public static Box of(int i0, int i1, int j0, int j1, int l0, int l1) {
    return new Box(i0, i1, j0, j1, l0, l1);
  }

  /** Whether it has no point. */
  public boolean isEmpty() {
    return i0 == i1;
  }

  /** How many points it has. */
  public long points() {
    return ((long) i1 - i0) * ((long) j1 - j0) * ((long) l1 - l0);
  }

  /** Whether a point is in it. */
  public boolean contains(int i, int j, int l) {
    return i0 <= i && i < i1 && j0 <= j && j < j1 && l0 <= l && l < l1;
  }

  /** Whether all of another box is in it. */
  public boolean contains(Box other) {
    return other.isEmpty()
        || i0 <= other.i0
            && other.i1 <= i1
            && j0 <= other.j0
            && other.j1 <= j1
            && l0 <= other.l0
            && other.l1 <= l1;
  }

  /** Whether they have a point in common. */
  public boolean meets(Box other) {
    return !isEmpty()
        && !other.isEmpty()
        && i0 < other.i1
        && other.i0 < i1
        && j0 < other.j1
        && other.j0 < j1
        && l0 < other.l1
        && other.l0 < l1;
  }

  /** The points that are in both. */
  public Box intersect(Box other) {
    return new Box(
        Math.max(i0, other.i0),
        Math.min(i1, other.i1),
        Math.max(j0, other.j0),
        Math.min(j1, other.j1),
        Math.max(l0, other.l0),
        Math.min(l1, other.l1));
  }

  /** The same box elsewhere. */
  public Box shift(Offset by) {
    return new Box(i0 + by.i(), i1 + by.i(), j0 + by.j(), j1 + by.j(), l0 + by.l(), l1 + by.l());
  }

  /** The smallest box that has both. */
  public Box around(Box other) {
    if (isEmpty()) {
      return other;
    }
    return other.isEmpty()
        ? this
        : new Box(
            Math.min(i0, other.i0),
            Math.max(i1, other.i1),
            Math.min(j0, other.j0),
            Math.max(j1, other.j1),
            Math.min(l0, other.l0),
            Math.max(l1, other.l1));
  }

  @Override
  public String toString() {
    return "[" + i0 + ".." + i1 + ", " + j0 + ".." + j1 + ", " + l0 + ".." + l1 + ")";
  }
}
