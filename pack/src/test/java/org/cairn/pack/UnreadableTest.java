// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.cairn.testkit.process.ChildJava;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files whose system fails with EIO when they are read, as disks do that decay. A library that is
 * preloaded into a process of its own lets the system's calls fail; see {@link UnreadableChild}.
 */
class UnreadableTest {
  @TempDir Path dir;

  @Test
  void whatCannotBeReadIsNamedAndNothingElseSuffers() throws Exception {
    Path library = library();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", ChildJava.classPath(), UnreadableChild.class.getName()));
    command.add(Files.createDirectory(dir.resolve("child")).toRealPath().toString());
    ProcessBuilder child = new ProcessBuilder(command).redirectErrorStream(true);
    child.environment().put("LD_PRELOAD", library.toString());
    child.environment().put(UnreadableChild.CONTROL, dir.resolve("control").toString());
    Process process = child.start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }

  private Path library() throws IOException, InterruptedException {
    Path source = dir.resolve("failing-reads.c");
    try (InputStream in = UnreadableTest.class.getResourceAsStream("failing-reads.c")) {
      Files.copy(Objects.requireNonNull(in), source);
    }
    Path library = dir.resolve("failing-reads.so");
    assumeTrue(
        isRun("gcc", "-shared", "-fPIC", "-o", library.toString(), source.toString()),
        "no C compiler, so nothing fails");
    return library;
  }

  private static boolean isRun(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
