// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh.clover;

/** Loops that follow the gas: work done on cells, forces on corners, what passes the faces. */
final class Motion {
  private Motion() {}

  /** Half a step ahead, with the velocities as they were. */
  static void predict(CloverFields f, double dt, int from, int to) {
    compress(f, f.xvel0, f.yvel0, dt, .5, from, to);
  }

  /** All of the step, with the mean of the velocities before and after. */
  static void correct(CloverFields f, double dt, int from, int to) {
    compress(f, f.xvel1, f.yvel1, dt, 1, from, to);
  }

  private static void compress(
      CloverFields f, double[] u1, double[] v1, double dt, double part, int from, int to) {
    double[] u0 = f.xvel0;
    double[] v0 = f.yvel0;
    double[] xarea = f.xarea;
    double[] yarea = f.yarea;
    double[] volume = f.volume;
    double[] pressure = f.pressure;
    double[] viscosity = f.viscosity;
    double[] density0 = f.density0;
    double[] density1 = f.density1;
    double[] energy0 = f.energy0;
    double[] energy1 = f.energy1;
    int n = f.pitch;
    for (int j = from; j < to; j++) {
      int row = f.at(0, j);
      for (int k = row; k < row + f.nx; k++) {
        double left = xarea[k] * (u0[k] + u0[k + n] + u1[k] + u1[k + n]) * .25 * dt * part;
        double right =
            xarea[k + 1]
                * (u0[k + 1] + u0[k + n + 1] + u1[k + 1] + u1[k + n + 1])
                * .25
                * dt
                * part;
        double bottom = yarea[k] * (v0[k] + v0[k + 1] + v1[k] + v1[k + 1]) * .25 * dt * part;
        double top =
            yarea[k + n]
                * (v0[k + n] + v0[k + n + 1] + v1[k + n] + v1[k + n + 1])
                * .25
                * dt
                * part;
        double total = right - left + top - bottom;
        double change = volume[k] / (volume[k] + total);
        double work =
            (pressure[k] / density0[k] + viscosity[k] / density0[k]) * total * (1 / volume[k]);
        energy1[k] = energy0[k] - work;
        density1[k] = density0[k] * change;
      }
    }
  }

  static void revert(CloverFields f, int from, int to) {
    copy(f, f.density0, f.density1, f.nx, from, to);
    copy(f, f.energy0, f.energy1, f.nx, from, to);
  }

  static void resetCells(CloverFields f, int from, int to) {
    copy(f, f.density1, f.density0, f.nx, from, to);
    copy(f, f.energy1, f.energy0, f.nx, from, to);
  }

  static void resetCorners(CloverFields f, int from, int to) {
    copy(f, f.xvel1, f.xvel0, f.nx + 1, from, to);
    copy(f, f.yvel1, f.yvel0, f.nx + 1, from, to);
  }

  private static void copy(
      CloverFields f, double[] source, double[] target, int width, int from, int to) {
    for (int j = from; j < to; j++) {
      System.arraycopy(source, f.at(0, j), target, f.at(0, j), width);
    }
  }

  static void accelerate(CloverFields f, double dt, int from, int to) {
    double[] xarea = f.xarea;
    double[] yarea = f.yarea;
    double[] volume = f.volume;
    double[] density = f.density0;
    double[] p = f.pressure;
    double[] q = f.viscosity;
    double[] u0 = f.xvel0;
    double[] v0 = f.yvel0;
    double[] u1 = f.xvel1;
    double[] v1 = f.yvel1;
    int n = f.pitch;
    double half = .5 * dt;
    for (int j = from; j < to; j++) {
      int row = f.at(0, j);
      for (int k = row; k <= row + f.nx; k++) {
        double mass =
            (density[k - n - 1] * volume[k - n - 1]
                    + density[k - n] * volume[k - n]
                    + density[k] * volume[k]
                    + density[k - 1] * volume[k - 1])
                * .25;
        double s = half / mass;
        double u =
            u0[k] - s * (xarea[k] * (p[k] - p[k - 1]) + xarea[k - n] * (p[k - n] - p[k - n - 1]));
        double v =
            v0[k] - s * (yarea[k] * (p[k] - p[k - n]) + yarea[k - 1] * (p[k - 1] - p[k - n - 1]));
        u1[k] = u - s * (xarea[k] * (q[k] - q[k - 1]) + xarea[k - n] * (q[k - n] - q[k - n - 1]));
        v1[k] = v - s * (yarea[k] * (q[k] - q[k - n]) + yarea[k - 1] * (q[k - 1] - q[k - n - 1]));
      }
    }
  }

  static void fluxX(CloverFields f, double dt, int from, int to) {
    double[] area = f.xarea;
    double[] u0 = f.xvel0;
    double[] u1 = f.xvel1;
    double[] flux = f.volFluxX;
    int n = f.pitch;
    for (int j = from; j < to; j++) {
      int row = f.at(0, j);
      for (int k = row; k <= row + f.nx; k++) {
        flux[k] = .25 * dt * area[k] * (u0[k] + u0[k + n] + u1[k] + u1[k + n]);
      }
    }
  }

  static void fluxY(CloverFields f, double dt, int from, int to) {
    double[] area = f.yarea;
    double[] v0 = f.yvel0;
    double[] v1 = f.yvel1;
    double[] flux = f.volFluxY;
    for (int j = from; j < to; j++) {
      int row = f.at(0, j);
      for (int k = row; k < row + f.nx; k++) {
        flux[k] = .25 * dt * area[k] * (v0[k] + v0[k + 1] + v1[k] + v1[k + 1]);
      }
    }
  }
}
