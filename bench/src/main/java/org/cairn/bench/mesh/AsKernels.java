// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh;

import org.cairn.mesh.kernel.Point;
import org.cairn.mesh.kernel.Point1;
import org.cairn.mesh.kernel.Several;
import org.cairn.mesh.kernel.Value;

/** The bodies of the loops of {@link ByHand}. */
final class AsKernels {
  private AsKernels() {}

  static Point idealGas(Gas gas) {
    Cells rho0 = gas.rho0;
    Cells e0 = gas.e0;
    Cells p = gas.p;
    Cells c = gas.c;
    return k -> {
      double density = rho0.at(k);
      double pressure = (1.4 - 1.0) * density * e0.at(k);
      double v = 1 / density;
      double byEnergy = (1.4 - 1.0) * density;
      double byVolume = -density * pressure;
      p.set(k, pressure);
      c.set(k, Math.sqrt(v * v * (pressure * byEnergy - byVolume)));
    };
  }

  static Point fluxCalc(Gas gas) {
    Cells u0 = gas.u0;
    Cells u1 = gas.u1;
    Cells v0 = gas.v0;
    Cells v1 = gas.v1;
    Cells ax = gas.ax;
    Cells ay = gas.ay;
    Cells vfx = gas.vfx;
    Cells vfy = gas.vfy;
    int n = gas.pitch;
    double dt = gas.dt;
    return k -> {
      vfx.set(k, .25 * dt * ax.at(k) * (u0.at(k) + u0.at(k + n) + u1.at(k) + u1.at(k + n)));
      vfy.set(k, .25 * dt * ay.at(k) * (v0.at(k) + v0.at(k + 1) + v1.at(k) + v1.at(k + 1)));
    };
  }

  static Point accelerate(Gas gas) {
    Cells rho0 = gas.rho0;
    Cells p = gas.p;
    Cells q = gas.q;
    Cells vol = gas.vol;
    Cells u0 = gas.u0;
    Cells u1 = gas.u1;
    Cells v0 = gas.v0;
    Cells v1 = gas.v1;
    Cells ax = gas.ax;
    Cells ay = gas.ay;
    int n = gas.pitch;
    double dt = gas.dt;
    return k -> {
      double mass =
          (rho0.at(k - 1 - n) * vol.at(k - 1 - n)
                  + rho0.at(k - n) * vol.at(k - n)
                  + rho0.at(k) * vol.at(k)
                  + rho0.at(k - 1) * vol.at(k - 1))
              * .25;
      double s = .5 * dt / mass;
      double u =
          u0.at(k)
              - s
                  * (ax.at(k) * (p.at(k) - p.at(k - 1))
                      + ax.at(k - n) * (p.at(k - n) - p.at(k - 1 - n)));
      double v =
          v0.at(k)
              - s
                  * (ay.at(k) * (p.at(k) - p.at(k - n))
                      + ay.at(k - 1) * (p.at(k - 1) - p.at(k - 1 - n)));
      u1.set(
          k,
          u
              - s
                  * (ax.at(k) * (q.at(k) - q.at(k - 1))
                      + ax.at(k - n) * (q.at(k - n) - q.at(k - 1 - n))));
      v1.set(
          k,
          v
              - s
                  * (ay.at(k) * (q.at(k) - q.at(k - n))
                      + ay.at(k - 1) * (q.at(k - 1) - q.at(k - 1 - n))));
    };
  }

  static Point pdv(Gas gas) {
    Cells rho0 = gas.rho0;
    Cells rho1 = gas.rho1;
    Cells e0 = gas.e0;
    Cells e1 = gas.e1;
    Cells p = gas.p;
    Cells q = gas.q;
    Cells vol = gas.vol;
    Cells u0 = gas.u0;
    Cells v0 = gas.v0;
    Cells ax = gas.ax;
    Cells ay = gas.ay;
    int n = gas.pitch;
    double dt = gas.dt;
    return k -> {
      double left = ax.at(k) * (u0.at(k) + u0.at(k + n) + u0.at(k) + u0.at(k + n)) * .25 * dt * .5;
      double right =
          ax.at(k + 1)
              * (u0.at(k + 1) + u0.at(k + 1 + n) + u0.at(k + 1) + u0.at(k + 1 + n))
              * .25
              * dt
              * .5;
      double bottom =
          ay.at(k) * (v0.at(k) + v0.at(k + 1) + v0.at(k) + v0.at(k + 1)) * .25 * dt * .5;
      double top =
          ay.at(k + n)
              * (v0.at(k + n) + v0.at(k + 1 + n) + v0.at(k + n) + v0.at(k + 1 + n))
              * .25
              * dt
              * .5;
      double total = right - left + top - bottom;
      double change = vol.at(k) / (vol.at(k) + total);
      e1.set(k, e0.at(k) - (p.at(k) / rho0.at(k) + q.at(k) / rho0.at(k)) * total * (1 / vol.at(k)));
      rho1.set(k, rho0.at(k) * change);
    };
  }

  static Point viscosity(Gas gas) {
    Cells rho0 = gas.rho0;
    Cells p = gas.p;
    Cells q = gas.q;
    Cells u0 = gas.u0;
    Cells v0 = gas.v0;
    Cells dx = gas.dx;
    int n = gas.pitch;
    return k -> {
      double ugrad = u0.at(k + 1) + u0.at(k + 1 + n) - (u0.at(k) + u0.at(k + n));
      double vgrad = v0.at(k + n) + v0.at(k + 1 + n) - (v0.at(k) + v0.at(k + 1));
      double div = dx.at(k) * ugrad + dx.at(k) * vgrad;
      double strain =
          .5 * (u0.at(k + n) + u0.at(k + 1 + n) - u0.at(k) - u0.at(k + 1)) / dx.at(k)
              + .5 * (v0.at(k + 1) + v0.at(k + 1 + n) - v0.at(k) - v0.at(k + n)) / dx.at(k);
      double pgx = (p.at(k + 1) - p.at(k - 1)) / (dx.at(k) + dx.at(k));
      double pgy = (p.at(k + n) - p.at(k - n)) / (dx.at(k) + dx.at(k));
      double pgx2 = pgx * pgx;
      double pgy2 = pgy * pgy;
      double limiter =
          (.5 * ugrad / dx.at(k) * pgx2 + .5 * vgrad / dx.at(k) * pgy2 + strain * pgx * pgy)
              / Math.max(pgx2 + pgy2, 1e-16);
      if (limiter > 0 || div >= 0) {
        q.set(k, 0);
      } else {
        double sign = pgx < 0 ? -1 : 1;
        pgx = sign * Math.max(1e-16, Math.abs(pgx));
        pgy = sign * Math.max(1e-16, Math.abs(pgy));
        double pg = Math.sqrt(pgx * pgx + pgy * pgy);
        double grad = Math.min(Math.abs(dx.at(k) * pg / pgx), Math.abs(dx.at(k) * pg / pgy));
        q.set(k, 2 * rho0.at(k) * grad * grad * limiter * limiter);
      }
    };
  }

  static Point1 advecCellFlux(Gas gas) {
    Cells rho1 = gas.rho1;
    Cells e1 = gas.e1;
    Cells vfx = gas.vfx;
    Cells mfx = gas.mfx;
    Cells w1 = gas.w1;
    Cells w7 = gas.w7;
    Cells dx = gas.dx;
    int last = gas.cells + 1;
    return (k, i) -> {
      double flux = vfx.at(k);
      int up = flux > 0 ? k - 2 : k + Math.min(1, last - i);
      int donor = flux > 0 ? k - 1 : k;
      int down = flux > 0 ? k : k - 1;
      int dif = flux > 0 ? k - 1 : up;
      double st = Math.abs(flux) / w1.at(donor);
      double s3 = (1 + st) * (dx.at(k) / dx.at(dif));
      double s4 = 2 - st;
      double du = rho1.at(donor) - rho1.at(up);
      double dd = rho1.at(down) - rho1.at(donor);
      double limiter = 0;
      if (du * dd > 0) {
        double sign = dd < 0 ? -1 : 1;
        double a = Math.abs(du);
        double b = Math.abs(dd);
        limiter = (1 - st) * sign * Math.min(Math.min(a, b), 1.0 / 6 * (s3 * a + s4 * b));
      }
      mfx.set(k, flux * (rho1.at(donor) + limiter));
      double sm = Math.abs(mfx.at(k)) / (rho1.at(donor) * w1.at(donor));
      double eu = e1.at(donor) - e1.at(up);
      double ed = e1.at(down) - e1.at(donor);
      limiter = 0;
      if (eu * ed > 0) {
        double sign = ed < 0 ? -1 : 1;
        double a = Math.abs(eu);
        double b = Math.abs(ed);
        limiter = (1 - sm) * sign * Math.min(Math.min(a, b), 1.0 / 6 * (s3 * a + s4 * b));
      }
      w7.set(k, mfx.at(k) * (e1.at(donor) + limiter));
    };
  }

  static Point advecCellUpdate(Gas gas) {
    Cells rho0 = gas.rho0;
    Cells rho1 = gas.rho1;
    Cells e0 = gas.e0;
    Cells e1 = gas.e1;
    Cells vfx = gas.vfx;
    Cells mfx = gas.mfx;
    Cells w1 = gas.w1;
    Cells w7 = gas.w7;
    return k -> {
      double before = rho0.at(k) * w1.at(k);
      double after = before + mfx.at(k) - mfx.at(k + 1);
      e1.set(k, (e0.at(k) * before + w7.at(k) - w7.at(k + 1)) / after);
      rho1.set(k, after / (w1.at(k) + vfx.at(k) - vfx.at(k + 1)));
    };
  }

  static Value sumOfEnergy(Gas gas) {
    Cells rho0 = gas.rho0;
    Cells e0 = gas.e0;
    Cells vol = gas.vol;
    return k -> vol.at(k) * rho0.at(k) * e0.at(k);
  }

  static Value calcDt(Gas gas) {
    Cells rho0 = gas.rho0;
    Cells q = gas.q;
    Cells c = gas.c;
    Cells vol = gas.vol;
    Cells u0 = gas.u0;
    Cells ax = gas.ax;
    Cells dx = gas.dx;
    int n = gas.pitch;
    return k -> {
      double cc = Math.max(Math.sqrt(c.at(k) * c.at(k) + 2 * q.at(k) / rho0.at(k)), 1e-16);
      double first = (u0.at(k) + u0.at(k + n)) * ax.at(k);
      double second = (u0.at(k + 1) + u0.at(k + 1 + n)) * ax.at(k + 1);
      double crossing =
          vol.at(k) / Math.max(Math.max(Math.abs(first), Math.abs(second)), 1e-16 * vol.at(k));
      return Math.min(.7 * dx.at(k) / cc, crossing);
    };
  }

  static Several fieldSummary(Gas gas) {
    Cells rho0 = gas.rho0;
    Cells e0 = gas.e0;
    Cells p = gas.p;
    Cells vol = gas.vol;
    Cells u0 = gas.u0;
    Cells v0 = gas.v0;
    int n = gas.pitch;
    return (k, out) -> {
      double squares =
          .25 * (u0.at(k) * u0.at(k) + v0.at(k) * v0.at(k))
              + .25 * (u0.at(k + 1) * u0.at(k + 1) + v0.at(k + 1) * v0.at(k + 1))
              + .25 * (u0.at(k + n) * u0.at(k + n) + v0.at(k + n) * v0.at(k + n))
              + .25 * (u0.at(k + 1 + n) * u0.at(k + 1 + n) + v0.at(k + 1 + n) * v0.at(k + 1 + n));
      double own = vol.at(k) * rho0.at(k);
      out.add(0, vol.at(k));
      out.add(1, own);
      out.add(2, own * e0.at(k));
      out.add(3, own * .5 * squares);
      out.add(4, vol.at(k) * p.at(k));
    };
  }
}
