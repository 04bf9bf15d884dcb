// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.cloverleaf;

import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;

import org.cairn.mesh.Field;
import org.cairn.mesh.Line;
import org.cairn.mesh.Range;
import org.cairn.mesh.Stencil;

/** Loops that map momentum back to the corners, along one axis. */
final class NodeSweep {
  private static final Stencil X_FACES_AROUND = Stencil.of2D(0, -1, 0, 0, 1, -1, 1, 0);
  private static final Stencil Y_FACES_AROUND = Stencil.of2D(-1, 0, 0, 0, -1, 1, 0, 1);
  private static final Stencil ALONG_X = Stencil.of2D(0, 0, 1, 0, 2, 0, -1, 0);
  private static final Stencil ALONG_Y = Stencil.of2D(0, 0, 0, 1, 0, 2, 0, -1);
  private static final Stencil WIDTHS = Stencil.of1D(0, 1, -1);

  private final Box b;

  NodeSweep(Box box) {
    this.b = box;
  }

  void alongX(boolean first) {
    int nx = b.nx;
    int ny = b.ny;
    if (first) {
      volumesOfFirst("advec_mom_volumes_x1", b.volFluxY, b.n, Box.TO_NORTH);
    } else {
      volumesOfSecond();
    }
    flux(b.grid.range(-2, nx + 2, 0, ny + 1), b.massFluxX, b.e, b.n, X_FACES_AROUND);
    mass(b.grid.range(-1, nx + 2, 0, ny + 1), b.e, Box.TO_WEST);
    for (Field velocity : new Field[] {b.xvel1, b.yvel1}) {
      momentumX(velocity);
      update(velocity, b.e, Box.TO_WEST);
    }
  }

  void alongY(boolean first) {
    int nx = b.nx;
    int ny = b.ny;
    if (first) {
      volumesOfFirst("advec_mom_volumes_y1", b.volFluxX, b.e, Box.TO_EAST);
    } else {
      volumesOfSecond();
    }
    flux(b.grid.range(0, nx + 1, -2, ny + 2), b.massFluxY, b.n, b.e, Y_FACES_AROUND);
    mass(b.grid.range(0, nx + 1, -1, ny + 2), b.n, Box.TO_SOUTH);
    for (Field velocity : new Field[] {b.xvel1, b.yvel1}) {
      momentumY(velocity);
      update(velocity, b.n, Box.TO_SOUTH);
    }
  }

  /** Volumes after the first of two sweeps: what passes along the other axis is still to come. */
  private void volumesOfFirst(String name, Field flux, int s, Stencil ends) {
    Field volume = b.volume;
    Field after = b.sweepVolume;
    b.mesh.each(
        name,
        b.around,
        reads(volume),
        reads(flux, ends),
        writes(after),
        k -> after.set(k, volume.at(k) + flux.at(k + s) - flux.at(k)));
  }

  /** Volumes after the second of two sweeps: those of the cells. */
  private void volumesOfSecond() {
    Field volume = b.volume;
    Field after = b.sweepVolume;
    b.mesh.each(
        "advec_mom_volumes_2",
        b.around,
        reads(volume),
        writes(after),
        k -> after.set(k, volume.at(k)));
  }

  /**
   * What passes between corners.
   *
   * @param s from corner to corner along the axis
   * @param t the same along the other one
   */
  private void flux(Range range, Field massFlux, int s, int t, Stencil faces) {
    Field flux = b.nodeFlux;
    b.mesh.each(
        "advec_mom_flux",
        range,
        reads(massFlux, faces),
        writes(flux),
        k ->
            flux.set(
                k,
                .25
                    * (massFlux.at(k - t)
                        + massFlux.at(k)
                        + massFlux.at(k - t + s)
                        + massFlux.at(k + s))));
  }

  private void mass(Range range, int s, Stencil ends) {
    Field density = b.density1;
    Field volume = b.sweepVolume;
    Field flux = b.nodeFlux;
    Field after = b.nodeMassAfter;
    Field before = b.nodeMassBefore;
    int e = b.e;
    int n = b.n;
    b.mesh.each(
        "advec_mom_mass",
        range,
        reads(Box.CELLS_AROUND, density, volume),
        reads(flux, ends),
        writes(before, after),
        k -> {
          double mass =
              .25
                  * (density.at(k - n) * volume.at(k - n)
                      + density.at(k) * volume.at(k)
                      + density.at(k - n - e) * volume.at(k - n - e)
                      + density.at(k - e) * volume.at(k - e));
          after.set(k, mass);
          before.set(k, mass - flux.at(k - s) + flux.at(k));
        });
  }

  private void momentumX(Field velocity) {
    Field nodeFlux = b.nodeFlux;
    Field mass = b.nodeMassBefore;
    Field momentum = b.momentumFlux;
    Line widths = b.celldx;
    int e = b.e;
    b.mesh.each(
        "advec_mom_momentum_x",
        b.grid.range(-1, b.nx + 1, 0, b.ny + 1),
        reads(nodeFlux),
        reads(mass, Box.TO_EAST),
        reads(velocity, ALONG_X).and(reads(widths, WIDTHS)),
        writes(momentum),
        (k, i, j) -> {
          boolean back = nodeFlux.at(k) < 0;
          int upwind = back ? k + 2 * e : k - e;
          int donor = back ? k + e : k;
          int downwind = back ? k : k + e;
          double behind = widths.at(back ? i + 1 : i - 1);
          double moved = Math.abs(nodeFlux.at(k)) / mass.at(donor);
          double slope = limited(velocity, upwind, donor, downwind, moved, widths.at(i), behind);
          momentum.set(k, (velocity.at(donor) + (1 - moved) * slope) * nodeFlux.at(k));
        });
  }

  private void momentumY(Field velocity) {
    Field nodeFlux = b.nodeFlux;
    Field mass = b.nodeMassBefore;
    Field momentum = b.momentumFlux;
    Line widths = b.celldy;
    int n = b.n;
    b.mesh.each(
        "advec_mom_momentum_y",
        b.grid.range(0, b.nx + 1, -1, b.ny + 1),
        reads(nodeFlux),
        reads(mass, Box.TO_NORTH),
        reads(velocity, ALONG_Y).and(reads(widths, WIDTHS)),
        writes(momentum),
        (k, i, j) -> {
          boolean back = nodeFlux.at(k) < 0;
          int upwind = back ? k + 2 * n : k - n;
          int donor = back ? k + n : k;
          int downwind = back ? k : k + n;
          double behind = widths.at(back ? j + 1 : j - 1);
          double moved = Math.abs(nodeFlux.at(k)) / mass.at(donor);
          double slope = limited(velocity, upwind, donor, downwind, moved, widths.at(j), behind);
          momentum.set(k, (velocity.at(donor) + (1 - moved) * slope) * nodeFlux.at(k));
        });
  }

  private static double limited(
      Field velocity,
      int upwind,
      int donor,
      int downwind,
      double moved,
      double width,
      double behind) {
    double up = velocity.at(donor) - velocity.at(upwind);
    double down = velocity.at(downwind) - velocity.at(donor);
    if (up * down > 0) {
      double au = Math.abs(up);
      double ad = Math.abs(down);
      double mixed = width * ((2 - moved) * ad / width + (1 + moved) * au / behind) / 6;
      double least = Math.min(Math.min(mixed, au), ad);
      return down > 0 ? least : -least;
    }
    return 0;
  }

  private void update(Field velocity, int s, Stencil ends) {
    Field before = b.nodeMassBefore;
    Field after = b.nodeMassAfter;
    Field momentum = b.momentumFlux;
    b.mesh.each(
        "advec_mom",
        b.corners,
        reads(before, after),
        reads(momentum, ends),
        updates(velocity),
        k ->
            velocity.set(
                k,
                (velocity.at(k) * before.at(k) + momentum.at(k - s) - momentum.at(k))
                    / after.at(k)));
  }
}
