// SPDX-License-Identifier: Apache-2.0
package org.cairn.work;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import org.cairn.Checkpointer;
import org.cairn.container.BlockScan;
import org.cairn.restart.RestartTarget;
import org.junit.jupiter.api.Test;

/** What the build writes down of the classes that a restart comes to. */
class HeadStartTest {
  @Test
  void itIsAllThere() throws ClassNotFoundException, IOException {
    List<String> names = names();

    assertThat(names)
        .doesNotHaveDuplicates()
        .contains(
            Checkpointer.class.getName(),
            BlockScan.class.getName(),
            RestartTarget.class.getName(),
            "java.nio.channels.AsynchronousFileChannel");
    for (String name : names) {
      assertThat(Class.forName(name, false, HeadStart.class.getClassLoader()).getName())
          .isEqualTo(name);
    }
  }

  /** The program that was looked at is not ours, and what a JVM makes as it goes has no file. */
  @Test
  void nothingElseIs() throws IOException {
    assertThat(names())
        .allMatch(name -> name.contains("."))
        .noneMatch(name -> name.contains("/") || name.isBlank());
  }

  private static List<String> names() throws IOException {
    try (InputStream list =
        Objects.requireNonNull(
            HeadStart.class.getResourceAsStream("first-classes.txt"),
            "build/FirstClasses.java was not run")) {
      return new String(list.readAllBytes(), US_ASCII).lines().toList();
    }
  }
}
