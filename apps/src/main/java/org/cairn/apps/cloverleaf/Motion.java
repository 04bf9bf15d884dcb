// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.cloverleaf;

import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.writes;

import org.cairn.mesh.Axis;
import org.cairn.mesh.Field;

/** Loops that follow the gas: work done on cells, forces on corners, what passes the faces. */
final class Motion {
  static final String RESET = "reset_cells";

  private final Box b;

  Motion(Box box) {
    this.b = box;
  }

  /** Half a step ahead, with the velocities as they were. */
  void predict(double dt) {
    compress("PdV_predict", b.xvel0, b.yvel0, dt, .5);
  }

  /** All of the step, with the mean of the velocities before and after. */
  void correct(double dt) {
    compress("PdV", b.xvel1, b.yvel1, dt, 1);
  }

  private void compress(String name, Field u1, Field v1, double dt, double part) {
    Field u0 = b.xvel0;
    Field v0 = b.yvel0;
    Field xarea = b.xarea;
    Field yarea = b.yarea;
    Field volume = b.volume;
    Field pressure = b.pressure;
    Field viscosity = b.viscosity;
    Field density0 = b.density0;
    Field density1 = b.density1;
    Field energy0 = b.energy0;
    Field energy1 = b.energy1;
    int e = b.e;
    int n = b.n;
    b.mesh.each(
        name,
        b.cells,
        reads(Box.CORNERS, u0, v0, u1, v1),
        reads(xarea, Box.TO_EAST).and(reads(yarea, Box.TO_NORTH)),
        reads(volume, pressure, viscosity, density0, energy0),
        writes(density1, energy1),
        k -> {
          double left =
              xarea.at(k) * (u0.at(k) + u0.at(k + n) + u1.at(k) + u1.at(k + n)) * .25 * dt * part;
          double right =
              xarea.at(k + e)
                  * (u0.at(k + e) + u0.at(k + n + e) + u1.at(k + e) + u1.at(k + n + e))
                  * .25
                  * dt
                  * part;
          double bottom =
              yarea.at(k) * (v0.at(k) + v0.at(k + e) + v1.at(k) + v1.at(k + e)) * .25 * dt * part;
          double top =
              yarea.at(k + n)
                  * (v0.at(k + n) + v0.at(k + n + e) + v1.at(k + n) + v1.at(k + n + e))
                  * .25
                  * dt
                  * part;
          double total = right - left + top - bottom;
          double density = density0.at(k);
          double work =
              (pressure.at(k) / density + viscosity.at(k) / density) * total * (1 / volume.at(k));
          energy1.set(k, energy0.at(k) - work);
          density1.set(k, density * (volume.at(k) / (volume.at(k) + total)));
        });
  }

  void revert() {
    Field density0 = b.density0;
    Field density1 = b.density1;
    Field energy0 = b.energy0;
    Field energy1 = b.energy1;
    b.mesh.each(
        "revert",
        b.cells,
        reads(density0, energy0),
        writes(density1, energy1),
        k -> {
          density1.set(k, density0.at(k));
          energy1.set(k, energy0.at(k));
        });
  }

  void reset() {
    Field density0 = b.density0;
    Field density1 = b.density1;
    Field energy0 = b.energy0;
    Field energy1 = b.energy1;
    Field u0 = b.xvel0;
    Field u1 = b.xvel1;
    Field v0 = b.yvel0;
    Field v1 = b.yvel1;
    b.mesh.each(
        RESET,
        b.cells,
        reads(density1, energy1),
        writes(density0, energy0),
        k -> {
          density0.set(k, density1.at(k));
          energy0.set(k, energy1.at(k));
        });
    b.mesh.each(
        "reset_corners",
        b.corners,
        reads(u1, v1),
        writes(u0, v0),
        k -> {
          u0.set(k, u1.at(k));
          v0.set(k, v1.at(k));
        });
  }

  void accelerate(double dt) {
    Field xarea = b.xarea;
    Field yarea = b.yarea;
    Field volume = b.volume;
    Field density = b.density0;
    Field p = b.pressure;
    Field q = b.viscosity;
    Field u0 = b.xvel0;
    Field v0 = b.yvel0;
    Field u1 = b.xvel1;
    Field v1 = b.yvel1;
    int e = b.e;
    int n = b.n;
    double half = .5 * dt;
    b.mesh.each(
        "accelerate",
        b.corners,
        reads(Box.CELLS_AROUND, density, volume, p, q),
        reads(xarea, Box.TO_SOUTH).and(reads(yarea, Box.TO_WEST)),
        reads(u0, v0),
        writes(u1, v1),
        k -> {
          int sw = k - n - e;
          double mass =
              (density.at(sw) * volume.at(sw)
                      + density.at(k - n) * volume.at(k - n)
                      + density.at(k) * volume.at(k)
                      + density.at(k - e) * volume.at(k - e))
                  * .25;
          double s = half / mass;
          double u =
              u0.at(k)
                  - s
                      * (xarea.at(k) * (p.at(k) - p.at(k - e))
                          + xarea.at(k - n) * (p.at(k - n) - p.at(sw)));
          double v =
              v0.at(k)
                  - s
                      * (yarea.at(k) * (p.at(k) - p.at(k - n))
                          + yarea.at(k - e) * (p.at(k - e) - p.at(sw)));
          u1.set(
              k,
              u
                  - s
                      * (xarea.at(k) * (q.at(k) - q.at(k - e))
                          + xarea.at(k - n) * (q.at(k - n) - q.at(sw))));
          v1.set(
              k,
              v
                  - s
                      * (yarea.at(k) * (q.at(k) - q.at(k - n))
                          + yarea.at(k - e) * (q.at(k - e) - q.at(sw))));
        });
  }

  void fluxes(double dt) {
    Field xarea = b.xarea;
    Field yarea = b.yarea;
    Field u0 = b.xvel0;
    Field u1 = b.xvel1;
    Field v0 = b.yvel0;
    Field v1 = b.yvel1;
    Field x = b.volFluxX;
    Field y = b.volFluxY;
    int e = b.e;
    int n = b.n;
    b.mesh.each(
        "flux_calc_x",
        b.grid.faces(Axis.X),
        reads(xarea),
        reads(Box.TO_NORTH, u0, u1),
        writes(x),
        k ->
            x.set(k, .25 * dt * xarea.at(k) * (u0.at(k) + u0.at(k + n) + u1.at(k) + u1.at(k + n))));
    b.mesh.each(
        "flux_calc_y",
        b.grid.faces(Axis.Y),
        reads(yarea),
        reads(Box.TO_EAST, v0, v1),
        writes(y),
        k ->
            y.set(k, .25 * dt * yarea.at(k) * (v0.at(k) + v0.at(k + e) + v1.at(k) + v1.at(k + e))));
  }
}
