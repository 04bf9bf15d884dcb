// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.function.Consumer;
import org.cairn.comm.Communicator;
import org.cairn.mesh.kernel.Totals;
import org.cairn.mesh.live.Box;
import org.cairn.mesh.ranks.Bricks;

/**
 * A sum over the points of all ranks in the order of their indices. Ranks take turns, a run of
 * points at a time: all of a brick where only the slowest axis is cut, else a row or a part of one.
 */
final class TurnByTurn {
  private static final int TAG = 2;

  private final Communicator ranks;
  private final Bricks bricks;
  private final Box range;
  private int before = -1;

  TurnByTurn(Communicator ranks, KnownLoop loop) {
    this.ranks = ranks;
    this.bricks = loop.range().domain().bricks();
    this.range = loop.range().box();
  }

  /** Runs all turns of this rank; in the end all have the sums. */
  void run(Totals out, Consumer<Box> compute) {
    int[] blocks = bricks.blocks();
    for (int z = 0; z < blocks[2]; z++) {
      if (blocks[0] == 1 && blocks[1] == 1) {
        turn(at(0, 0, z), bricks.whole(), out, compute);
      } else {
        planes(z, out, compute);
      }
    }
    double[] sums = new double[out.sums()];
    for (int n = 0; n < sums.length; n++) {
      sums[n] = out.sum(n);
    }
    ranks.broadcast(sums, Math.max(0, before));
    for (int n = 0; n < sums.length; n++) {
      out.startAt(n, sums[n]);
    }
  }

  private int at(int x, int y, int z) {
    return x + bricks.blocks()[0] * (y + bricks.blocks()[1] * z);
  }

  private void planes(int z, Totals out, Consumer<Box> compute) {
    Box plane = bricks.owned(at(0, 0, z)).intersect(all(range.l0(), range.l1()));
    for (int l = plane.l0(); l < plane.l1(); l++) {
      for (int y = 0; y < bricks.blocks()[1]; y++) {
        if (bricks.blocks()[0] == 1) {
          turn(at(0, y, z), all(l, l + 1), out, compute);
        } else {
          rows(y, z, l, out, compute);
        }
      }
    }
  }

  private void rows(int y, int z, int l, Totals out, Consumer<Box> compute) {
    Box block = bricks.owned(at(0, y, z));
    for (int j = Math.max(block.j0(), range.j0()); j < Math.min(block.j1(), range.j1()); j++) {
      for (int x = 0; x < bricks.blocks()[0]; x++) {
        Box whole = bricks.whole();
        turn(at(x, y, z), new Box(whole.i0(), whole.i1(), j, j + 1, l, l + 1), out, compute);
      }
    }
  }

  private Box all(int l0, int l1) {
    Box whole = bricks.whole();
    return new Box(whole.i0(), whole.i1(), whole.j0(), whole.j1(), l0, l1);
  }

  private void turn(int rank, Box points, Totals out, Consumer<Box> compute) {
    Box box = bricks.owned(rank).intersect(range).intersect(points);
    if (box.isEmpty()) {
      return;
    }
    if (before >= 0 && before != rank) {
      hand(before, rank, out);
    }
    if (rank == ranks.rank()) {
      compute.accept(box);
    }
    before = rank;
  }

  private void hand(int from, int to, Totals out) {
    double[] sums = new double[out.sums()];
    if (ranks.rank() == from) {
      for (int n = 0; n < sums.length; n++) {
        sums[n] = out.sum(n);
      }
      ranks.send(sums, to, TAG);
    } else if (ranks.rank() == to) {
      ranks.receive(sums, from, TAG);
      for (int n = 0; n < sums.length; n++) {
        out.startAt(n, sums[n]);
      }
    }
  }
}
