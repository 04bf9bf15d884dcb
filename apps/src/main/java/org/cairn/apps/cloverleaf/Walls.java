// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.cloverleaf;

import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.writes;

import java.util.ArrayList;
import java.util.List;
import org.cairn.mesh.Field;
import org.cairn.mesh.Grid;
import org.cairn.mesh.Mesh;
import org.cairn.mesh.Range;
import org.cairn.mesh.Stencil;

/**
 * Walls that reflect: the layers around the box mirror what is inside. Bottom and top come first,
 * then left and right over their corners. Each layer is a loop of its own that reads nothing but
 * the layer it mirrors, so that what was in it before is known to be dead.
 */
final class Walls {
  private final Mesh mesh;
  private final Grid grid;
  private final int n;
  private final List<List<Strip>> cells = new ArrayList<>();
  private final List<List<Strip>> xVelocities = new ArrayList<>();
  private final List<List<Strip>> yVelocities = new ArrayList<>();
  private final List<List<Strip>> xFluxes = new ArrayList<>();
  private final List<List<Strip>> yFluxes = new ArrayList<>();

  /** A layer that mirrors the one at this distance, or its negative. */
  private record Strip(Range range, Stencil source, int distance, boolean turned) {}

  Walls(Box b) {
    this.mesh = b.mesh;
    this.grid = b.grid;
    this.n = b.n;
    int nx = b.nx;
    int ny = b.ny;
    for (int depth = 1; depth <= 2; depth++) {
      cells.add(strips(nx, ny, Mirror.ofCells(nx), Mirror.ofCells(ny), depth));
      // The walls left and right turn round what goes along x, the others what goes along y.
      xVelocities.add(
          strips(nx + 1, ny + 1, Mirror.ofNodes(nx, true), Mirror.ofNodes(ny, false), depth));
      yVelocities.add(
          strips(nx + 1, ny + 1, Mirror.ofNodes(nx, false), Mirror.ofNodes(ny, true), depth));
      xFluxes.add(strips(nx + 1, ny, Mirror.ofNodes(nx, true), Mirror.ofOtherFaces(ny), depth));
      yFluxes.add(strips(nx, ny + 1, Mirror.ofOtherFaces(nx), Mirror.ofNodes(ny, true), depth));
    }
  }

  void ofCells(Field field, int depth) {
    reflect(cells.get(depth - 1), field);
  }

  void ofVelocityX(Field field, int depth) {
    reflect(xVelocities.get(depth - 1), field);
  }

  void ofVelocityY(Field field, int depth) {
    reflect(yVelocities.get(depth - 1), field);
  }

  /** Of what passes faces along x. */
  void ofFluxX(Field field, int depth) {
    reflect(xFluxes.get(depth - 1), field);
  }

  void ofFluxY(Field field, int depth) {
    reflect(yFluxes.get(depth - 1), field);
  }

  private void reflect(List<Strip> strips, Field f) {
    for (Strip strip : strips) {
      int d = strip.distance;
      if (strip.turned) {
        mesh.each(
            "turn", strip.range, reads(f, strip.source), writes(f), k -> f.set(k, -f.at(k + d)));
      } else {
        mesh.each(
            "mirror", strip.range, reads(f, strip.source), writes(f), k -> f.set(k, f.at(k + d)));
      }
    }
  }

  /**
   * Which index mirrors which: {@code −1 − m} is {@code lowInside + m} and {@code high + m} is
   * {@code highInside − m}, for m from 0.
   */
  private record Mirror(int lowInside, int high, int highInside, boolean turned) {

    static Mirror ofCells(int n) {
      return new Mirror(0, n, n - 1, false);
    }

    static Mirror ofNodes(int n, boolean turned) {
      return new Mirror(1, n + 1, n - 1, turned);
    }

    /**
     * Fluxes along the other axis: about cell 0 and cell n − 1, as the published program has it.
     */
    static Mirror ofOtherFaces(int n) {
      return new Mirror(1, n, n - 2, false);
    }
  }

  private List<Strip> strips(int width, int height, Mirror x, Mirror y, int depth) {
    List<Strip> all = new ArrayList<>();
    for (int m = 0; m < depth; m++) {
      all.add(row(width, -1 - m, y.lowInside + m, y.turned, depth));
    }
    for (int m = 0; m < depth; m++) {
      all.add(row(width, y.high + m, y.highInside - m, y.turned, depth));
    }
    for (int m = 0; m < depth; m++) {
      all.add(column(height, -1 - m, x.lowInside + m, x.turned, depth));
    }
    for (int m = 0; m < depth; m++) {
      all.add(column(height, x.high + m, x.highInside - m, x.turned, depth));
    }
    return all;
  }

  private Strip row(int width, int to, int from, boolean turned, int depth) {
    Range range = grid.range(-depth, width + depth, to, to + 1);
    return new Strip(range, Stencil.of2D(0, from - to), (from - to) * n, turned);
  }

  private Strip column(int height, int to, int from, boolean turned, int depth) {
    Range range = grid.range(to, to + 1, -depth, height + depth);
    return new Strip(range, Stencil.of2D(from - to, 0), from - to, turned);
  }
}
