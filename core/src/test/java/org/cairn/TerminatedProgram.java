// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A program that takes a checkpoint and then ends in the way it is told, or waits to be ended. */
public final class TerminatedProgram {
  private TerminatedProgram() {}

  /** The directory for checkpoints, and how to end. */
  public static void main(String[] arguments) throws InterruptedException {
    Checkpointer cairn = Checkpointer.open(Path.of(arguments[0]), Options.defaults().threads(1));
    cairn.protect("step", 1L);
    cairn.restart();
    cairn.checkpoint();
    System.out.println("ready");
    switch (arguments[1]) {
      case "wait" -> new CountDownLatch(1).await();
      case "throw" -> throw new IllegalStateException("as told");
      case "exit" -> System.exit(3);
      case "close and wait" -> {
        cairn.close();
        new CountDownLatch(1).await();
      }
      default -> throw new IllegalArgumentException(arguments[1]);
    }
  }
}
