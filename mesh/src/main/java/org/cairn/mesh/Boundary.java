// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.writes;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.cairn.mesh.live.Box;

/**
 * What lies around a grid, made of what is inside: ready-made loops over the strips of the halo.
 *
 * <pre>{@code
 * Boundary walls = Boundary.reflect(2);
 * walls.apply(mesh, density, energy);
 * walls.negating(Axis.X).apply(mesh, xvel);   // changes its sign at walls across x
 * }</pre>
 *
 * <p>Where values are ({@link At}) decides about which point they are mirrored: cells between the
 * last one inside and the first one outside, nodes and faces at the wall itself. Axes follow each
 * other, each with the strips of those before: so corners are filled, too.
 *
 * <p>What a mirror shows must be within reach of the rank at the wall: its own rows, and as many as
 * the halo is deep.
 */
public final class Boundary {
  /** Which values come from where. */
  public enum Kind {
    /** As in a mirror. */
    REFLECT,
    /** What is at the other end. */
    PERIODIC,
    /** The last value inside. */
    COPY
  }

  private final Kind kind;
  private final int depth;
  private final Set<Axis> axes;
  private final Set<Axis> negated;

  private Boundary(Kind kind, int depth, Set<Axis> axes, Set<Axis> negated) {
    if (depth < 1) {
      throw new IllegalArgumentException("a boundary cannot be %d points deep".formatted(depth));
    }
    this.kind = kind;
    this.depth = depth;
    this.axes = axes;
    this.negated = negated;
  }

  /** Walls that mirror, so many points deep, along all axes. */
  public static Boundary reflect(int depth) {
    return of(Kind.REFLECT, depth);
  }

  /** The end of each axis is followed by its beginning. */
  public static Boundary periodic(int depth) {
    return of(Kind.PERIODIC, depth);
  }

  /** Nothing changes beyond the last point inside. */
  public static Boundary copy(int depth) {
    return of(Kind.COPY, depth);
  }

  private static Boundary of(Kind kind, int depth) {
    return new Boundary(kind, depth, EnumSet.allOf(Axis.class), EnumSet.noneOf(Axis.class));
  }

  /** The same along these axes only. */
  public Boundary along(Axis first, Axis... more) {
    return new Boundary(kind, depth, EnumSet.of(first, more), negated);
  }

  /** The same with the other sign at the ends of these axes. */
  public Boundary negating(Axis first, Axis... more) {
    return new Boundary(kind, depth, axes, EnumSet.of(first, more));
  }

  /** Fills what lies around these fields. */
  public void apply(Mesh mesh, Field... fields) {
    for (Field field : fields) {
      if (depth > field.domain().halo()) {
        throw new IllegalArgumentException(
            "a boundary of \"%s\" cannot be %d points deep: the halo is %d"
                .formatted(field.name(), depth, field.domain().halo()));
      }
      for (Axis axis : axes) {
        if (axis.number() < field.domain().axes()) {
          apply(mesh, field, axis);
        }
      }
    }
  }

  private void apply(Mesh mesh, Field field, Axis axis) {
    if (kind == Kind.PERIODIC) {
      wrap(mesh, field, axis);
      return;
    }
    int cells = field.domain().bricks().cells()[axis.number()];
    int last = field.at().isAtEnds(axis) ? cells : cells - 1;
    for (int away = 1; away <= depth; away++) {
      strip(mesh, field, axis, -away, low(away, field.at().isAtEnds(axis)));
      strip(mesh, field, axis, last + away, high(away, last, field.at().isAtEnds(axis)));
    }
  }

  private int low(int away, boolean atEnds) {
    return switch (kind) {
      case REFLECT -> atEnds ? away : away - 1;
      case COPY -> 0;
      case PERIODIC -> throw new AssertionError("it is joined");
    };
  }

  private int high(int away, int last, boolean atEnds) {
    return switch (kind) {
      case REFLECT -> atEnds ? last - away : last + 1 - away;
      case COPY -> last;
      case PERIODIC -> throw new AssertionError("it is joined");
    };
  }

  /** What is at the other end may be another rank's. */
  private void wrap(Mesh mesh, Field field, Axis axis) {
    int cells = field.domain().bricks().cells()[axis.number()];
    // Nodes 0 and n are one point: beyond it comes what follows the other.
    int after = field.at().isAtEnds(axis) ? 1 : 0;
    Range low = layers(field, axis, -depth, 0);
    Range high = layers(field, axis, cells + after, cells + after + depth);
    mesh.join(layers(field, axis, cells - depth, cells), low).copy(field, field);
    mesh.join(layers(field, axis, after, after + depth), high).copy(field, field);
  }

  /** One layer of points gets what another one has. */
  private void strip(Mesh mesh, Field field, Axis axis, int to, int from) {
    Range layer = layers(field, axis, to, to + 1);
    int by = from - to;
    int k = by * distance(field, axis);
    double sign = negated.contains(axis) ? -1 : 1;
    Stencil there =
        switch (axis) {
          case X -> Stencil.along(field.domain().axes(), by, 0, 0);
          case Y -> Stencil.along(field.domain().axes(), 0, by, 0);
          case Z -> Stencil.along(field.domain().axes(), 0, 0, by);
        };
    String name = kind.name().toLowerCase(Locale.ROOT) + " " + field.name();
    mesh.each(
        name, layer, reads(field, there), writes(field), p -> field.set(p, sign * field.at(p + k)));
  }

  private static int distance(Field field, Axis axis) {
    return switch (axis) {
      case X -> 1;
      case Y -> field.domain().layout().pitch();
      case Z -> field.domain().layout().plane();
    };
  }

  /** All points between indices of an axis; of axes that come later only those inside. */
  private Range layers(Field field, Axis axis, int first, int end) {
    Box whole = field.domain().whole();
    int[] from = {whole.i0(), whole.j0(), whole.l0()};
    int[] to = {whole.i1(), whole.j1(), whole.l1()};
    for (Axis other : Axis.values()) {
      int n = other.number();
      if (other == axis) {
        from[n] = first;
        to[n] = end;
      } else if (n < field.domain().axes()) {
        int reach = n < axis.number() && axes.contains(other) ? depth : 0;
        int cells = field.domain().bricks().cells()[n];
        from[n] = -reach;
        to[n] = cells + (field.at().isAtEnds(other) ? 1 : 0) + reach;
      }
    }
    return new Range(field.domain(), whole, false)
        .only(from[0], to[0], from[1], to[1], from[2], to[2]);
  }
}
