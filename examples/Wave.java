// SPDX-License-Identifier: Apache-2.0
//
// A wave on a string, in forty lines. Run it, let it crash, run it again:
//
//   ./cairn run examples/Wave.java --crash-at 600
//   ./cairn run examples/Wave.java
//
// The second one goes on where the last checkpoint was, and leaves the same wave.txt.

import org.cairn.*;

void main(String[] arguments) throws Exception {
  List<String> options = List.of(arguments);
  int crashAt = options.contains("--crash-at") ? Integer.parseInt(options.getLast()) : -1;

  double[] now = new double[1000];
  double[] before = new double[1000];
  for (int i = 400; i < 600; i++) {
    now[i] = before[i] = Math.sin(Math.PI * (i - 400) / 200);
  }

  try (Checkpointer cairn = Checkpointer.open(Path.of("checkpoints"))) {
    LongCell step = cairn.protect("step", 0L);
    cairn.protect("now", now);
    cairn.protect("before", before);

    IO.println(cairn.restart());
    while (step.get() < 1000) {
      advance(now, before);
      if (step.increment() % 100 == 0) {
        IO.println("step " + step + ": " + cairn.checkpoint());
      }
      if (step.get() == crashAt) {
        Runtime.getRuntime().halt(1); // as if somebody had pulled the plug
      }
    }
  }
  Files.writeString(Path.of("wave.txt"), Arrays.toString(now).replace(", ", "\n"));
}

/** The next moment takes the place of the one before, and both change names. */
void advance(double[] now, double[] before) {
  for (int i = 1; i < now.length - 1; i++) {
    before[i] = 2 * now[i] - before[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
  }
  double[] after = before.clone();
  System.arraycopy(now, 0, before, 0, now.length);
  System.arraycopy(after, 0, now, 0, now.length);
}
