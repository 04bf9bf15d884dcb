// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh;

import org.cairn.mesh.weave.Span;

/** Loops as one writes them by hand over arrays; {@link AsKernels} has the same as kernels. */
final class ByHand {
  private ByHand() {}

  static void idealGas(Gas gas, Span span) {
    double[] rho0 = gas.rho0.data;
    double[] e0 = gas.e0.data;
    double[] p = gas.p.data;
    double[] c = gas.c.data;
    int i0 = span.i0();
    int i1 = span.i1();
    for (int j = span.j0(); j < span.j1(); j++) {
      int row = gas.base + j * gas.pitch;
      for (int i = i0; i < i1; i++) {
        int k = row + i;
        double density = rho0[k];
        double pressure = (1.4 - 1.0) * density * e0[k];
        double v = 1 / density;
        double byEnergy = (1.4 - 1.0) * density;
        double byVolume = -density * pressure;
        p[k] = pressure;
        c[k] = Math.sqrt(v * v * (pressure * byEnergy - byVolume));
      }
    }
  }

  static void fluxCalc(Gas gas, Span span) {
    double[] u0 = gas.u0.data;
    double[] u1 = gas.u1.data;
    double[] v0 = gas.v0.data;
    double[] v1 = gas.v1.data;
    double[] ax = gas.ax.data;
    double[] ay = gas.ay.data;
    double[] vfx = gas.vfx.data;
    double[] vfy = gas.vfy.data;
    int n = gas.pitch;
    double dt = gas.dt;
    int i0 = span.i0();
    int i1 = span.i1();
    for (int j = span.j0(); j < span.j1(); j++) {
      int row = gas.base + j * gas.pitch;
      for (int i = i0; i < i1; i++) {
        int k = row + i;
        vfx[k] = .25 * dt * ax[k] * (u0[k] + u0[k + n] + u1[k] + u1[k + n]);
        vfy[k] = .25 * dt * ay[k] * (v0[k] + v0[k + 1] + v1[k] + v1[k + 1]);
      }
    }
  }

  static void accelerate(Gas gas, Span span) {
    double[] rho0 = gas.rho0.data;
    double[] p = gas.p.data;
    double[] q = gas.q.data;
    double[] vol = gas.vol.data;
    double[] u0 = gas.u0.data;
    double[] u1 = gas.u1.data;
    double[] v0 = gas.v0.data;
    double[] v1 = gas.v1.data;
    double[] ax = gas.ax.data;
    double[] ay = gas.ay.data;
    int n = gas.pitch;
    double dt = gas.dt;
    int i0 = span.i0();
    int i1 = span.i1();
    for (int j = span.j0(); j < span.j1(); j++) {
      int row = gas.base + j * gas.pitch;
      for (int i = i0; i < i1; i++) {
        int k = row + i;
        double mass =
            (rho0[k - 1 - n] * vol[k - 1 - n]
                    + rho0[k - n] * vol[k - n]
                    + rho0[k] * vol[k]
                    + rho0[k - 1] * vol[k - 1])
                * .25;
        double s = .5 * dt / mass;
        double u = u0[k] - s * (ax[k] * (p[k] - p[k - 1]) + ax[k - n] * (p[k - n] - p[k - 1 - n]));
        double v = v0[k] - s * (ay[k] * (p[k] - p[k - n]) + ay[k - 1] * (p[k - 1] - p[k - 1 - n]));
        u1[k] = u - s * (ax[k] * (q[k] - q[k - 1]) + ax[k - n] * (q[k - n] - q[k - 1 - n]));
        v1[k] = v - s * (ay[k] * (q[k] - q[k - n]) + ay[k - 1] * (q[k - 1] - q[k - 1 - n]));
      }
    }
  }

  static void pdv(Gas gas, Span span) {
    double[] rho0 = gas.rho0.data;
    double[] rho1 = gas.rho1.data;
    double[] e0 = gas.e0.data;
    double[] e1 = gas.e1.data;
    double[] p = gas.p.data;
    double[] q = gas.q.data;
    double[] vol = gas.vol.data;
    double[] u0 = gas.u0.data;
    double[] v0 = gas.v0.data;
    double[] ax = gas.ax.data;
    double[] ay = gas.ay.data;
    int n = gas.pitch;
    double dt = gas.dt;
    int i0 = span.i0();
    int i1 = span.i1();
    for (int j = span.j0(); j < span.j1(); j++) {
      int row = gas.base + j * gas.pitch;
      for (int i = i0; i < i1; i++) {
        int k = row + i;
        double left = ax[k] * (u0[k] + u0[k + n] + u0[k] + u0[k + n]) * .25 * dt * .5;
        double right =
            ax[k + 1] * (u0[k + 1] + u0[k + 1 + n] + u0[k + 1] + u0[k + 1 + n]) * .25 * dt * .5;
        double bottom = ay[k] * (v0[k] + v0[k + 1] + v0[k] + v0[k + 1]) * .25 * dt * .5;
        double top =
            ay[k + n] * (v0[k + n] + v0[k + 1 + n] + v0[k + n] + v0[k + 1 + n]) * .25 * dt * .5;
        double total = right - left + top - bottom;
        double change = vol[k] / (vol[k] + total);
        e1[k] = e0[k] - (p[k] / rho0[k] + q[k] / rho0[k]) * total * (1 / vol[k]);
        rho1[k] = rho0[k] * change;
      }
    }
  }

  static void viscosity(Gas gas, Span span) {
    double[] rho0 = gas.rho0.data;
    double[] p = gas.p.data;
    double[] q = gas.q.data;
    double[] u0 = gas.u0.data;
    double[] v0 = gas.v0.data;
    double[] dx = gas.dx.data;
    int n = gas.pitch;
    int i0 = span.i0();
    int i1 = span.i1();
    for (int j = span.j0(); j < span.j1(); j++) {
      int row = gas.base + j * gas.pitch;
      for (int i = i0; i < i1; i++) {
        int k = row + i;
        double ugrad = u0[k + 1] + u0[k + 1 + n] - (u0[k] + u0[k + n]);
        double vgrad = v0[k + n] + v0[k + 1 + n] - (v0[k] + v0[k + 1]);
        double div = dx[k] * ugrad + dx[k] * vgrad;
        double strain =
            .5 * (u0[k + n] + u0[k + 1 + n] - u0[k] - u0[k + 1]) / dx[k]
                + .5 * (v0[k + 1] + v0[k + 1 + n] - v0[k] - v0[k + n]) / dx[k];
        double pgx = (p[k + 1] - p[k - 1]) / (dx[k] + dx[k]);
        double pgy = (p[k + n] - p[k - n]) / (dx[k] + dx[k]);
        double pgx2 = pgx * pgx;
        double pgy2 = pgy * pgy;
        double limiter =
            (.5 * ugrad / dx[k] * pgx2 + .5 * vgrad / dx[k] * pgy2 + strain * pgx * pgy)
                / Math.max(pgx2 + pgy2, 1e-16);
        if (limiter > 0 || div >= 0) {
          q[k] = 0;
        } else {
          double sign = pgx < 0 ? -1 : 1;
          pgx = sign * Math.max(1e-16, Math.abs(pgx));
          pgy = sign * Math.max(1e-16, Math.abs(pgy));
          double pg = Math.sqrt(pgx * pgx + pgy * pgy);
          double grad = Math.min(Math.abs(dx[k] * pg / pgx), Math.abs(dx[k] * pg / pgy));
          q[k] = 2 * rho0[k] * grad * grad * limiter * limiter;
        }
      }
    }
  }

  static void advecCellFlux(Gas gas, Span span) {
    double[] rho1 = gas.rho1.data;
    double[] e1 = gas.e1.data;
    double[] vfx = gas.vfx.data;
    double[] mfx = gas.mfx.data;
    double[] w1 = gas.w1.data;
    double[] w7 = gas.w7.data;
    double[] dx = gas.dx.data;
    int last = gas.cells + 1;
    int i0 = span.i0();
    int i1 = span.i1();
    for (int j = span.j0(); j < span.j1(); j++) {
      int row = gas.base + j * gas.pitch;
      for (int i = i0; i < i1; i++) {
        int k = row + i;
        double flux = vfx[k];
        int up = flux > 0 ? k - 2 : k + Math.min(1, last - i);
        int donor = flux > 0 ? k - 1 : k;
        int down = flux > 0 ? k : k - 1;
        int dif = flux > 0 ? k - 1 : up;
        double st = Math.abs(flux) / w1[donor];
        double s3 = (1 + st) * (dx[k] / dx[dif]);
        double s4 = 2 - st;
        double du = rho1[donor] - rho1[up];
        double dd = rho1[down] - rho1[donor];
        double limiter = 0;
        if (du * dd > 0) {
          double sign = dd < 0 ? -1 : 1;
          double a = Math.abs(du);
          double b = Math.abs(dd);
          limiter = (1 - st) * sign * Math.min(Math.min(a, b), 1.0 / 6 * (s3 * a + s4 * b));
        }
        mfx[k] = flux * (rho1[donor] + limiter);
        double sm = Math.abs(mfx[k]) / (rho1[donor] * w1[donor]);
        double eu = e1[donor] - e1[up];
        double ed = e1[down] - e1[donor];
        limiter = 0;
        if (eu * ed > 0) {
          double sign = ed < 0 ? -1 : 1;
          double a = Math.abs(eu);
          double b = Math.abs(ed);
          limiter = (1 - sm) * sign * Math.min(Math.min(a, b), 1.0 / 6 * (s3 * a + s4 * b));
        }
        w7[k] = mfx[k] * (e1[donor] + limiter);
      }
    }
  }

  static void advecCellUpdate(Gas gas, Span span) {
    double[] rho0 = gas.rho0.data;
    double[] rho1 = gas.rho1.data;
    double[] e0 = gas.e0.data;
    double[] e1 = gas.e1.data;
    double[] vfx = gas.vfx.data;
    double[] mfx = gas.mfx.data;
    double[] w1 = gas.w1.data;
    double[] w7 = gas.w7.data;
    int i0 = span.i0();
    int i1 = span.i1();
    for (int j = span.j0(); j < span.j1(); j++) {
      int row = gas.base + j * gas.pitch;
      for (int i = i0; i < i1; i++) {
        int k = row + i;
        double before = rho0[k] * w1[k];
        double after = before + mfx[k] - mfx[k + 1];
        e1[k] = (e0[k] * before + w7[k] - w7[k + 1]) / after;
        rho1[k] = after / (w1[k] + vfx[k] - vfx[k + 1]);
      }
    }
  }

  static double sumOfEnergy(Gas gas, Span span) {
    double[] rho0 = gas.rho0.data;
    double[] e0 = gas.e0.data;
    double[] vol = gas.vol.data;
    int i0 = span.i0();
    int i1 = span.i1();
    double total = 0;
    for (int j = span.j0(); j < span.j1(); j++) {
      int row = gas.base + j * gas.pitch;
      for (int i = i0; i < i1; i++) {
        int k = row + i;
        total += vol[k] * rho0[k] * e0[k];
      }
    }
    return total;
  }

  static double calcDt(Gas gas, Span span) {
    double[] rho0 = gas.rho0.data;
    double[] q = gas.q.data;
    double[] c = gas.c.data;
    double[] vol = gas.vol.data;
    double[] u0 = gas.u0.data;
    double[] ax = gas.ax.data;
    double[] dx = gas.dx.data;
    int n = gas.pitch;
    int i0 = span.i0();
    int i1 = span.i1();
    double total = Double.POSITIVE_INFINITY;
    for (int j = span.j0(); j < span.j1(); j++) {
      int row = gas.base + j * gas.pitch;
      for (int i = i0; i < i1; i++) {
        int k = row + i;
        double cc = Math.max(Math.sqrt(c[k] * c[k] + 2 * q[k] / rho0[k]), 1e-16);
        double first = (u0[k] + u0[k + n]) * ax[k];
        double second = (u0[k + 1] + u0[k + 1 + n]) * ax[k + 1];
        double crossing =
            vol[k] / Math.max(Math.max(Math.abs(first), Math.abs(second)), 1e-16 * vol[k]);
        total = Math.min(total, Math.min(.7 * dx[k] / cc, crossing));
      }
    }
    return total;
  }

  static double[] fieldSummary(Gas gas, Span span) {
    double[] rho0 = gas.rho0.data;
    double[] e0 = gas.e0.data;
    double[] p = gas.p.data;
    double[] vol = gas.vol.data;
    double[] u0 = gas.u0.data;
    double[] v0 = gas.v0.data;
    int n = gas.pitch;
    int i0 = span.i0();
    int i1 = span.i1();
    double volume = 0;
    double mass = 0;
    double internal = 0;
    double kinetic = 0;
    double pressure = 0;
    for (int j = span.j0(); j < span.j1(); j++) {
      int row = gas.base + j * gas.pitch;
      for (int i = i0; i < i1; i++) {
        int k = row + i;
        double squares =
            .25 * (u0[k] * u0[k] + v0[k] * v0[k])
                + .25 * (u0[k + 1] * u0[k + 1] + v0[k + 1] * v0[k + 1])
                + .25 * (u0[k + n] * u0[k + n] + v0[k + n] * v0[k + n])
                + .25 * (u0[k + 1 + n] * u0[k + 1 + n] + v0[k + 1 + n] * v0[k + 1 + n]);
        double own = vol[k] * rho0[k];
        volume += vol[k];
        mass += own;
        internal += own * e0[k];
        kinetic += own * .5 * squares;
        pressure += vol[k] * p[k];
      }
    }
    return new double[] {volume, mass, internal, kinetic, pressure};
  }
}
