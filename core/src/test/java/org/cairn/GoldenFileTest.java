// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Containers of format version 2, kept for ever: this release reads them, and finds in each what
 * the text beside it says. A failure here means that users' files can no longer be read as they
 * were written; then the format needs a new version number and golden files of its own, in a
 * directory {@code v3}, and these stay. Before the first release only, {@code -Dcairn.golden=write}
 * makes them anew. (Version 1 was never released, and is refused.)
 */
class GoldenFileTest {
  private static final Path GOLDEN = Path.of("../core/src/test/resources/golden/v2");

  @TempDir Path directory;

  @BeforeAll
  static void writeIfAsked() throws IOException {
    if ("write".equals(System.getProperty("cairn.golden"))) {
      GoldenFiles.write(GOLDEN);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "single",
        "several",
        "several-moved", // as it was written when more was moved
        "coded",
        "zeros",
        "example",
        "divided",
        "everywhere",
        "spooky",
        "damaged-superblock",
        "damaged-block"
      })
  void isReadAsDescribed(String name) throws IOException {
    byte[] container = Files.readAllBytes(GOLDEN.resolve(name + ".cairn"));
    String description = Files.readString(GOLDEN.resolve(name + ".txt"));
    assertThat(GoldenFiles.describe(container)).isEqualTo(description);
  }

  /** Writers may lay out a file as they like, but a change of what they write should be noticed. */
  @Test
  void thisReleaseStillWritesTheSameBytes() throws IOException {
    for (Map.Entry<String, byte[]> made : GoldenFiles.make().entrySet()) {
      // What deflate makes of a text depends on the library; the rest does not.
      if (!made.getKey().equals("coded")) {
        byte[] golden = Files.readAllBytes(GOLDEN.resolve(made.getKey() + ".cairn"));
        assertThat(made.getValue()).as(made.getKey()).isEqualTo(golden);
      }
    }
  }

  @Test
  void aProgramRestartsFromSeveralVersions() throws IOException {
    restartFrom("several", 4, false);
  }

  @Test
  void aProgramRestartsInSpiteOfADamagedSuperblock() throws IOException {
    restartFrom("damaged-superblock", 3, true);
  }

  @Tag("slow")
  @Test
  void aProgramRestartsInSpiteOfADamagedBlock() throws IOException {
    restartFrom("damaged-block", 3, true);
  }

  private void restartFrom(String name, int expected, boolean damaged) throws IOException {
    long[][] grown = {new long[0]};
    int[] field = new int[200];
    try (Checkpointer cairn =
        Checkpointer.open(
            GoldenFiles.unpack(GOLDEN.resolve(name + ".cairn"), directory),
            Options.defaults().blockSize(128))) {
      LongCell step = cairn.protect("step", 0L);
      cairn.protect("field", field);
      cairn.protect("grown", long[].class, () -> grown[0], n -> grown[0] = new long[(int) n]);
      RestartReport report = cairn.restart();
      assertThat(step.get()).isEqualTo(expected);
      assertThat(field[40 * expected - 40]).isEqualTo(1 - expected);
      assertThat(grown[0]).hasSize(10 * expected).containsOnly(expected);
      assertThat(report.problems().isEmpty()).isEqualTo(!damaged);
      cairn.checkpoint();
    }
  }
}
