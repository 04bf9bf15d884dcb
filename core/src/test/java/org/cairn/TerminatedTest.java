// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A signal that ends the process is the last thing in the log; a failure is not called one. */
@Tag("slow")
class TerminatedTest {
  @TempDir Path directory;

  @Test
  void sigtermIsTheLastEvent() throws Exception {
    run("wait", Process::destroy);
    assertThat(lastEvent())
        .contains("\"event\":\"terminated\"", "\"signal\":\"SIGTERM\"", "\"run\":");
  }

  @Test
  void soIsAnInterruptOfAPerson() throws Exception {
    assumeFalse(
        isIgnored(2), "this process was started in the background, which nobody interrupts");
    run("wait", program -> signal("INT", program));
    assertThat(lastEvent()).contains("\"event\":\"terminated\"", "\"signal\":\"SIGINT\"");
  }

  /** Whether a signal does nothing to this process, nor to those that it starts. */
  private static boolean isIgnored(int signal) throws IOException {
    Path status = Path.of("/proc/self/status");
    return Files.exists(status)
        && Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .map(line -> Long.parseUnsignedLong(line.substring("SigIgn:".length()).strip(), 16))
            .anyMatch(ignored -> (ignored >> signal - 1 & 1) != 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"throw", "exit"})
  void aProgramThatFailsIsNotTerminated(String how) throws Exception {
    run(how, program -> {});
    assertThat(lastEvent()).contains("\"event\":\"checkpoint\"");
  }

  @Test
  void afterCloseThereIsNothingLeftToSay() throws Exception {
    run("close and wait", Process::destroy);
    assertThat(lastEvent()).contains("\"event\":\"close\"");
  }

  @Test
  void aKilledProgramSaysNothing() throws Exception {
    run("wait", Process::destroyForcibly);
    assertThat(lastEvent()).contains("\"event\":\"checkpoint\"");
  }

  private interface End {
    void of(Process program) throws Exception;
  }

  private void run(String how, End end) throws Exception {
    Process program =
        ChildJvm.start(TerminatedProgram.class, List.of(), List.of(directory.toString(), how));
    try (BufferedReader out = program.inputReader()) {
      assertThat(out.readLine()).isEqualTo("ready");
      if (how.startsWith("close")) {
        awaitClose();
      }
      end.of(program);
      program.waitFor();
    } finally {
      program.destroyForcibly();
    }
  }

  private void awaitClose() throws Exception {
    while (!lastEvent().contains("\"event\":\"close\"")) {
      Thread.sleep(5);
    }
  }

  private static void signal(String name, Process program) throws Exception {
    new ProcessBuilder("kill", "-" + name, String.valueOf(program.pid())).start().waitFor();
  }

  private String lastEvent() throws IOException {
    return Files.readAllLines(directory.resolve("events.jsonl")).getLast();
  }
}
