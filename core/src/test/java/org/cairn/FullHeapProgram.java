// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.nio.file.Path;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Fills its heap, to the last bytes or nearly, takes a checkpoint, lets go of what it had, and does
 * so again. Every checkpoint has to end, well or not, and the last one, with memory, well.
 */
final class FullHeapProgram {
  private static final int LARGEST = 1 << 20;
  private static final int SMALLEST = 16;

  /** What fills the heap, seen by all threads. */
  private static volatile @Nullable Link filling;

  private record Link(@Nullable Link next, byte @Nullable [] bytes) {}

  private FullHeapProgram() {}

  public static void main(String[] args) {
    long seed = Long.parseLong(args[1]);
    Random random = new Random(seed);
    int rounds = Integer.parseInt(args[2]);
    int failed = 0;
    try (Checkpointer cairn = Checkpointer.open(Path.of(args[0]))) {
      double[] u = new double[1 << 17];
      cairn.protect("u", u);
      cairn.restart();
      cairn.checkpoint(); // a class whose initializer meets a full heap is lost to a JVM for ever
      for (int round = 0; round < rounds; round++) {
        change(u, random);
        failed += checkpoint(cairn, round % 2 == 0, random.nextInt(60)) ? 0 : 1;
      }
      change(u, random);
      System.out.println("with memory: " + cairn.checkpoint().isDurable());
      double[] saved = Checkpoints.open(Path.of(args[0])).newest().read("u").doubles();
      System.out.println("the same: " + java.util.Arrays.equals(u, saved));
    }
    System.out.println("failed " + failed);
  }

  private static void change(double[] u, Random random) {
    for (int i = 0; i < u.length; i += 1 + random.nextInt(4000)) {
      u[i]++;
    }
  }

  private static boolean checkpoint(Checkpointer cairn, boolean asynchronous, int left) {
    try {
      fill(left);
      if (asynchronous) {
        cairn.checkpointAsync().await();
      } else {
        cairn.checkpoint();
      }
      return true;
    } catch (OutOfMemoryError | RuntimeException e) {
      return false;
    } finally {
      filling = null;
    }
  }

  private static void fill(int left) {
    for (int size = LARGEST; size >= SMALLEST; ) {
      try {
        filling = new Link(filling, size == SMALLEST ? null : new byte[size]);
      } catch (OutOfMemoryError e) {
        size /= 2;
      }
    }
    for (int i = 0; i < left && filling != null; i++) {
      filling = filling.next();
    }
  }
}
