// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.cairn.mesh.live.Offset;

/**
 * At which points, seen from its own, a kernel reads a field.
 *
 * <p>{@link #STAR} and {@link #BOX} are for grids of any number of axes; others are for grids that
 * have the axes they speak of.
 */
public final class Stencil {
  /** The own point alone. */
  public static final Stencil POINT = new Stencil("POINT", false, List.of(new Offset(0, 0, 0)));

  /** The own point and the next one in both directions of each axis. */
  public static final Stencil STAR = star(1);

  /** The own point and all around it, also across corners. */
  public static final Stencil BOX = box();

  private final String name;
  private final boolean anyAxes;
  private final List<Offset> offsets;

  private Stencil(String name, boolean anyAxes, List<Offset> offsets) {
    this.name = name;
    this.anyAxes = anyAxes;
    this.offsets = List.copyOf(offsets);
  }

  /** The own point and so many in both directions of each axis. */
  public static Stencil star(int depth) {
    requireDepth(depth);
    List<Offset> all = new ArrayList<>(List.of(new Offset(0, 0, 0)));
    for (int d = 1; d <= depth; d++) {
      for (int sign : new int[] {-d, d}) {
        all.add(new Offset(sign, 0, 0));
        all.add(new Offset(0, sign, 0));
        all.add(new Offset(0, 0, sign));
      }
    }
    return new Stencil(depth == 1 ? "STAR" : "star(" + depth + ")", true, all);
  }

  private static void requireDepth(int depth) {
    if (depth < 0) {
      throw new IllegalArgumentException("a stencil cannot have a depth of " + depth);
    }
  }

  private static Stencil box() {
    List<Offset> all = new ArrayList<>();
    for (int l = -1; l <= 1; l++) {
      for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
          all.add(new Offset(i, j, l));
        }
      }
    }
    return new Stencil("BOX", true, all);
  }

  /** These points of a row: {@code of1D(-1, 0, 1)}. */
  public static Stencil of1D(int... offsets) {
    return of(1, offsets);
  }

  /** These points, in pairs of i and j: {@code of2D(0,0, 1,0, 0,1, 1,1)} is a cell's four nodes. */
  public static Stencil of2D(int... offsets) {
    return of(2, offsets);
  }

  /** These points, three numbers each. */
  public static Stencil of3D(int... offsets) {
    return of(3, offsets);
  }

  /** One point. */
  static Stencil along(int axes, int i, int j, int l) {
    return of(axes, Arrays.copyOf(new int[] {i, j, l}, axes));
  }

  private static Stencil of(int axes, int[] numbers) {
    if (numbers.length == 0 || numbers.length % axes != 0) {
      throw new IllegalArgumentException(
          "a stencil of %d axes is given by %d numbers for each point, but there are %d: %s"
              .formatted(axes, axes, numbers.length, Arrays.toString(numbers)));
    }
    Set<Offset> all = new LinkedHashSet<>();
    for (int at = 0; at < numbers.length; at += axes) {
      int j = axes > 1 ? numbers[at + 1] : 0;
      int l = axes > 2 ? numbers[at + 2] : 0;
      all.add(new Offset(numbers[at], j, l));
    }
    return new Stencil("of%dD".formatted(axes), false, List.copyOf(all));
  }

  /** Its points in a grid of so many axes. */
  List<Offset> in(int axes) {
    List<Offset> there =
        offsets.stream()
            .filter(one -> (axes > 1 || one.j() == 0) && (axes > 2 || one.l() == 0))
            .toList();
    if (!anyAxes && there.size() < offsets.size()) {
      throw new IllegalArgumentException(
          "%s has points along axes that a grid of %d axes does not have".formatted(this, axes));
    }
    return there;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Stencil stencil
        && anyAxes == stencil.anyAxes
        && offsets.equals(stencil.offsets);
  }

  @Override
  public int hashCode() {
    return offsets.hashCode();
  }

  @Override
  public String toString() {
    if (anyAxes || offsets.size() == 1 && offsets.getFirst().equals(new Offset(0, 0, 0))) {
      return name;
    }
    StringBuilder text = new StringBuilder("{");
    for (Offset one : offsets) {
      text.append(text.length() > 1 ? " " : "");
      text.append(one.i()).append(',').append(one.j());
      text.append(one.l() != 0 ? "," + one.l() : "");
    }
    return text.append('}').toString();
  }
}
