// SPDX-License-Identifier: Apache-2.0
//
// A wave on a string, in forty lines. Let it crash, and run it again:
//
//   ./cairn run examples/Wave.java --crash-at 650
//   ./cairn run examples/Wave.java
//
// The second one goes on with step 600, and leaves the wave.txt of a run that never crashed.

import org.cairn.*;

void main(String[] arguments) throws IOException {
  int crashAt = arguments.length == 2 && arguments[0].equals("--crash-at") ? Integer.parseInt(arguments[1]) : -1;
  double[] now = new double[1000];
  double[] before = new double[1000];
  for (int i = 400; i < 600; i++) {
    now[i] = before[i] = Math.sin(Math.PI * (i - 400) / 200);
  }
  try (Checkpointer cairn = Checkpointer.open(Path.of("checkpoints/wave"))) {
    IntCell step = cairn.protect("step", 0);
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

void advance(double[] now, double[] before) {
  for (int i = 1; i < now.length - 1; i++) {
    before[i] = 2 * now[i] - before[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
  }
  for (int i = 0; i < now.length; i++) { // what was computed is now, and now was before
    double next = before[i];
    before[i] = now[i];
    now[i] = next;
  }
}
