// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh;

import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.writes;
import static org.cairn.mesh.Stencil.STAR;

import org.cairn.bench.mesh.clover.RowThreads;
import org.cairn.mesh.Field;
import org.cairn.mesh.Grid;
import org.cairn.mesh.Mesh;

/**
 * Heat that spreads in a cube, with fixed values around it: each cell becomes a mixture of itself
 * and its six neighbours, then the new values are copied.
 */
final class SevenPoints {
  private static final double SELF = .4;
  private static final double OTHER = .1;

  private SevenPoints() {}

  private static double start(int i, int j, int l) {
    return l < 0 ? 100 : (i * 7 + j * 13 + l * 29) % 50;
  }

  /** Over arrays. */
  static final class ByHand implements Program {
    private final int n;
    private final int pitch;
    private final int plane;
    private final double[] u;
    private final double[] v;
    private final RowThreads rows;

    ByHand(int n, int threads) {
      this.n = n;
      this.pitch = n + 3;
      this.plane = pitch * pitch;
      this.u = new double[plane * pitch];
      this.v = new double[plane * pitch];
      this.rows = new RowThreads(threads);
      for (int l = -1; l <= n; l++) {
        for (int j = -1; j <= n; j++) {
          for (int i = -1; i <= n; i++) {
            u[at(i, j, l)] = start(i, j, l);
          }
        }
      }
    }

    private int at(int i, int j, int l) {
      return (l + 1) * plane + (j + 1) * pitch + i + 1;
    }

    @Override
    public void step() {
      rows.each(0, n, this::spread);
      rows.each(0, n, this::copy);
    }

    private void spread(int from, int to) {
      double[] a = u;
      double[] b = v;
      for (int l = from; l < to; l++) {
        for (int j = 0; j < n; j++) {
          int end = at(n, j, l);
          for (int k = at(0, j, l); k < end; k++) {
            b[k] =
                SELF * a[k]
                    + OTHER
                        * (a[k - 1]
                            + a[k + 1]
                            + a[k - pitch]
                            + a[k + pitch]
                            + a[k - plane]
                            + a[k + plane]);
          }
        }
      }
    }

    private void copy(int from, int to) {
      double[] a = u;
      double[] b = v;
      for (int l = from; l < to; l++) {
        for (int j = 0; j < n; j++) {
          int end = at(n, j, l);
          for (int k = at(0, j, l); k < end; k++) {
            a[k] = b[k];
          }
        }
      }
    }

    @Override
    public double value() {
      return u[at(n / 2, n / 2, 1)];
    }

    @Override
    public void close() {
      rows.close();
    }
  }

  /** As loops of a mesh, which belongs to it. */
  static final class OfMesh implements Program {
    private final Mesh mesh;
    private final Grid grid;
    private final Field u;
    private final Field v;
    private final int n;

    OfMesh(Mesh mesh, int n) {
      this.mesh = mesh;
      this.n = n;
      this.grid = mesh.grid("cube", n, n, n).halo(1);
      this.u = grid.field("u");
      this.v = grid.field("v");
      Field first = u;
      mesh.each(
          "start",
          grid.range(-1, n + 1, -1, n + 1, -1, n + 1),
          writes(first),
          (k, i, j, l) -> first.set(k, start(i, j, l)));
      mesh.ready();
    }

    @Override
    public void step() {
      Field a = u;
      Field b = v;
      int x = grid.east();
      int y = grid.north();
      int z = grid.up();
      mesh.each(
          "spread",
          grid.cells(),
          reads(a, STAR),
          writes(b),
          k ->
              b.set(
                  k,
                  SELF * a.at(k)
                      + OTHER
                          * (a.at(k - x)
                              + a.at(k + x)
                              + a.at(k - y)
                              + a.at(k + y)
                              + a.at(k - z)
                              + a.at(k + z))));
      mesh.each("copy", grid.cells(), reads(b), writes(a), k -> a.set(k, b.at(k)));
    }

    @Override
    public double value() {
      return mesh.fetch(u, n / 2, n / 2, 1);
    }

    @Override
    public void close() {
      mesh.close();
    }
  }
}
