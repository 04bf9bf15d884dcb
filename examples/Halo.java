// SPDX-License-Identifier: Apache-2.0
//
// A plate that is divided among ranks, which exchange their outermost rows. Each rank says which rows
// it has, so the job may go on with another number of ranks:
//
//   ./cairn run -n 2 examples/Halo.java --crash-at 250
//   ./cairn run -n 3 examples/Halo.java
//   ./cairn export checkpoints/halo --dataset u --file u.npy
//
// Without an MPI on the path: ./cairn run -n 2 --threads examples/Halo.java

import java.lang.foreign.MemorySegment;
import org.cairn.*;
import org.cairn.comm.*;

static final int ROWS = 120;
static final int COLUMNS = 100;
static final int TAG = 1;

void main(String[] arguments) throws IOException {
  int crashAt = arguments.length == 2 && arguments[0].equals("--crash-at") ? Integer.parseInt(arguments[1]) : -1;
  try (Communicator ranks = Communicators.world();
      Checkpointer cairn = Checkpointer.open(Path.of("checkpoints/halo"), ranks)) {
    int first = ROWS * ranks.rank() / ranks.size();
    int rows = ROWS * (ranks.rank() + 1) / ranks.size() - first;
    double[] u = new double[(rows + 2) * COLUMNS]; // a row of a neighbour above, and one below
    if (first == 0) {
      Arrays.fill(u, COLUMNS, 2 * COLUMNS, 100); // the first row is hot, and stays so
    }
    LongCell step = cairn.protectEverywhere("step", 0L);
    long[] plate = {ROWS, COLUMNS};
    cairn.protect("u", u)
        .part(Part.of(plate, new long[] {first, 0}, new long[] {rows, COLUMNS}).halo(1, 0));

    RestartReport report = cairn.restart();
    if (ranks.rank() == 0) {
      IO.println(report);
    }
    CartesianGrid line = CartesianGrid.of(ranks, 0);
    while (step.get() < 400) {
      line.shift(0, 1, row(u, rows), row(u, 0), TAG);
      line.shift(0, -1, row(u, 1), row(u, rows + 1), TAG);
      relax(u, first, rows);
      if (step.increment() % 100 == 0) {
        cairn.checkpoint();
      }
      if (step.get() == crashAt && ranks.rank() == ranks.size() - 1) {
        Runtime.getRuntime().halt(1); // and the others end with it
      }
    }
    double heat = ranks.allReduce(Arrays.stream(u, COLUMNS, (rows + 1) * COLUMNS).max().orElse(0), Reduction.MAX);
    double corner = ranks.allReduce(first == 0 ? u[2 * COLUMNS + 50] : 0, Reduction.MAX);
    if (ranks.rank() == 0) {
      Files.writeString(Path.of("halo.txt"), "hottest %s, below the middle of the first row %s%n".formatted(heat, corner));
      IO.print(Files.readString(Path.of("halo.txt")));
    }
  }
}

MemorySegment row(double[] u, int row) {
  return ArrayPart.of(u, row * COLUMNS, COLUMNS);
}

void relax(double[] u, int first, int rows) {
  double[] old = u.clone();
  for (int row = 1; row <= rows; row++) {
    if (first + row - 1 == 0 || first + row == ROWS) {
      continue; // the boundary
    }
    for (int k = row * COLUMNS + 1; k < (row + 1) * COLUMNS - 1; k++) {
      u[k] = .25 * (old[k - 1] + old[k + 1] + old[k - COLUMNS] + old[k + COLUMNS]);
    }
  }
}
