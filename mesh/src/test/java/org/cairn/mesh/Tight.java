// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;

import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.testkit.store.MemoryDirectories;

/**
 * A program whose checkpoints take copies, for JVMs that have no room for them; see TroubleTest.
 */
final class Tight {
  private Tight() {}

  public static void main(String[] arguments) {
    Ranks.run(Integer.parseInt(arguments[0]), Tight::run);
  }

  private static void run(Communicator ranks) {
    try (Mesh mesh = Mesh.open(new MemoryDirectories(), ranks, Lives.often())) {
      Grid grid = mesh.grid("plate", 500, 500);
      Field u = grid.field("u");
      Field v = grid.field("v");
      Field late = grid.field("late");
      mesh.each("start", grid.all(), writes(u, v, late), (k, i, j) -> u.set(k, i + .1 * j));
      mesh.ready();
      Range most = grid.range(0, 400, 200, 500); // of two ranks, the second has more of it
      for (int step = 0; step < 16; step++) {
        mesh.each("halve", most, reads(u), writes(v), k -> v.set(k, u.at(k) * .5));
        mesh.each("add", most, reads(v), updates(u), k -> u.set(k, u.at(k) * .7 + v.at(k)));
        if (step % 7 == 5) { // seldom: not predicted each time
          mesh.each("late", most, reads(v), updates(late), k -> late.set(k, late.at(k) + v.at(k)));
        }
      }
      double sum = mesh.sum("sum", grid.cells(), reads(u, v, late), k -> u.at(k) + late.at(k));
      if (ranks.rank() == 0) {
        System.out.println("sum " + sum);
        System.out.println("checkpoints " + mesh.stats().checkpoints());
      }
    }
  }
}
