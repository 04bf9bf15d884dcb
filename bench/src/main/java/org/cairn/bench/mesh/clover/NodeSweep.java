// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh.clover;

/** Loops that map momentum back to the corners, along one axis. */
final class NodeSweep {
  private NodeSweep() {}

  /** Volumes after the first of two sweeps, along x: what passes along y is still to come. */
  static void volumesOfFirstX(CloverFields f, int from, int to) {
    double[] volume = f.volume;
    double[] y = f.volFluxY;
    double[] after = f.sweepVolume;
    int n = f.pitch;
    for (int j = from; j < to; j++) {
      int row = f.at(-CloverFields.HALO, j);
      for (int k = row; k < row + f.nx + 2 * CloverFields.HALO; k++) {
        after[k] = volume[k] + y[k + n] - y[k];
      }
    }
  }

  /** Volumes after the first of two sweeps, along y. */
  static void volumesOfFirstY(CloverFields f, int from, int to) {
    double[] volume = f.volume;
    double[] x = f.volFluxX;
    double[] after = f.sweepVolume;
    for (int j = from; j < to; j++) {
      int row = f.at(-CloverFields.HALO, j);
      for (int k = row; k < row + f.nx + 2 * CloverFields.HALO; k++) {
        after[k] = volume[k] + x[k + 1] - x[k];
      }
    }
  }

  /** Volumes after the second of two sweeps: those of the cells. */
  static void volumesOfSecond(CloverFields f, int from, int to) {
    for (int j = from; j < to; j++) {
      int row = f.at(-CloverFields.HALO, j);
      System.arraycopy(f.volume, row, f.sweepVolume, row, f.nx + 2 * CloverFields.HALO);
    }
  }

  static void fluxX(CloverFields f, int from, int to) {
    double[] mass = f.massFluxX;
    double[] flux = f.nodeFlux;
    int n = f.pitch;
    for (int j = from; j < to; j++) {
      int row = f.at(-2, j);
      for (int k = row; k < row + f.nx + 4; k++) {
        flux[k] = .25 * (mass[k - n] + mass[k] + mass[k - n + 1] + mass[k + 1]);
      }
    }
  }

  static void fluxY(CloverFields f, int from, int to) {
    double[] mass = f.massFluxY;
    double[] flux = f.nodeFlux;
    int n = f.pitch;
    for (int j = from; j < to; j++) {
      int row = f.at(0, j);
      for (int k = row; k <= row + f.nx; k++) {
        flux[k] = .25 * (mass[k - 1] + mass[k] + mass[k + n - 1] + mass[k + n]);
      }
    }
  }

  static void massX(CloverFields f, int from, int to) {
    double[] density = f.density1;
    double[] volume = f.sweepVolume;
    double[] flux = f.nodeFlux;
    double[] after = f.nodeMassAfter;
    double[] before = f.nodeMassBefore;
    int n = f.pitch;
    for (int j = from; j < to; j++) {
      int row = f.at(-1, j);
      for (int k = row; k < row + f.nx + 3; k++) {
        double mass =
            .25
                * (density[k - n] * volume[k - n]
                    + density[k] * volume[k]
                    + density[k - n - 1] * volume[k - n - 1]
                    + density[k - 1] * volume[k - 1]);
        after[k] = mass;
        before[k] = mass - flux[k - 1] + flux[k];
      }
    }
  }

  static void massY(CloverFields f, int from, int to) {
    double[] density = f.density1;
    double[] volume = f.sweepVolume;
    double[] flux = f.nodeFlux;
    double[] after = f.nodeMassAfter;
    double[] before = f.nodeMassBefore;
    int n = f.pitch;
    for (int j = from; j < to; j++) {
      int row = f.at(0, j);
      for (int k = row; k <= row + f.nx; k++) {
        double mass =
            .25
                * (density[k - n] * volume[k - n]
                    + density[k] * volume[k]
                    + density[k - n - 1] * volume[k - n - 1]
                    + density[k - 1] * volume[k - 1]);
        after[k] = mass;
        before[k] = mass - flux[k - n] + flux[k];
      }
    }
  }

  static void momentumX(CloverFields f, double[] velocity, int from, int to) {
    double[] nodeFlux = f.nodeFlux;
    double[] mass = f.nodeMassBefore;
    double[] momentum = f.momentumFlux;
    double[] celldx = f.celldx;
    for (int j = from; j < to; j++) {
      int row = f.at(0, j);
      for (int i = -1; i <= f.nx; i++) {
        int k = row + i;
        boolean back = nodeFlux[k] < 0;
        int upwind = back ? k + 2 : k - 1;
        int donor = back ? k + 1 : k;
        int downwind = back ? k : k + 1;
        double width = celldx[i + CloverFields.HALO];
        double behind = celldx[(back ? i + 1 : i - 1) + CloverFields.HALO];
        double moved = Math.abs(nodeFlux[k]) / mass[donor];
        double slope = limited(velocity, upwind, donor, downwind, moved, width, behind);
        momentum[k] = (velocity[donor] + (1 - moved) * slope) * nodeFlux[k];
      }
    }
  }

  static void momentumY(CloverFields f, double[] velocity, int from, int to) {
    double[] nodeFlux = f.nodeFlux;
    double[] mass = f.nodeMassBefore;
    double[] momentum = f.momentumFlux;
    double[] celldy = f.celldy;
    int n = f.pitch;
    for (int j = from; j < to; j++) {
      double width = celldy[j + CloverFields.HALO];
      double below = celldy[j - 1 + CloverFields.HALO];
      double above = celldy[j + 1 + CloverFields.HALO];
      int row = f.at(0, j);
      for (int k = row; k <= row + f.nx; k++) {
        boolean back = nodeFlux[k] < 0;
        int upwind = back ? k + 2 * n : k - n;
        int donor = back ? k + n : k;
        int downwind = back ? k : k + n;
        double moved = Math.abs(nodeFlux[k]) / mass[donor];
        double slope =
            limited(velocity, upwind, donor, downwind, moved, width, back ? above : below);
        momentum[k] = (velocity[donor] + (1 - moved) * slope) * nodeFlux[k];
      }
    }
  }

  private static double limited(
      double[] velocity,
      int upwind,
      int donor,
      int downwind,
      double moved,
      double width,
      double behind) {
    double up = velocity[donor] - velocity[upwind];
    double down = velocity[downwind] - velocity[donor];
    if (up * down > 0) {
      double au = Math.abs(up);
      double ad = Math.abs(down);
      double mixed = width * ((2 - moved) * ad / width + (1 + moved) * au / behind) / 6;
      double least = Math.min(Math.min(mixed, au), ad);
      return down > 0 ? least : -least;
    }
    return 0;
  }

  static void updateX(CloverFields f, double[] velocity, int from, int to) {
    double[] before = f.nodeMassBefore;
    double[] after = f.nodeMassAfter;
    double[] momentum = f.momentumFlux;
    for (int j = from; j < to; j++) {
      int row = f.at(0, j);
      for (int k = row; k <= row + f.nx; k++) {
        velocity[k] = (velocity[k] * before[k] + momentum[k - 1] - momentum[k]) / after[k];
      }
    }
  }

  static void updateY(CloverFields f, double[] velocity, int from, int to) {
    double[] before = f.nodeMassBefore;
    double[] after = f.nodeMassAfter;
    double[] momentum = f.momentumFlux;
    int n = f.pitch;
    for (int j = from; j < to; j++) {
      int row = f.at(0, j);
      for (int k = row; k <= row + f.nx; k++) {
        velocity[k] = (velocity[k] * before[k] + momentum[k - n] - momentum[k]) / after[k];
      }
    }
  }
}
