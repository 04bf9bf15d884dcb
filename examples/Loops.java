// SPDX-License-Identifier: Apache-2.0
//
// Loops over a grid that say what they read and write, and no code for checkpoints at all.
//
//   ./cairn run examples/Loops.java --crash-at 600
//   ./cairn run examples/Loops.java
//   ./cairn mesh report checkpoints/loops              # what is saved, where and why

import static org.cairn.mesh.Access.*;
import static org.cairn.mesh.Stencil.STAR;

import org.cairn.*;
import org.cairn.comm.*;
import org.cairn.mesh.*;
import org.cairn.mesh.Grid; // there is a Grid of ranks, too

void main(String[] arguments) throws IOException {
  int crashAt = arguments.length == 2 && arguments[0].equals("--crash-at") ? Integer.parseInt(arguments[1]) : -1;
  Options options = Options.defaults().every(Duration.ofMillis(50));
  try (Communicator ranks = Communicators.world();
      Mesh mesh = Mesh.open(Path.of("checkpoints/loops"), ranks, options)) {
    Grid grid = mesh.grid("plate", 100, 80).halo(1);
    Field u = grid.field("u"), v = grid.field("v");
    int e = grid.east(), n = grid.north();
    mesh.each("start", grid.all(), writes(u), (k, i, j) -> u.set(k, j < 0 ? 100 : 0));
    mesh.ready();
    for (int step = 0; step < 1000; step++) {
      mesh.each("relax", grid.cells(), reads(u, STAR), writes(v),
          k -> v.set(k, .25 * (u.at(k - e) + u.at(k + e) + u.at(k - n) + u.at(k + n))));
      mesh.each("copy", grid.cells(), reads(v), writes(u), k -> u.set(k, v.at(k)));
      if (step % 100 == 0 && !mesh.replaying()) {
        IO.println("step " + step);
      }
      if (step == crashAt && !mesh.replaying()) {
        Runtime.getRuntime().halt(1);
      }
    }
    double heat = mesh.sum("heat", grid.cells(), reads(u), k -> u.at(k));
    if (ranks.rank() == 0) {
      Files.writeString(Path.of("loops.txt"), "heat " + heat + "\n");
      IO.print(Files.readString(Path.of("loops.txt")));
    }
  }
}
