// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.LinkedHashMap;
import java.util.Map;
import org.cairn.mesh.live.Box;
import org.jspecify.annotations.Nullable;

/**
 * A structured grid of one to three axes, with a halo around it. Cells are counted from 0 to n-1
 * along each axis, nodes and faces from 0 to n, and what lies around it with indices below 0 and
 * beyond. All fields have room for all of that, so that one linear index k serves cells, nodes and
 * faces alike.
 */
public final class Grid {
  private final Mesh mesh;
  private final String name;
  private final int axes;
  private final int[] cells;
  private final Map<String, Data> fields = new LinkedHashMap<>();
  private int halo = 1;
  private @Nullable Domain domain;
  private final Coordinates coordinates = new Coordinates();

  // Made once: loops compare ranges each time they are called.
  private @Nullable Range all;
  private @Nullable Range inner;
  private @Nullable Range nodes;

  Grid(Mesh mesh, String name, int[] extents) {
    this.mesh = mesh;
    this.name = name;
    this.axes = extents.length;
    this.cells = new int[] {1, 1, 1};
    System.arraycopy(extents, 0, cells, 0, axes);
  }

  /**
   * Says how many points lie around the grid, 1 unless told: as far as any loop reads beyond the
   * points of a rank. Before the first field.
   */
  public Grid halo(int depth) {
    if (domain != null) {
      throw new IllegalStateException(
          "the halo of grid \"%s\" is %d already; say it before the first field or range"
              .formatted(name, halo));
    }
    if (depth < 0) {
      throw new IllegalArgumentException(
          "grid \"%s\" cannot have a halo of %d".formatted(name, depth));
    }
    halo = depth;
    return this;
  }

  /**
   * Says where the grid lies, for files that its fields are exported to: node 0 at 0 and cells of
   * width 1 unless told.
   *
   * @param origin where node 0 is along the axis: where the first cell begins
   * @param spacing how wide cells are
   */
  public Grid coordinates(Axis axis, double origin, double spacing) {
    if (axis.number() >= axes) {
      throw new IllegalArgumentException(
          "grid \"%s\" has %d axes, and no axis %s".formatted(name, axes, axis));
    }
    if (!(spacing > 0) || !Double.isFinite(spacing) || !Double.isFinite(origin)) {
      throw new IllegalArgumentException(
          "cells of grid \"%s\" cannot begin at %s and be %s wide along axis %s"
              .formatted(name, origin, spacing, axis));
    }
    coordinates.set(axis, origin, spacing);
    return this;
  }

  /** Its name. */
  public String name() {
    return name;
  }

  /** How many axes it has. */
  public int axes() {
    return axes;
  }

  /** How many cells it has along an axis. */
  public int cells(Axis axis) {
    return cells[axis.number()];
  }

  /** How many points lie around it. */
  public int halo() {
    return halo;
  }

  Domain domain() {
    if (domain == null) {
      domain = mesh.divide(name, cells, axes, halo);
    }
    return domain;
  }

  // ---------------------------------------------------------------- fields

  /** Makes a field of doubles, all zero. */
  public Field field(String field) {
    return field(field, At.CELLS);
  }

  /** Makes a field of doubles that belong to such points. */
  public Field field(String field, At at) {
    return add(field, Field.of(field, domain(), at, mesh.nextField()));
  }

  /** Makes a field of floats, all zero. */
  public FloatField floats(String field) {
    return floats(field, At.CELLS);
  }

  /** Makes a field of floats that belong to such points. */
  public FloatField floats(String field, At at) {
    return add(field, FloatField.of(field, domain(), at, mesh.nextField()));
  }

  /** Makes a field of ints, all zero. */
  public IntField ints(String field) {
    return ints(field, At.CELLS);
  }

  /** Makes a field of ints that belong to such points. */
  public IntField ints(String field, At at) {
    return add(field, IntField.of(field, domain(), at, mesh.nextField()));
  }

  /** Makes a field of longs, all zero. */
  public LongField longs(String field) {
    return longs(field, At.CELLS);
  }

  /** Makes a field of longs that belong to such points. */
  public LongField longs(String field, At at) {
    return add(field, LongField.of(field, domain(), at, mesh.nextField()));
  }

  /** Makes a field of doubles along one axis. */
  public Line line(String field, Axis axis) {
    if (axis.number() >= axes) {
      throw new IllegalArgumentException(
          "grid \"%s\" has %d axes, and no axis %s".formatted(name, axes, axis));
    }
    Domain points = Domain.ofLine(name, cells(axis), halo);
    return add(field, Line.of(field, points, axis, mesh.nextField()));
  }

  private <T extends Data> T add(String field, T made) {
    Names.require("field", field);
    if (field.isEmpty() || field.contains("@")) {
      throw new IllegalArgumentException(
          "a field needs a name without an @, not \"%s\"".formatted(field));
    }
    if (fields.containsKey(field)) {
      throw new IllegalArgumentException(
          "grid \"%s\" has a field \"%s\" already".formatted(name, field));
    }
    fields.put(field, made);
    mesh.made(made, coordinates);
    return made;
  }

  // ---------------------------------------------------------------- distances

  /** How far apart neighbours of a row are: {@code u.at(k + grid.east())} is at i + 1. */
  public int east() {
    return 1;
  }

  /** How far apart neighbours along the second axis are. */
  public int north() {
    require(2, "north");
    return domain().layout().pitch();
  }

  /** How far apart neighbours along the third axis are. */
  public int up() {
    require(3, "up");
    return domain().layout().plane();
  }

  private void require(int least, String what) {
    if (axes < least) {
      throw new IllegalStateException(
          "grid \"%s\" has %d axes, and no %s".formatted(name, axes, what));
    }
  }

  // ---------------------------------------------------------------- ranges

  /** All points, also those around the grid. */
  public Range all() {
    if (all == null) {
      all = new Range(domain(), domain().whole(), false);
    }
    return all;
  }

  /** All cells. */
  public Range cells() {
    if (inner == null) {
      inner = ending(0, 0, 0);
    }
    return inner;
  }

  /** All nodes: one more along each axis than there are cells. */
  public Range nodes() {
    if (nodes == null) {
      nodes = ending(1, 1, 1);
    }
    return nodes;
  }

  /** All faces across an axis: one more along it than there are cells. */
  public Range faces(Axis across) {
    return ending(across == Axis.X ? 1 : 0, across == Axis.Y ? 1 : 0, across == Axis.Z ? 1 : 0);
  }

  private Range ending(int i, int j, int l) {
    Box box =
        new Box(0, cells[0] + i, 0, axes > 1 ? cells[1] + j : 1, 0, axes > 2 ? cells[2] + l : 1);
    return new Range(domain(), box, false);
  }

  /** Points of a grid of one axis, from one index up to another, which is not one of them. */
  public Range range(int i0, int i1) {
    requireAxes(1);
    return all().only(i0, i1, 0, 1, 0, 1);
  }

  /** Points of a grid of two axes. */
  public Range range(int i0, int i1, int j0, int j1) {
    requireAxes(2);
    return all().only(i0, i1, j0, j1, 0, 1);
  }

  /** Points of a grid of three axes. */
  public Range range(int i0, int i1, int j0, int j1, int l0, int l1) {
    requireAxes(3);
    return all().only(i0, i1, j0, j1, l0, l1);
  }

  private void requireAxes(int said) {
    if (axes != said) {
      throw new IllegalArgumentException(
          "grid \"%s\" has %d axes, and the range %d".formatted(name, axes, said));
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
