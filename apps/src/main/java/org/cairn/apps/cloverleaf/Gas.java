// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.cloverleaf;

import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.writes;

import org.cairn.mesh.Field;
import org.cairn.mesh.Line;
import org.cairn.mesh.kernel.Totals;

/** Loops over cells: what the gas is like, and how long a step may be. */
final class Gas {
  /** As the published program has them: literals of single precision, widened. */
  private static final double SMALL = 1.0e-16f;

  private static final double BIG = 1.0e21f;

  private static final double SAFE_SOUND = .7;
  private static final double SAFE_VELOCITY = .5;
  private static final double SAFE_DIVERGENCE = .7;

  private final Box b;

  Gas(Box box) {
    this.b = box;
  }

  void ideal(Field density, Field energy) {
    Field pressure = b.pressure;
    Field soundspeed = b.soundspeed;
    b.mesh.each(
        "ideal_gas",
        b.cells,
        reads(density, energy),
        writes(pressure, soundspeed),
        k -> {
          double v = 1 / density.at(k);
          double p = (1.4 - 1.0) * density.at(k) * energy.at(k);
          double byEnergy = (1.4 - 1.0) * density.at(k);
          double byVolume = -density.at(k) * p;
          pressure.set(k, p);
          soundspeed.set(k, Math.sqrt(v * v * (p * byEnergy - byVolume)));
        });
  }

  void viscosity() {
    Field u = b.xvel0;
    Field v = b.yvel0;
    Field pressure = b.pressure;
    Field density = b.density0;
    Field viscosity = b.viscosity;
    Line celldx = b.celldx;
    Line celldy = b.celldy;
    int e = b.e;
    int n = b.n;
    b.mesh.each(
        "viscosity",
        b.cells,
        reads(Box.CORNERS, u, v),
        reads(Box.BESIDE, pressure),
        reads(density, celldx, celldy),
        writes(viscosity),
        (k, i, j) -> {
          double dx = celldx.at(i);
          double dy = celldy.at(j);
          double ugrad = (u.at(k + e) + u.at(k + n + e)) - (u.at(k) + u.at(k + n));
          double vgrad = (v.at(k + n) + v.at(k + n + e)) - (v.at(k) + v.at(k + e));
          double div = dx * ugrad + dy * vgrad;
          double strain =
              .5 * (u.at(k + n) + u.at(k + n + e) - u.at(k) - u.at(k + e)) / dy
                  + .5 * (v.at(k + e) + v.at(k + n + e) - v.at(k) - v.at(k + n)) / dx;
          double px = (pressure.at(k + e) - pressure.at(k - e)) / (dx + dx);
          double py = (pressure.at(k + n) - pressure.at(k - n)) / (dy + dy);
          double px2 = px * px;
          double py2 = py * py;
          double limiter =
              ((.5 * ugrad / dx) * px2 + (.5 * vgrad / dy) * py2 + strain * px * py)
                  / Math.max(px2 + py2, 1e-16);
          if (limiter > 0 || div >= 0) {
            viscosity.set(k, 0);
          } else {
            double sign = px; // of both: a quirk of the published program
            px = Math.copySign(Math.max(1e-16, Math.abs(px)), sign);
            py = Math.copySign(Math.max(1e-16, Math.abs(py)), sign);
            double slope = Math.sqrt(px * px + py * py);
            double length = Math.min(Math.abs(dx * slope / px), Math.abs(dy * slope / py));
            viscosity.set(k, 2 * density.at(k) * (length * length) * limiter * limiter);
          }
        });
  }

  /** The longest step that no cell forbids. */
  double timeStep() {
    Field u = b.xvel0;
    Field v = b.yvel0;
    Field density = b.density0;
    Field viscosity = b.viscosity;
    Field soundspeed = b.soundspeed;
    Field volume = b.volume;
    Field xarea = b.xarea;
    Field yarea = b.yarea;
    Line celldx = b.celldx;
    Line celldy = b.celldy;
    int e = b.e;
    int n = b.n;
    return b.mesh.min(
        "calc_dt",
        b.cells,
        reads(Box.CORNERS, u, v).and(reads(xarea, Box.TO_EAST), reads(yarea, Box.TO_NORTH)),
        reads(density, viscosity, soundspeed, volume, celldx, celldy),
        (k, i, j) -> {
          double c2 = soundspeed.at(k) * soundspeed.at(k) + 2 * viscosity.at(k) / density.at(k);
          double c = Math.max(Math.sqrt(c2), SMALL);
          double sound = SAFE_SOUND * Math.min(celldx.at(i), celldy.at(j)) / c;

          double west = (u.at(k) + u.at(k + n)) * xarea.at(k);
          double east = (u.at(k + e) + u.at(k + n + e)) * xarea.at(k + e);
          double alongX = SAFE_VELOCITY * 2 * volume.at(k) / fastest(west, east, volume.at(k));

          double below = (v.at(k) + v.at(k + e)) * yarea.at(k);
          double above = (v.at(k + n) + v.at(k + n + e)) * yarea.at(k + n);
          double alongY = SAFE_VELOCITY * 2 * volume.at(k) / fastest(below, above, volume.at(k));

          double div = (east - west + above - below) / (2 * volume.at(k));
          double divergence = div < -SMALL ? SAFE_DIVERGENCE * (-1 / div) : BIG;
          return Math.min(Math.min(sound, alongX), Math.min(alongY, divergence));
        });
  }

  private static double fastest(double one, double other, double volume) {
    return Math.max(Math.max(Math.abs(one), Math.abs(other)), SMALL * volume);
  }

  /**
   * Sums over all cells.
   *
   * @param inOrder whether they are added cell after cell as the published program does, for the
   *     same last bits
   */
  CloverTotals totals(boolean inOrder) {
    Field u = b.xvel0;
    Field v = b.yvel0;
    Field volume = b.volume;
    Field density = b.density0;
    Field energy = b.energy0;
    Field pressure = b.pressure;
    int e = b.e;
    int n = b.n;
    double[] sums =
        b.mesh.several(
            "field_summary",
            inOrder ? b.cells.inOrder() : b.cells,
            reads(volume, density, energy, pressure),
            reads(Box.CORNERS, u, v),
            Totals.of(5, 0, 0),
            (k, out) -> {
              double mass = volume.at(k) * density.at(k);
              double square =
                  .25 * square(u, v, k)
                      + .25 * square(u, v, k + e)
                      + .25 * square(u, v, k + n)
                      + .25 * square(u, v, k + n + e);
              out.add(0, volume.at(k));
              out.add(1, mass);
              out.add(2, volume.at(k) * pressure.at(k));
              out.add(3, mass * energy.at(k));
              out.add(4, mass * .5 * square);
            });
    return new CloverTotals(sums[0], sums[1], sums[2], sums[3], sums[4]);
  }

  private static double square(Field u, Field v, int k) {
    return u.at(k) * u.at(k) + v.at(k) * v.at(k);
  }
}
