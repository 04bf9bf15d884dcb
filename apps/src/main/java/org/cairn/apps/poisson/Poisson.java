// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.poisson;

import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.writes;
import static org.cairn.mesh.Stencil.STAR;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;
import org.cairn.apps.Fingerprint;
import org.cairn.mesh.Axis;
import org.cairn.mesh.Field;
import org.cairn.mesh.Grid;
import org.cairn.mesh.Mesh;

/**
 * −Δu = f in a square of side 1, whose solution is known: sin πx · sin πy + x·y. Its values at the
 * edge are given and never computed: they lie around the cells, where no loop but the first writes.
 */
public final class Poisson {
  private final Mesh mesh;
  private final Grid grid;
  private final Field u;
  private final Field next;
  private final Field f;
  private final double h;
  private long steps;
  private double change = Double.POSITIVE_INFINITY;

  /** Nothing but the edge is right. */
  public Poisson(Mesh mesh, int nx, int ny) {
    this.mesh = mesh;
    this.h = 1.0 / (nx + 1);
    this.grid =
        mesh.grid("square", nx, ny)
            .halo(1)
            .coordinates(
                Axis.X, .5 * h, h) // the edge is 0 and 1: points are in the middle of cells
            .coordinates(Axis.Y, .5 * h, h);
    this.u = grid.field("u");
    this.next = grid.field("next");
    this.f = grid.field("f");
    start(ny);
    mesh.ready();
  }

  private void start(int ny) {
    int nx = grid.cells(Axis.X);
    Field first = u;
    Field right = f;
    double width = h;
    mesh.each(
        "start",
        grid.range(-1, nx + 1, -1, ny + 1),
        writes(first, right),
        (k, i, j) -> {
          boolean inside = i >= 0 && i < nx && j >= 0 && j < ny;
          first.set(k, inside ? 0 : solution(i, j, width));
          right.set(k, 2 * Math.PI * Math.PI * wave(i, j, width));
        });
  }

  private static double solution(int i, int j, double h) {
    return wave(i, j, h) + (i + 1) * h * ((j + 1) * h);
  }

  private static double wave(int i, int j, double h) {
    // The same on all machines, which Math.sin need not be.
    return StrictMath.sin(Math.PI * (i + 1) * h) * StrictMath.sin(Math.PI * (j + 1) * h);
  }

  /** One step of the iteration. */
  public void step() {
    Field from = u;
    Field to = next;
    Field right = f;
    double h2 = h * h;
    int e = grid.east();
    int n = grid.north();
    mesh.each(
        "relax",
        grid.cells(),
        reads(from, STAR),
        reads(right),
        writes(to),
        k ->
            to.set(
                k,
                .25
                    * (from.at(k - e)
                        + from.at(k + e)
                        + from.at(k - n)
                        + from.at(k + n)
                        + h2 * right.at(k))));
    change =
        mesh.max("change", grid.cells(), reads(from, to), k -> Math.abs(to.at(k) - from.at(k)));
    mesh.each("copy", grid.cells(), reads(to), writes(from), k -> from.set(k, to.at(k)));
    steps++;
    mesh.time(steps, steps);
  }

  /** The largest change of any point in the last step. */
  public double change() {
    return change;
  }

  public long steps() {
    return steps;
  }

  /** All memory of its fields, to be read. */
  public List<MemorySegment> memory() {
    return Stream.of(u, next, f).map(Field::segment).toList();
  }

  /** Where it is. */
  PoissonResult result() {
    Field now = u;
    double width = h;
    double error =
        mesh.max(
            "error",
            grid.cells(),
            reads(now),
            (k, i, j) -> Math.abs(now.at(k) - solution(i, j, width)));
    double sum = mesh.sum("sum", grid.cells(), reads(now), k -> now.at(k));
    long fingerprint = new Fingerprint(mesh).add(grid.cells(), now).value();
    return new PoissonResult(steps, change, error, sum, fingerprint);
  }
}
