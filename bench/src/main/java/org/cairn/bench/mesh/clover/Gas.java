// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh.clover;

/** Loops over cells: what the gas is like, and how long a step may be. */
final class Gas {
  /** As the published program has them: literals of single precision, widened. */
  private static final double SMALL = 1.0e-16f;

  private static final double BIG = 1.0e21f;

  private static final double SAFE_SOUND = .7;
  private static final double SAFE_VELOCITY = .5;
  private static final double SAFE_DIVERGENCE = .7;

  private Gas() {}

  static void ideal(CloverFields f, double[] density, double[] energy, int from, int to) {
    double[] pressure = f.pressure;
    double[] soundspeed = f.soundspeed;
    for (int j = from; j < to; j++) {
      int row = f.at(0, j);
      for (int k = row; k < row + f.nx; k++) {
        double v = 1 / density[k];
        double p = (1.4 - 1.0) * density[k] * energy[k];
        double byEnergy = (1.4 - 1.0) * density[k];
        double byVolume = -density[k] * p;
        pressure[k] = p;
        soundspeed[k] = Math.sqrt(v * v * (p * byEnergy - byVolume));
      }
    }
  }

  static void viscosity(CloverFields f, int from, int to) {
    double[] u = f.xvel0;
    double[] v = f.yvel0;
    double[] pressure = f.pressure;
    double[] density = f.density0;
    double[] viscosity = f.viscosity;
    double[] celldx = f.celldx;
    double[] celldy = f.celldy;
    int north = f.pitch;
    for (int j = from; j < to; j++) {
      double dy = celldy[j + CloverFields.HALO];
      int row = f.at(0, j);
      for (int i = 0; i < f.nx; i++) {
        int k = row + i;
        double dx = celldx[i + CloverFields.HALO];
        double ugrad = (u[k + 1] + u[k + north + 1]) - (u[k] + u[k + north]);
        double vgrad = (v[k + north] + v[k + north + 1]) - (v[k] + v[k + 1]);
        double div = dx * ugrad + dy * vgrad;
        double strain =
            .5 * (u[k + north] + u[k + north + 1] - u[k] - u[k + 1]) / dy
                + .5 * (v[k + 1] + v[k + north + 1] - v[k] - v[k + north]) / dx;
        double px = (pressure[k + 1] - pressure[k - 1]) / (dx + dx);
        double py = (pressure[k + north] - pressure[k - north]) / (dy + dy);
        double px2 = px * px;
        double py2 = py * py;
        double limiter =
            ((.5 * ugrad / dx) * px2 + (.5 * vgrad / dy) * py2 + strain * px * py)
                / Math.max(px2 + py2, 1e-16);
        if (limiter > 0 || div >= 0) {
          viscosity[k] = 0;
        } else {
          double sign = px; // of both: a quirk of the published program
          px = Math.copySign(Math.max(1e-16, Math.abs(px)), sign);
          py = Math.copySign(Math.max(1e-16, Math.abs(py)), sign);
          double slope = Math.sqrt(px * px + py * py);
          double length = Math.min(Math.abs(dx * slope / px), Math.abs(dy * slope / py));
          viscosity[k] = 2 * density[k] * (length * length) * limiter * limiter;
        }
      }
    }
  }

  /** The longest step that no cell of these rows forbids. */
  static double timeStep(CloverFields f, int from, int to) {
    double[] u = f.xvel0;
    double[] v = f.yvel0;
    double[] density = f.density0;
    double[] viscosity = f.viscosity;
    double[] soundspeed = f.soundspeed;
    double[] volume = f.volume;
    double[] xarea = f.xarea;
    double[] yarea = f.yarea;
    double[] celldx = f.celldx;
    double[] celldy = f.celldy;
    int north = f.pitch;
    double least = BIG;
    for (int j = from; j < to; j++) {
      double dy = celldy[j + CloverFields.HALO];
      int row = f.at(0, j);
      for (int i = 0; i < f.nx; i++) {
        int k = row + i;
        double c2 = soundspeed[k] * soundspeed[k] + 2 * viscosity[k] / density[k];
        double c = Math.max(Math.sqrt(c2), SMALL);
        double sound = SAFE_SOUND * Math.min(celldx[i + CloverFields.HALO], dy) / c;

        double west = (u[k] + u[k + north]) * xarea[k];
        double east = (u[k + 1] + u[k + north + 1]) * xarea[k + 1];
        double alongX = SAFE_VELOCITY * 2 * volume[k] / fastest(west, east, volume[k]);

        double below = (v[k] + v[k + 1]) * yarea[k];
        double above = (v[k + north] + v[k + north + 1]) * yarea[k + north];
        double alongY = SAFE_VELOCITY * 2 * volume[k] / fastest(below, above, volume[k]);

        double div = (east - west + above - below) / (2 * volume[k]);
        double divergence = div < -SMALL ? SAFE_DIVERGENCE * (-1 / div) : BIG;
        least = Math.min(least, Math.min(Math.min(sound, alongX), Math.min(alongY, divergence)));
      }
    }
    return least;
  }

  private static double fastest(double one, double other, double volume) {
    return Math.max(Math.max(Math.abs(one), Math.abs(other)), SMALL * volume);
  }

  /** Cell after cell, row after row: the order decides the last bits. */
  static CloverTotals totals(CloverFields f) {
    double[] u = f.xvel0;
    double[] v = f.yvel0;
    int north = f.pitch;
    double sumVolume = 0;
    double sumMass = 0;
    double sumPressure = 0;
    double internal = 0;
    double kinetic = 0;
    for (int j = 0; j < f.ny; j++) {
      int row = f.at(0, j);
      for (int k = row; k < row + f.nx; k++) {
        double square =
            .25 * (u[k] * u[k] + v[k] * v[k])
                + .25 * (u[k + 1] * u[k + 1] + v[k + 1] * v[k + 1])
                + .25 * (u[k + north] * u[k + north] + v[k + north] * v[k + north])
                + .25 * (u[k + north + 1] * u[k + north + 1] + v[k + north + 1] * v[k + north + 1]);
        double mass = f.volume[k] * f.density0[k];
        sumVolume += f.volume[k];
        sumMass += mass;
        sumPressure += f.volume[k] * f.pressure[k];
        internal += mass * f.energy0[k];
        kinetic += mass * .5 * square;
      }
    }
    return new CloverTotals(sumVolume, sumMass, sumPressure, internal, kinetic);
  }
}
