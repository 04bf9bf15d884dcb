// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh;

import org.cairn.BooleanCell;
import org.cairn.DoubleCell;
import org.cairn.LongCell;
import org.cairn.apps.cloverleaf.CloverLeaf;
import org.cairn.apps.cloverleaf.CloverLeafResult;
import org.cairn.mesh.Mesh;

/** CloverLeaf that tells its mesh more than its loops do, or less. */
final class ToldClover {
  /** What it tells. */
  enum Told {
    /** Nothing but loops. */
    NOTHING,
    /** When the initial phase is over. */
    READY,
    /** Also which fields are needed before the last loops of a step. */
    LISTED,
    /** Also where a step begins, so that nothing is replayed; no list. */
    HERE,
    /** Where a step begins, and which fields it needs. */
    HERE_LISTED
  }

  private final Mesh mesh;
  private final Told told;
  private final CloverLeaf clover;
  private final DoubleCell dt;
  private final DoubleCell time;
  private final LongCell steps;
  private final BooleanCell xFirst;

  ToldClover(Mesh mesh, int cells, Told told) {
    this.mesh = mesh;
    this.told = told;
    this.clover = new CloverLeaf(mesh, cells, cells, told == Told.NOTHING ? _ -> {} : Mesh::ready);
    if (told == Told.LISTED) {
      mesh.saves(clover.stateAtEndOfStep());
    }
    this.dt = mesh.protect("dt", 0.0);
    this.time = mesh.protect("time", 0.0);
    this.steps = mesh.protect("steps", 0L);
    this.xFirst = mesh.protect("x first", true);
  }

  void step() {
    if (told == Told.HERE || told == Told.HERE_LISTED) {
      save(clover.moment());
      if (told == Told.HERE ? mesh.here() : mesh.here(clover.state())) {
        clover.moment(new CloverLeaf.Moment(dt.get(), time.get(), steps.get(), xFirst.get()));
      }
    }
    clover.step();
  }

  private void save(CloverLeaf.Moment now) {
    dt.set(now.dt());
    time.set(now.time());
    steps.set(now.steps());
    xFirst.set(now.xFirst());
  }

  long steps() {
    return clover.steps();
  }

  CloverLeafResult result() {
    return clover.result(false);
  }
}
