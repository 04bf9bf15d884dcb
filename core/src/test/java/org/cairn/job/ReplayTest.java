// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.cairn.testkit.process.ChildJava;
import org.cairn.testkit.schedule.Trace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A seed fixes the whole history of a disaster, in any process, on any number of cores: traces are
 * compared byte by byte.
 */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
@Tag("slow")
class ReplayTest {
  private static final int SEEDS = 4;

  /** Less than what happens in any disaster takes in words. */
  private static final long FEW_BYTES = 10_000;

  @TempDir private Path directory;

  /** Writes what happens with a few seeds, or with one, to a file for each in a directory. */
  public static void main(String[] arguments) throws Exception {
    long only = Long.getLong("cairn.seed", 0);
    for (long seed = Math.max(1, only); seed <= (only == 0 ? SEEDS : only); seed++) {
      write(seed, file(Path.of(arguments[0]), seed));
    }
  }

  private static void write(long seed, Path file) throws Exception {
    try (PrintWriter lines =
        new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8))) {
      Trace trace = new Disasters(seed).telling(lines::println).run();
      lines.println(trace.slices() + " slices, " + trace.digest());
      assertThat(lines.checkError()).as("%s cannot be written", file).isFalse();
    }
  }

  private static Path file(Path directory, long seed) {
    return directory.resolve("trace" + seed);
  }

  @Test
  void aHistoryIsTheSameInAnyProcess() throws Exception {
    Path one = history(1);
    Path two = history(2);
    Set<Long> lengths = new HashSet<>();
    for (long seed = 1; seed <= SEEDS; seed++) {
      assertSame(seed, file(one, seed), file(two, seed));
      lengths.add(Files.size(file(one, seed)));
    }
    assertThat(lengths).hasSize(SEEDS).allMatch(bytes -> bytes > FEW_BYTES);
  }

  private static void assertSame(long seed, Path one, Path two) throws IOException {
    if (Files.mismatch(one, two) >= 0) {
      List<String> first = Files.readAllLines(one);
      List<String> second = Files.readAllLines(two);
      int line = 0;
      while (line < Math.min(first.size(), second.size())
          && first.get(line).equals(second.get(line))) {
        line++;
      }
      fail(
          "disaster %d is another one on two cores from line %d on:%n%s%n%s"
              .formatted(seed, line + 1, from(first, line), from(second, line)));
    }
  }

  /** A line with those around it. */
  private static String from(List<String> lines, int line) {
    return String.join(
        "\n", lines.subList(Math.max(0, line - 3), Math.min(lines.size(), line + 3)));
  }

  /** Runs in a fresh process; gives the directory with what happened. */
  private Path history(int cores) throws IOException, InterruptedException {
    Path traces = Files.createDirectory(directory.resolve("cores" + cores));
    List<String> command = new ArrayList<>();
    command.add(ChildJava.executable());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> flag.startsWith("--add") || flag.startsWith("--enable"))
        .forEach(command::add);
    command.addAll(
        List.of(
            "-Djdk.trackAllThreads=false",
            "-XX:ActiveProcessorCount=" + cores,
            "-XX:TieredStopAtLevel=1",
            "-cp",
            ChildJava.classPath(),
            ReplayTest.class.getName(),
            traces.toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("output").toFile())
            .start();
    assertThat(process.waitFor()).withFailMessage(() -> read(directory.resolve("output"))).isZero();
    return traces;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
