// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import org.cairn.mesh.live.Box;

/** Points of a grid that a loop visits. */
public final class Range {
  private final Domain domain;
  private final Box box;
  private final boolean inOrder;

  Range(Domain domain, Box box, boolean inOrder) {
    this.domain = domain;
    this.box = box;
    this.inOrder = inOrder;
  }

  /**
   * The same points, of which a sum is made from left to right, row by row, as a plain loop on one
   * thread makes it: to compare with programs that do so. It is slower, most of all on many ranks.
   */
  public Range inOrder() {
    return new Range(domain, box, true);
  }

  /** So many points more along an axis, in front of the first and behind the last. */
  public Range grow(Axis axis, int before, int after) {
    return switch (axis) {
      case X -> only(box.i0() - before, box.i1() + after, box.j0(), box.j1(), box.l0(), box.l1());
      case Y -> only(box.i0(), box.i1(), box.j0() - before, box.j1() + after, box.l0(), box.l1());
      case Z -> only(box.i0(), box.i1(), box.j0(), box.j1(), box.l0() - before, box.l1() + after);
    };
  }

  Range only(int i0, int i1, int j0, int j1, int l0, int l1) {
    if (i0 > i1 || j0 > j1 || l0 > l1) {
      throw new IllegalArgumentException(
          "a range of \"%s\" cannot end before it begins: %s"
              .formatted(domain.name(), words(i0, i1, j0, j1, l0, l1)));
    }
    Box only = new Box(i0, i1, j0, j1, l0, l1);
    if (!domain.whole().contains(only)) {
      Box whole = domain.whole();
      throw new IllegalArgumentException(
          "range %s is not within \"%s\", which has %s with its halo of %d"
              .formatted(
                  words(i0, i1, j0, j1, l0, l1),
                  domain.name(),
                  words(whole.i0(), whole.i1(), whole.j0(), whole.j1(), whole.l0(), whole.l1()),
                  domain.halo()));
    }
    return new Range(domain, only, inOrder);
  }

  private String words(int i0, int i1, int j0, int j1, int l0, int l1) {
    String text = "[" + i0 + ":" + i1;
    text += domain.axes() > 1 ? ", " + j0 + ":" + j1 : "";
    text += domain.axes() > 2 ? ", " + l0 + ":" + l1 : "";
    return text + "]";
  }

  Domain domain() {
    return domain;
  }

  Box box() {
    return box;
  }

  boolean isInOrder() {
    return inOrder;
  }

  /** How many points it has, on all ranks. */
  public long points() {
    return box.points();
  }

  boolean isSame(Range other) {
    return this == other
        || domain == other.domain && inOrder == other.inOrder && box.equals(other.box);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Range range && isSame(range);
  }

  @Override
  public int hashCode() {
    return box.hashCode();
  }

  @Override
  public String toString() {
    return domain.name()
        + words(box.i0(), box.i1(), box.j0(), box.j1(), box.l0(), box.l1())
        + (inOrder ? " in order" : "");
  }
}
