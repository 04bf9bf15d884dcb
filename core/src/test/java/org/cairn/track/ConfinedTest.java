// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.cairn.testkit.process.ChildJava;
import org.cairn.testkit.random.OnlyThorough;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Processes of their own where something is really missing: a filter of system calls forbids them
 * or answers as an older kernel does, files must not be opened, memory is short.
 */
class ConfinedTest {
  private static final String HASHED = "hashed 1048576, changed 16384, not tracked: ";
  private static final String TRACKED = "hashed 16384, changed 16384, tracked";

  @TempDir Path directory;

  @BeforeAll
  static void onlyWherePagesCanBeTracked() {
    try {
      UserfaultWatch.open().close();
    } catch (UnwatchableException e) {
      assumeTrue(false, "pages cannot be tracked here: " + e.why());
    }
  }

  private String run(List<String> before, List<String> flags, String missing) throws IOException {
    List<String> all = new ArrayList<>(flags);
    all.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=info");
    List<String> command = new ArrayList<>(before);
    command.addAll(
        ChildJava.like(ConfinedProgram.class, "checkpoints", "nothing")
            .command(
                all,
                ConfinedProgram.class,
                List.of(directory.resolve("checkpoints").toString(), missing)));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private String run(String missing) throws IOException {
    return run(List.of(), List.of(), missing);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          permission | gives no userfaultfd: not permitted here (a container's filter of system calls
          scan       | does not say what was written: it does not know the call; Linux 6.7 or later does
          """)
  void whatTheKernelDoesNotGiveIsNamedAndEverythingIsHashed(String missing, String why)
      throws IOException {
    expectHashing(missing, why);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          call         | gives no userfaultfd: it does not know the call; Linux 6.7 or later does
          asynchronous | userfaultfd is too old: it cannot protect asynchronously; Linux 6.7 or later can
          """)
  @OnlyThorough
  void soAreOlderKernels(String missing, String why) throws IOException {
    expectHashing(missing, why);
  }

  private void expectHashing(String missing, String why) throws IOException {
    assertThat(run(missing))
        .containsOnlyOnce("writes to memory are not tracked, everything is hashed: the kernel")
        .contains(HASHED, why, "saved 7", "end")
        .contains("refused: tracking is required and cannot be had: the kernel")
        .contains("choose Tracking.AUTO to do without");
  }

  /** What a scan has forgotten that nobody was told is not lost: everything counts as written. */
  @Test
  void aKernelThatStopsAnsweringCostsTimeAndNoBytes() throws IOException {
    assertThat(run("scan-later").lines())
        .anySatisfy(line -> assertThat(line).startsWith(TRACKED))
        .anySatisfy(line -> assertThat(line).startsWith("hashed 1048576, changed 16384"))
        .contains("saved 7", "end");
  }

  @Test
  void aLimitOfFilesIsNamedAndEverythingIsHashed() throws IOException {
    expectLimit("files", "the kernel gives no userfaultfd");
  }

  @Test
  @OnlyThorough
  void soIsOneThatLeavesRoomForOneFile() throws IOException {
    expectLimit("second-file", "/proc/self/pagemap cannot be read");
  }

  private void expectLimit(String missing, String what) throws IOException {
    List<String> limited = List.of("sh", "-c", "ulimit -n 400 && exec \"$@\"", "sh");
    assertThat(run(limited, List.of(), missing))
        .contains("Too many open files")
        .contains("why: " + what + ": too many files are open; see ulimit -n")
        .contains(HASHED + what, "saved 7", "end")
        .contains("refused: tracking is required and cannot be had: " + what);
  }

  @Test
  @OnlyThorough
  void aHundredThousandDatasetsNeedNoWatchEachAndLittleMemory() throws IOException {
    assertThat(run(List.of(), List.of("-Xmx192m"), "memory"))
        .contains("100000 datasets, 100000 hashed, 1 changed, not tracked, 0 watched", "end");
  }

  @Test
  @OnlyThorough
  void whereTrackingIsRequiredManyDatasetsOfAPageAreWatchedEach() throws IOException {
    assertThat(run(List.of(), List.of("-Xmx192m"), "memory-for-watches"))
        .contains("20000 datasets, 1 hashed, 1 changed, tracked, 20000 watched", "end");
  }
}
