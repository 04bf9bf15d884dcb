// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * A set of points, as disjoint boxes; it does not change.
 *
 * <p><b>One form for one set.</b> Along {@code l} the set is cut into slabs, each as high as its
 * cross-section stays the same; a slab along {@code j} in the same way; what is left are runs along
 * {@code i} that do not touch. So the boxes and their order follow from the points alone, however
 * the set came about: what is laid out by them is laid out alike whenever the points are the same,
 * and sets are equal if their boxes are. The boxes are in the order of memory (by {@code l0}, then
 * {@code j0}, then {@code i0}). Such a form can have more boxes than necessary; a box and the shell
 * around a box, which is what meshes have, need as few as there can be.
 *
 * <p><b>Bounded where it is kept.</b> Operations are exact, in time linear in the cuts. Who keeps a
 * set calls {@link #grownToBound} if points too many do no harm (they are saved for nothing), or
 * {@link #shrunkToBound} if points too few do none (fewer are taken for dead).
 */
public final class Boxes {
  /** No point. */
  public static final Boxes NONE = new Boxes(new int[0]);

  /** The number of boxes beyond which a set is made simpler. */
  public static final int BOUND = 64;

  /** Coordinates of a box in {@link #cuts}: two for each axis. */
  static final int WIDTH = 6;

  private final int[] cuts;
  private final Box bounds;
  private final int hash;

  Boxes(int[] cuts) {
    this.cuts = cuts;
    this.bounds = bounds(cuts);
    this.hash = Arrays.hashCode(cuts);
  }

  private static Box bounds(int[] cuts) {
    if (cuts.length == 0) {
      return Box.EMPTY;
    }
    int i0 = cuts[0];
    int i1 = cuts[1];
    int j0 = cuts[2];
    int j1 = cuts[3];
    for (int at = WIDTH; at < cuts.length; at += WIDTH) {
      i0 = Math.min(i0, cuts[at]);
      i1 = Math.max(i1, cuts[at + 1]);
      j0 = Math.min(j0, cuts[at + 2]);
      j1 = Math.max(j1, cuts[at + 3]);
    }
    return new Box(i0, i1, j0, j1, cuts[4], cuts[cuts.length - 1]);
  }

  private static Box box(int[] cuts, int at) {
    return new Box(cuts[at], cuts[at + 1], cuts[at + 2], cuts[at + 3], cuts[at + 4], cuts[at + 5]);
  }

  /** The points of a box. */
  public static Boxes of(Box box) {
    return box.isEmpty()
        ? NONE
        : new Boxes(new int[] {box.i0(), box.i1(), box.j0(), box.j1(), box.l0(), box.l1()});
  }

  /** The points of all boxes; they may overlap. */
  public static Boxes of(List<Box> boxes) {
    Boxes all = NONE;
    for (Box box : boxes) {
      all = all.plus(box);
    }
    return all;
  }

  /** The boxes, disjoint, in the order of memory. */
  public List<Box> list() {
    List<Box> boxes = new ArrayList<>(size());
    for (int at = 0; at < cuts.length; at += WIDTH) {
      boxes.add(box(cuts, at));
    }
    return boxes;
  }

  /** How many boxes there are. */
  public int size() {
    return cuts.length / WIDTH;
  }

  /** Whether there is no point. */
  public boolean isEmpty() {
    return cuts.length == 0;
  }

  /** How many points there are. */
  public long points() {
    long points = 0;
    for (int at = 0; at < cuts.length; at += WIDTH) {
      points += box(cuts, at).points();
    }
    return points;
  }

  /** The smallest box that has all points. */
  public Box bounds() {
    return bounds;
  }

  /** Whether all points of a box are there. */
  public boolean covers(Box box) {
    return bounds.contains(box) && (isOneBox() || Boxes.of(box).minus(this).isEmpty());
  }

  /** Whether all points of another set are there. */
  public boolean covers(Boxes other) {
    return bounds.contains(other.bounds) && (isOneBox() || other.minus(this).isEmpty());
  }

  /** Whether a point is in both. */
  public boolean meets(Boxes other) {
    return bounds.meets(other.bounds)
        && (isOneBox() && other.isOneBox() || !intersect(other).isEmpty());
  }

  /** The points of both together. */
  public Boxes plus(Boxes other) {
    if (other.isEmpty() || isOneBox() && bounds.contains(other.bounds) || equals(other)) {
      return this;
    }
    if (isEmpty() || other.isOneBox() && other.bounds.contains(bounds)) {
      return other;
    }
    return sweep(Sweep.Keep.EITHER, other);
  }

  /** The points of both together. */
  public Boxes plus(Box box) {
    return plus(of(box));
  }

  /** The points that are not in another set. */
  public Boxes minus(Boxes other) {
    if (!bounds.meets(other.bounds)) {
      return this;
    }
    if (other.isOneBox() && other.bounds.contains(bounds)) {
      return NONE;
    }
    return sweep(Sweep.Keep.FIRST_ONLY, other);
  }

  /** The points that are not in a box. */
  public Boxes minus(Box box) {
    return minus(of(box));
  }

  /** The points that are in both. */
  public Boxes intersect(Boxes other) {
    if (!bounds.meets(other.bounds)) {
      return NONE;
    }
    if (other.isOneBox() && other.bounds.contains(bounds)) {
      return this;
    }
    if (isOneBox() && bounds.contains(other.bounds)) {
      return other;
    }
    return sweep(Sweep.Keep.BOTH, other);
  }

  /** The points that are in a box, too. */
  public Boxes intersect(Box box) {
    return intersect(of(box));
  }

  /** All these points, and more if that needs fewer boxes: the box around them. */
  public Boxes grownToBound() {
    return size() <= BOUND ? this : of(bounds);
  }

  /** These points, or the largest boxes of them if there are too many. */
  public Boxes shrunkToBound() {
    if (size() <= BOUND) {
      return this;
    }
    // A stable sort of boxes in one order: which of two alike goes follows from the points, too.
    return of(
        list().stream()
            .sorted(Comparator.comparingLong(Box::points).reversed())
            .limit(BOUND)
            .toList());
  }

  /** Where nothing changes the answer is this very object: who compares sets is quick then. */
  private Boxes sweep(Sweep.Keep keep, Boxes other) {
    int[] result = new Sweep(keep, cuts, other.cuts).result();
    return Arrays.equals(result, cuts) ? this : result.length == 0 ? NONE : new Boxes(result);
  }

  private boolean isOneBox() {
    return cuts.length == WIDTH;
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || other instanceof Boxes boxes && hash == boxes.hash && Arrays.equals(cuts, boxes.cuts);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return list().toString();
  }
}
