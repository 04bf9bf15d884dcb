// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.cairn.testkit.process.ChildJava;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Thorough;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real heaps without room, where every thread meets the end of memory wherever it happens to be: no
 * checkpoint may wait for what will never come, and none that is called good may be otherwise.
 */
class FullHeapTest {
  @TempDir Path directory;

  @SeededTest(seeds = 2)
  @Thorough(times = 4)
  void everyCheckpointEnds(long seed) throws IOException {
    String place = directory.resolve("c" + seed).toString();
    String said = said("-Xmx20m", FullHeapProgram.class, place, Long.toString(seed), "8");
    assertThat(said).containsPattern("8 ended, the last (is the same|failed: )|lost a class: ");
  }

  /**
   * Ranks of one heap, each with a copy of another: none waits for one that has met the end of
   * memory, all hear the same, and the next checkpoint works, or the job ends for all.
   */
  @SeededTest(seeds = 4)
  @EnabledIfSystemProperty(named = "cairn.fullHeapOfRanks", matches = "true")
  void ranksHearTheSame(long seed) throws IOException {
    String place = directory.resolve("r" + seed).toString();
    String ranks = Long.toString(2 + seed % 2);
    String said =
        said("-Xmx24m", FullHeapOfRanks.class, place, Long.toString(seed), "3", ranks, "PARTNER");
    assertThat(said)
        .containsPattern("3 ended alike|lost a class: ")
        .doesNotContain("none has moved");
  }

  private static String said(String heap, Class<?> program, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ChildJava.executable());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", heap));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", ChildJava.classPath(), program.getName()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
