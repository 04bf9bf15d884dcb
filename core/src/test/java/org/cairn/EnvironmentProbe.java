// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.cairn.container.ContainerReader;
import org.cairn.store.DirectoryStore;

/** What {@link EnvironmentTest} has to try in another process: on a file system made for it. */
final class EnvironmentProbe {
  private EnvironmentProbe() {}

  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[1]);
    switch (args[0]) {
      case "write" -> SampleState.write(DirectoryStore.open(directory, true), 3);
      case "hold" -> hold(directory);
      case "open" -> open(directory);
      case "go on" -> goOn(directory);
      case "read" -> read(directory);
      case "fill" -> fill(directory);
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void hold(Path directory) throws IOException {
    try (Checkpointer cairn = Checkpointer.open(directory)) {
      System.out.println("holding " + cairn.datasets().size());
      int end = System.in.read();
      assert end < 0;
    }
  }

  private static void open(Path directory) {
    try (Checkpointer cairn = Checkpointer.open(directory)) {
      System.out.println("opened " + cairn.versions().size());
    } catch (CheckpointDirectoryException e) {
      System.out.println("refused " + e.getMessage());
    }
  }

  private static void goOn(Path directory) {
    try (Checkpointer cairn = Checkpointer.open(directory)) {
      cairn.protect("step", 0L);
      cairn.restart();
      cairn.checkpoint();
      System.out.println("went on");
    } catch (RuntimeException e) {
      System.out.println("refused " + e.getMessage());
    }
  }

  private static void read(Path directory) throws IOException {
    DirectoryStore store = DirectoryStore.open(directory, false);
    try (ContainerReader reader = ContainerReader.open(store, SampleState.FILE)) {
      System.out.println("read " + reader.versions().size());
    }
  }

  /** Lets an array grow until the disk is full, shrinks it and goes on. */
  private static void fill(Path directory) {
    byte[][] array = {new byte[1000]};
    try (Checkpointer cairn = Checkpointer.open(directory)) {
      cairn.protect("a", byte[].class, () -> array[0], n -> array[0] = new byte[(int) n]);
      int good = growUntilFull(cairn, array);
      cairn.restart();
      require(array[0].length == good, "the last good one has " + good + " bytes");
      array[0] = new byte[500];
      Arrays.fill(array[0], (byte) 77);
      cairn.checkpoint();
      array[0] = new byte[0];
    }
    try (Checkpointer cairn = Checkpointer.open(directory)) {
      cairn.protect("a", byte[].class, () -> array[0], n -> array[0] = new byte[(int) n]);
      cairn.restart();
      require(array[0].length == 500 && array[0][499] == 77, "the state after the full disk");
      System.out.println("survived");
    }
  }

  private static int growUntilFull(Checkpointer cairn, byte[][] array) {
    while (true) {
      int length = array[0].length;
      array[0] = new byte[2 * length];
      new Random(length).nextBytes(array[0]);
      try {
        cairn.checkpoint();
      } catch (CheckpointFailedException e) {
        System.out.println("full " + e.getMessage());
        return length;
      }
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
