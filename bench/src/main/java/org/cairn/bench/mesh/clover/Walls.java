// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh.clover;

/**
 * Walls that reflect: the layers around the grid mirror what is inside. Bottom and top come first,
 * then left and right over their corners.
 */
final class Walls {
  private final CloverFields f;
  private final RowThreads rows;

  Walls(CloverFields f, RowThreads rows) {
    this.f = f;
    this.rows = rows;
  }

  void ofCells(double[] field, int depth) {
    mirrorRows(field, f.nx, Mirror.ofCells(f.ny), depth);
    mirrorColumns(field, f.ny, Mirror.ofCells(f.nx), depth);
  }

  /** Of velocities along x, which the walls left and right turn round. */
  void ofVelocityX(double[] field, int depth) {
    mirrorRows(field, f.nx + 1, Mirror.ofNodes(f.ny, 1), depth);
    mirrorColumns(field, f.ny + 1, Mirror.ofNodes(f.nx, -1), depth);
  }

  void ofVelocityY(double[] field, int depth) {
    mirrorRows(field, f.nx + 1, Mirror.ofNodes(f.ny, -1), depth);
    mirrorColumns(field, f.ny + 1, Mirror.ofNodes(f.nx, 1), depth);
  }

  /** Of what passes faces along x. */
  void ofFluxX(double[] field, int depth) {
    mirrorRows(field, f.nx + 1, Mirror.ofOtherFaces(f.ny), depth);
    mirrorColumns(field, f.ny, Mirror.ofNodes(f.nx, -1), depth);
  }

  void ofFluxY(double[] field, int depth) {
    mirrorRows(field, f.nx, Mirror.ofNodes(f.ny, -1), depth);
    mirrorColumns(field, f.ny + 1, Mirror.ofOtherFaces(f.nx), depth);
  }

  /**
   * Which index mirrors which: {@code low − m} is {@code lowInside + m} and {@code high + m} is
   * {@code highInside − m}, times {@code sign}, for m from 0.
   */
  private record Mirror(int lowInside, int high, int highInside, double sign) {
    private static final int LOW = -1;

    static Mirror ofCells(int n) {
      return new Mirror(0, n, n - 1, 1);
    }

    static Mirror ofNodes(int n, double sign) {
      return new Mirror(1, n + 1, n - 1, sign);
    }

    /**
     * Fluxes along the other axis: about cell 0 and cell n − 1, as the published program has it.
     */
    static Mirror ofOtherFaces(int n) {
      return new Mirror(1, n, n - 2, 1);
    }
  }

  private void mirrorRows(double[] field, int width, Mirror mirror, int depth) {
    for (int m = 0; m < depth; m++) {
      copyRow(field, Mirror.LOW - m, mirror.lowInside + m, width, mirror.sign, depth);
    }
    for (int m = 0; m < depth; m++) {
      copyRow(field, mirror.high + m, mirror.highInside - m, width, mirror.sign, depth);
    }
  }

  private void copyRow(double[] field, int to, int from, int width, double sign, int depth) {
    int target = f.at(-depth, to);
    int source = f.at(-depth, from);
    for (int k = 0; k < width + 2 * depth; k++) {
      field[target + k] = sign * field[source + k];
    }
  }

  private void mirrorColumns(double[] field, int height, Mirror mirror, int depth) {
    rows.each(
        -depth,
        height + depth,
        (from, to) -> {
          for (int j = from; j < to; j++) {
            int row = f.at(0, j);
            for (int m = 0; m < depth; m++) {
              field[row + Mirror.LOW - m] = mirror.sign * field[row + mirror.lowInside + m];
            }
            for (int m = 0; m < depth; m++) {
              field[row + mirror.high + m] = mirror.sign * field[row + mirror.highInside - m];
            }
          }
        });
  }
}
