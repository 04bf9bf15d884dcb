// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.cloverleaf;

import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;

import org.cairn.mesh.Field;
import org.cairn.mesh.Line;
import org.cairn.mesh.Stencil;

/** Loops that map mass and energy back to the cells, along one axis. */
final class CellSweep {
  private static final Stencil ALONG_X = Stencil.of2D(0, 0, 1, 0, -1, 0, -2, 0);
  private static final Stencil ALONG_Y = Stencil.of2D(0, 0, 0, 1, 0, -1, 0, -2);
  private static final Stencil WIDTHS = Stencil.of1D(0, 1, -1);

  private final Box b;

  CellSweep(Box box) {
    this.b = box;
  }

  void alongX(boolean first) {
    if (first) {
      volumesOfFirst("advec_cell_volumes_x1", b.volFluxX, b.e, b.volFluxY, b.n);
    } else {
      volumesOfSecond("advec_cell_volumes_x2", b.volFluxX, b.e, Box.TO_EAST);
    }
    fluxesX();
    update("advec_cell_x", b.volFluxX, b.massFluxX, b.e, Box.TO_EAST);
  }

  void alongY(boolean first) {
    if (first) {
      volumesOfFirst("advec_cell_volumes_y1", b.volFluxY, b.n, b.volFluxX, b.e);
    } else {
      volumesOfSecond("advec_cell_volumes_y2", b.volFluxY, b.n, Box.TO_NORTH);
    }
    fluxesY();
    update("advec_cell_y", b.volFluxY, b.massFluxY, b.n, Box.TO_NORTH);
  }

  /**
   * Volumes before the first of two sweeps: both fluxes are still to come. Those along its axis are
   * added first, as in the published program: the last bits depend on it.
   */
  private void volumesOfFirst(String name, Field along, int s, Field across, int t) {
    Field volume = b.volume;
    Field before = b.sweepVolume;
    b.mesh.each(
        name,
        b.around,
        reads(volume),
        reads(along, next(s)),
        reads(across, next(t)),
        writes(before),
        k ->
            before.set(
                k,
                volume.at(k) + (along.at(k + s) - along.at(k) + across.at(k + t) - across.at(k))));
  }

  private Stencil next(int distance) {
    return distance == b.e ? Box.TO_EAST : Box.TO_NORTH;
  }

  private void volumesOfSecond(String name, Field flux, int s, Stencil ends) {
    Field volume = b.volume;
    Field before = b.sweepVolume;
    b.mesh.each(
        name,
        b.around,
        reads(volume),
        reads(flux, ends),
        writes(before),
        k -> before.set(k, volume.at(k) + flux.at(k + s) - flux.at(k)));
  }

  private void fluxesX() {
    Field volFlux = b.volFluxX;
    Field massFlux = b.massFluxX;
    Field energyFlux = b.energyFlux;
    Field before = b.sweepVolume;
    Field density = b.density1;
    Field energy = b.energy1;
    Line width = b.vertexdx;
    int last = b.nx + 1;
    int e = b.e;
    b.mesh.each(
        "advec_cell_flux_x",
        b.grid.range(0, b.nx + 2, 0, b.ny),
        reads(volFlux),
        reads(before, Box.TO_WEST),
        reads(ALONG_X, density, energy).and(reads(width, WIDTHS)),
        writes(massFlux, energyFlux),
        (k, i, j) -> {
          boolean forward = volFlux.at(k) > 0;
          int beyond = i < last ? 1 : 0;
          int upwind = forward ? k - 2 * e : k + beyond * e;
          int donor = forward ? k - e : k;
          int downwind = forward ? k : k - e;
          double ratio = width.at(i) / width.at(forward ? i - 1 : i + beyond);
          double moved = Math.abs(volFlux.at(k)) / before.at(donor);
          double s3 = (1 + moved) * ratio;
          double s4 = 2 - moved;
          double mass =
              volFlux.at(k)
                  * (density.at(donor) + limited(density, upwind, donor, downwind, moved, s3, s4));
          double movedMass = Math.abs(mass) / (density.at(donor) * before.at(donor));
          massFlux.set(k, mass);
          energyFlux.set(
              k,
              mass
                  * (energy.at(donor)
                      + limited(energy, upwind, donor, downwind, movedMass, s3, s4)));
        });
  }

  private void fluxesY() {
    Field volFlux = b.volFluxY;
    Field massFlux = b.massFluxY;
    Field energyFlux = b.energyFlux;
    Field before = b.sweepVolume;
    Field density = b.density1;
    Field energy = b.energy1;
    Line width = b.vertexdy;
    int last = b.ny + 1;
    int n = b.n;
    b.mesh.each(
        "advec_cell_flux_y",
        b.grid.range(0, b.nx, 0, b.ny + 2),
        reads(volFlux),
        reads(before, Box.TO_SOUTH),
        reads(ALONG_Y, density, energy).and(reads(width, WIDTHS)),
        writes(massFlux, energyFlux),
        (k, i, j) -> {
          boolean forward = volFlux.at(k) > 0;
          int beyond = j < last ? 1 : 0;
          int upwind = forward ? k - 2 * n : k + beyond * n;
          int donor = forward ? k - n : k;
          int downwind = forward ? k : k - n;
          double ratio = width.at(j) / width.at(forward ? j - 1 : j + beyond);
          double moved = Math.abs(volFlux.at(k)) / before.at(donor);
          double s3 = (1 + moved) * ratio;
          double s4 = 2 - moved;
          double mass =
              volFlux.at(k)
                  * (density.at(donor) + limited(density, upwind, donor, downwind, moved, s3, s4));
          double movedMass = Math.abs(mass) / (density.at(donor) * before.at(donor));
          massFlux.set(k, mass);
          energyFlux.set(
              k,
              mass
                  * (energy.at(donor)
                      + limited(energy, upwind, donor, downwind, movedMass, s3, s4)));
        });
  }

  /** By how much the face differs from the donor (van Leer). */
  private static double limited(
      Field field, int upwind, int donor, int downwind, double moved, double s3, double s4) {
    double up = field.at(donor) - field.at(upwind);
    double down = field.at(downwind) - field.at(donor);
    if (up * down > 0) {
      double au = Math.abs(up);
      double ad = Math.abs(down);
      return (1 - moved)
          * Math.copySign(1.0, down)
          * Math.min(Math.min(au, ad), 1.0 / 6.0 * (s3 * au + s4 * ad));
    }
    return 0;
  }

  private void update(String name, Field volFlux, Field massFlux, int s, Stencil ends) {
    Field energyFlux = b.energyFlux;
    Field before = b.sweepVolume;
    Field density = b.density1;
    Field energy = b.energy1;
    b.mesh.each(
        name,
        b.cells,
        reads(ends, volFlux, massFlux, energyFlux),
        reads(before),
        updates(density, energy),
        k -> {
          double m0 = density.at(k) * before.at(k);
          double m1 = m0 + massFlux.at(k) - massFlux.at(k + s);
          energy.set(k, (energy.at(k) * m0 + energyFlux.at(k) - energyFlux.at(k + s)) / m1);
          density.set(k, m1 / (before.at(k) + volFlux.at(k) - volFlux.at(k + s)));
        });
  }
}
