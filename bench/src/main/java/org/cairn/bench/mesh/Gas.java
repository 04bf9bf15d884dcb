// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh;

import java.util.Random;
import org.cairn.mesh.weave.Span;

/**
 * The fields of a compressible gas on n × n cells, as CloverLeaf has them: two rows of halo, cells
 * and nodes with the same pitch.
 */
final class Gas {
  final double dt;
  private static final int HALO = 2;

  final int cells;
  final int pitch;
  final int base;
  final Cells rho0;
  final Cells rho1;
  final Cells e0;
  final Cells e1;
  final Cells p;
  final Cells q;
  final Cells c;
  final Cells vol;
  final Cells u0;
  final Cells u1;
  final Cells v0;
  final Cells v1;
  final Cells ax;
  final Cells ay;
  final Cells vfx;
  final Cells vfy;
  final Cells mfx;
  final Cells w1;
  final Cells w2;
  final Cells w7;
  final Cells dx;

  Gas(int cells) {
    this.cells = cells;
    this.dt = .04;
    this.pitch = cells + 1 + 2 * HALO;
    this.base = HALO + HALO * pitch;
    Random random = new Random(7);
    rho0 = field(random, 0.5, 2.5);
    rho1 = field(random, 0.5, 2.5);
    e0 = field(random, 0.5, 2.5);
    e1 = field(random, 0.5, 2.5);
    p = field(random, 0.5, 2.5);
    q = field(random, 0.5, 2.5);
    c = field(random, 0.5, 2.5);
    vol = field(random, 0.5, 2.5);
    u0 = field(random, -0.1, 0.1);
    u1 = field(random, -0.1, 0.1);
    v0 = field(random, -0.1, 0.1);
    v1 = field(random, -0.1, 0.1);
    ax = field(random, 0.5, 2.5);
    ay = field(random, 0.5, 2.5);
    vfx = field(random, -0.1, 0.1);
    vfy = field(random, -0.1, 0.1);
    mfx = field(random, -0.01, 0.01);
    w1 = field(random, 0.5, 2.5);
    w2 = field(random, 0.5, 2.5);
    w7 = field(random, -0.01, 0.01);
    dx = field(random, 0.5, 2.5);
  }

  private Cells field(Random random, double low, double high) {
    Cells field = new Cells(pitch * pitch);
    for (int k = 0; k < field.data.length; k++) {
      field.set(k, low + (high - low) * random.nextDouble());
    }
    return field;
  }

  /** All cells. */
  Span inner() {
    return Span.plane(0, cells, 0, cells, base, pitch);
  }

  /** All nodes. */
  Span nodes() {
    return Span.plane(0, cells + 1, 0, cells + 1, base, pitch);
  }

  /** The faces of a sweep along rows. */
  Span faces() {
    return Span.plane(0, cells + 2, 0, cells, base, pitch);
  }
}
