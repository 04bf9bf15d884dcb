// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints in the background, with a copy at a partner and every third in a shared directory:
//
//   ./cairn run -n 2 --domains per-rank examples/Tiered.java --crash-at 70
//   rm -r checkpoints/tiered/rank1                      # a node is lost
//   ./cairn run -n 2 --domains per-rank examples/Tiered.java
//
// The second one tells that rank 1 came back from its partner. Without an MPI, add --threads.

import org.cairn.*;
import org.cairn.comm.*;
import org.cairn.store.*;

void main(String[] arguments) throws Exception {
  int crashAt = arguments.length == 2 && arguments[0].equals("--crash-at") ? Integer.parseInt(arguments[1]) : -1;
  Tiers tiers = Tiers.none().partner(1).shared(DirectoryStore.shared(Path.of("checkpoints/tiered-shared")), 3);
  Options options = Options.defaults().asynchronous(true).tiers(tiers);
  try (Communicator ranks = Communicators.world();
      Checkpointer cairn = Checkpointer.open(Path.of("checkpoints/tiered"), ranks, options)) {
    long[] values = new long[100_000];
    LongCell step = cairn.protect("step", 0L);
    cairn.protect("values", values);

    RestartReport report = cairn.restart();
    if (ranks.rank() == 0) {
      IO.println(report);
    }
    while (step.get() < 100) {
      for (int i = 0; i < values.length; i++) {
        values[i] = values[i] * 31 + i + ranks.rank();
      }
      if (step.increment() % 10 == 0) {
        cairn.checkpoint(); // returns as soon as what changed is copied aside
      }
      if (step.get() == crashAt) {
        cairn.flush(TierKind.PARTNER); // so that the loss of a node can be tried at once
        Runtime.getRuntime().halt(1);
      }
    }
    long sum = ranks.allReduce(Arrays.stream(values).sum(), Reduction.SUM);
    if (ranks.rank() == 0) {
      Files.writeString(Path.of("tiered.txt"), sum + "\n");
      IO.println("sum " + sum);
    }
  }
}
