// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh.clover;

/** Loops that map mass and energy back to the cells, along one axis. */
final class CellSweep {
  private CellSweep() {}

  /**
   * Volumes before the first of two sweeps, along x: both fluxes are still to come, its own first.
   */
  static void volumesOfFirstX(CloverFields f, int from, int to) {
    double[] volume = f.volume;
    double[] x = f.volFluxX;
    double[] y = f.volFluxY;
    double[] before = f.sweepVolume;
    int n = f.pitch;
    for (int j = from; j < to; j++) {
      int row = f.at(-CloverFields.HALO, j);
      for (int k = row; k < row + f.nx + 2 * CloverFields.HALO; k++) {
        before[k] = volume[k] + (x[k + 1] - x[k] + y[k + n] - y[k]);
      }
    }
  }

  /**
   * Volumes before the first of two sweeps, along y: both fluxes are still to come, its own first.
   */
  static void volumesOfFirstY(CloverFields f, int from, int to) {
    double[] volume = f.volume;
    double[] x = f.volFluxX;
    double[] y = f.volFluxY;
    double[] before = f.sweepVolume;
    int n = f.pitch;
    for (int j = from; j < to; j++) {
      int row = f.at(-CloverFields.HALO, j);
      for (int k = row; k < row + f.nx + 2 * CloverFields.HALO; k++) {
        before[k] = volume[k] + (y[k + n] - y[k] + x[k + 1] - x[k]);
      }
    }
  }

  /** Volumes before the second of two sweeps, along x. */
  static void volumesOfSecondX(CloverFields f, int from, int to) {
    double[] volume = f.volume;
    double[] x = f.volFluxX;
    double[] before = f.sweepVolume;
    for (int j = from; j < to; j++) {
      int row = f.at(-CloverFields.HALO, j);
      for (int k = row; k < row + f.nx + 2 * CloverFields.HALO; k++) {
        before[k] = volume[k] + x[k + 1] - x[k];
      }
    }
  }

  /** Volumes before the second of two sweeps, along y. */
  static void volumesOfSecondY(CloverFields f, int from, int to) {
    double[] volume = f.volume;
    double[] y = f.volFluxY;
    double[] before = f.sweepVolume;
    int n = f.pitch;
    for (int j = from; j < to; j++) {
      int row = f.at(-CloverFields.HALO, j);
      for (int k = row; k < row + f.nx + 2 * CloverFields.HALO; k++) {
        before[k] = volume[k] + y[k + n] - y[k];
      }
    }
  }

  static void fluxesX(CloverFields f, int from, int to) {
    double[] volFlux = f.volFluxX;
    double[] massFlux = f.massFluxX;
    double[] energyFlux = f.energyFlux;
    double[] before = f.sweepVolume;
    double[] density = f.density1;
    double[] energy = f.energy1;
    double[] width = f.vertexdx;
    int last = f.nx + 1;
    for (int j = from; j < to; j++) {
      int row = f.at(0, j);
      for (int i = 0; i <= last; i++) {
        int k = row + i;
        boolean forward = volFlux[k] > 0;
        int beyond = i < last ? 1 : 0;
        int upwind = forward ? k - 2 : k + beyond;
        int donor = forward ? k - 1 : k;
        int downwind = forward ? k : k - 1;
        int behind = forward ? i - 1 : i + beyond;
        double ratio = width[i + CloverFields.HALO] / width[behind + CloverFields.HALO];
        double moved = Math.abs(volFlux[k]) / before[donor];
        double s3 = (1 + moved) * ratio;
        double s4 = 2 - moved;
        double mass =
            volFlux[k]
                * (density[donor] + limited(density, upwind, donor, downwind, moved, s3, s4));
        double movedMass = Math.abs(mass) / (density[donor] * before[donor]);
        massFlux[k] = mass;
        energyFlux[k] =
            mass * (energy[donor] + limited(energy, upwind, donor, downwind, movedMass, s3, s4));
      }
    }
  }

  static void fluxesY(CloverFields f, int from, int to) {
    double[] volFlux = f.volFluxY;
    double[] massFlux = f.massFluxY;
    double[] energyFlux = f.energyFlux;
    double[] before = f.sweepVolume;
    double[] density = f.density1;
    double[] energy = f.energy1;
    double[] width = f.vertexdy;
    int n = f.pitch;
    for (int j = from; j < to; j++) {
      int beyond = j <= f.ny ? 1 : 0;
      double ratioForward = width[j + CloverFields.HALO] / width[j - 1 + CloverFields.HALO];
      double ratioBack = width[j + CloverFields.HALO] / width[j + beyond + CloverFields.HALO];
      int row = f.at(0, j);
      for (int k = row; k < row + f.nx; k++) {
        boolean forward = volFlux[k] > 0;
        int upwind = forward ? k - 2 * n : k + beyond * n;
        int donor = forward ? k - n : k;
        int downwind = forward ? k : k - n;
        double moved = Math.abs(volFlux[k]) / before[donor];
        double s3 = (1 + moved) * (forward ? ratioForward : ratioBack);
        double s4 = 2 - moved;
        double mass =
            volFlux[k]
                * (density[donor] + limited(density, upwind, donor, downwind, moved, s3, s4));
        double movedMass = Math.abs(mass) / (density[donor] * before[donor]);
        massFlux[k] = mass;
        energyFlux[k] =
            mass * (energy[donor] + limited(energy, upwind, donor, downwind, movedMass, s3, s4));
      }
    }
  }

  /** By how much the face differs from the donor (van Leer). */
  private static double limited(
      double[] field, int upwind, int donor, int downwind, double moved, double s3, double s4) {
    double up = field[donor] - field[upwind];
    double down = field[downwind] - field[donor];
    if (up * down > 0) {
      double au = Math.abs(up);
      double ad = Math.abs(down);
      return (1 - moved)
          * Math.copySign(1.0, down)
          * Math.min(Math.min(au, ad), 1.0 / 6.0 * (s3 * au + s4 * ad));
    }
    return 0;
  }

  static void updateX(CloverFields f, int from, int to) {
    double[] volFlux = f.volFluxX;
    double[] massFlux = f.massFluxX;
    double[] energyFlux = f.energyFlux;
    double[] before = f.sweepVolume;
    double[] density = f.density1;
    double[] energy = f.energy1;
    for (int j = from; j < to; j++) {
      int row = f.at(0, j);
      for (int k = row; k < row + f.nx; k++) {
        double m0 = density[k] * before[k];
        double m1 = m0 + massFlux[k] - massFlux[k + 1];
        energy[k] = (energy[k] * m0 + energyFlux[k] - energyFlux[k + 1]) / m1;
        density[k] = m1 / (before[k] + volFlux[k] - volFlux[k + 1]);
      }
    }
  }

  static void updateY(CloverFields f, int from, int to) {
    double[] volFlux = f.volFluxY;
    double[] massFlux = f.massFluxY;
    double[] energyFlux = f.energyFlux;
    double[] before = f.sweepVolume;
    double[] density = f.density1;
    double[] energy = f.energy1;
    int n = f.pitch;
    for (int j = from; j < to; j++) {
      int row = f.at(0, j);
      for (int k = row; k < row + f.nx; k++) {
        double m0 = density[k] * before[k];
        double m1 = m0 + massFlux[k] - massFlux[k + n];
        energy[k] = (energy[k] * m0 + energyFlux[k] - energyFlux[k + n]) / m1;
        density[k] = m1 / (before[k] + volFlux[k] - volFlux[k + n]);
      }
    }
  }
}
