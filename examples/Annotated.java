// SPDX-License-Identifier: Apache-2.0
//
// An object whose annotated fields are its state; the random numbers go on where they were.
//
//   ./cairn run examples/Annotated.java --crash-at 700
//   ./cairn run examples/Annotated.java

import org.cairn.*;

/** A walk in the plane. */
static final class Walk {
  @Protect double[] x = new double[1001];
  @Protect double[] y = new double[1001];
  @Protect int step;
  @Protect long random = 42;
  double longest; // not state: computed from it

  void walk() {
    x[step + 1] = x[step] + draw();
    y[step + 1] = y[step] + draw();
    step++;
  }

  /** A generator whose state is one number: java.util.Random would hide its own. */
  private double draw() {
    random = random * 6364136223846793005L + 1442695040888963407L;
    return (random >> 11) * 0x1p-53;
  }

  double longest() {
    for (int i = 0; i <= step; i++) {
      longest = Math.max(longest, Math.hypot(x[i], y[i]));
    }
    return longest;
  }
}

void main(String[] arguments) throws IOException {
  int crashAt = arguments.length == 2 && arguments[0].equals("--crash-at") ? Integer.parseInt(arguments[1]) : -1;
  Walk walk = new Walk();
  try (Checkpointer cairn = Checkpointer.open(Path.of("checkpoints/annotated"))) {
    cairn.protectObject("walk", walk);
    IO.println(cairn.restart());
    while (walk.step < 1000) {
      walk.walk();
      if (walk.step % 200 == 0) {
        IO.println("step " + walk.step + ": " + cairn.checkpoint());
      }
      if (walk.step == crashAt) {
        Runtime.getRuntime().halt(1);
      }
    }
  }
  Files.writeString(Path.of("walk.txt"), "farthest " + walk.longest() + "\n");
  IO.print(Files.readString(Path.of("walk.txt")));
}
