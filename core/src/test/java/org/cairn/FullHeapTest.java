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
    List<String> command = new ArrayList<>();
    command.add(ChildJava.executable());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx20m"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", ChildJava.classPath(), FullHeapProgram.class.getName()));
    command.addAll(List.of(directory.resolve("c" + seed).toString(), Long.toString(seed), "8"));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(said).containsPattern("8 ended, the last (is the same|failed: )|lost a class: ");
  }
}
