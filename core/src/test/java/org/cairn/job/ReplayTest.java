// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.cairn.testkit.schedule.Trace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A seed fixes the whole history of a disaster, in any process, on any number of cores. */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
@Tag("slow")
class ReplayTest {
  private static final int SEEDS = 4;

  /** Prints what happens with a few seeds. */
  public static void main(String[] arguments) throws Exception {
    long only = Long.getLong("cairn.seed", 0);
    for (long seed = Math.max(1, only); seed <= (only == 0 ? SEEDS : only); seed++) {
      Trace trace = new Disasters(new Random(seed)).run();
      System.out.println(seed + ": " + trace.slices() + " slices, " + trace.digest());
      if (Boolean.getBoolean("cairn.trace")) {
        trace.lines().forEach(System.out::println);
      }
    }
  }

  @Test
  void aHistoryIsTheSameInAnyProcess() throws Exception {
    List<String> one = history(1);
    assertThat(one).hasSize(SEEDS).doesNotHaveDuplicates();
    assertThat(history(2)).isEqualTo(one);
  }

  private static List<String> history(int cores) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> flag.startsWith("--add") || flag.startsWith("--enable"))
        .forEach(command::add);
    command.addAll(
        List.of(
            "-Djdk.trackAllThreads=false",
            "-XX:ActiveProcessorCount=" + cores,
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            ReplayTest.class.getName()));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.lines().toList();
  }
}
