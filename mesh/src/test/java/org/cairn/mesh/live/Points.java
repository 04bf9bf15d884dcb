// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.util.BitSet;
import java.util.function.IntConsumer;

/** The plain twin of {@link Boxes}: a bit for each point of a box. */
final class Points {
  private final Box whole;
  final BitSet bits = new BitSet();

  Points(Box whole) {
    this.whole = whole;
  }

  static Points of(Box whole, Boxes boxes) {
    Points points = new Points(whole);
    for (Box box : boxes.list()) {
      points.forEach(box, points.bits::set);
    }
    return points;
  }

  static int index(Box whole, int i, int j, int l) {
    int rows = (l - whole.l0()) * (whole.j1() - whole.j0()) + j - whole.j0();
    return rows * (whole.i1() - whole.i0()) + i - whole.i0();
  }

  void forEach(Box box, IntConsumer index) {
    forEach(whole, box, index);
  }

  /** The indices of those points of a box that are in the whole. */
  static void forEach(Box whole, Box box, IntConsumer index) {
    for (int l = box.l0(); l < box.l1(); l++) {
      for (int j = box.j0(); j < box.j1(); j++) {
        for (int i = box.i0(); i < box.i1(); i++) {
          if (whole.contains(i, j, l)) {
            index.accept(index(whole, i, j, l));
          }
        }
      }
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Points points && bits.equals(points.bits);
  }

  @Override
  public int hashCode() {
    return bits.hashCode();
  }

  @Override
  public String toString() {
    return bits.toString();
  }
}
