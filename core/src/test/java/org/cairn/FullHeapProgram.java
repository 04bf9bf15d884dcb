// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.ServiceConfigurationError;
import org.jspecify.annotations.Nullable;

/**
 * Fills its heap, to the last bytes or nearly, takes a checkpoint, lets go of what it had, and does
 * so again. Every checkpoint has to end, well or not, and what is durable has to be right.
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
    try {
      run(Path.of(args[0]), new Random(seed), Integer.parseInt(args[2]));
    } catch (LinkageError | ServiceConfigurationError e) {
      // A class whose initializer meets a full heap is lost to its JVM for ever, the JDK's too.
      System.out.println("lost a class: " + e.getMessage());
    }
  }

  private static void run(Path directory, Random random, int rounds) {
    int ended = 0;
    try (Checkpointer cairn = Checkpointer.open(directory)) {
      double[] u = new double[1 << 17];
      cairn.protect("u", u);
      cairn.restart();
      cairn.checkpoint(); // what it needs is loaded
      for (int round = 0; round < rounds; round++) {
        change(u, random);
        checkpoint(cairn, round % 2 == 0, random.nextInt(60));
        ended++;
      }
      change(u, random);
      System.out.println(ended + " ended, the last " + last(cairn, directory, u));
    }
  }

  private static String last(Checkpointer cairn, Path directory, double[] u) {
    try {
      cairn.checkpoint();
    } catch (CheckpointFailedException e) {
      return "failed: " + e.getMessage();
    }
    double[] saved = Checkpoints.open(directory).newest().read("u").doubles();
    return Arrays.equals(u, saved) ? "is the same" : "is DAMAGED";
  }

  private static void change(double[] u, Random random) {
    for (int i = 0; i < u.length; i += 1 + random.nextInt(4000)) {
      u[i]++;
    }
  }

  /** However it ends. */
  private static void checkpoint(Checkpointer cairn, boolean asynchronous, int left) {
    try {
      fill(left);
      if (asynchronous) {
        cairn.checkpointAsync().await();
      } else {
        cairn.checkpoint();
      }
    } catch (IllegalStateException e) {
      throw e; // the call before has not ended, or so it is said
    } catch (OutOfMemoryError | RuntimeException e) {
      // There was too little memory; what counts is that somebody says so.
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
