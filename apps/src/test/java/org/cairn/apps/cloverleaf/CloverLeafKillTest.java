// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.cloverleaf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.cairn.testkit.process.ChildJava;
import org.cairn.testkit.random.OnlyThorough;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.io.TempDir;

/** A process that is killed with SIGKILL in several lives ends as one that was not. */
@OnlyThorough
class CloverLeafKillTest {
  private static final int KILLS = 4;
  private static final int STEPS = 60;

  /** What a few steps take: some kills come between a checkpoint's beginning and its end. */
  private static final int MOST_MICROS = 20_000;

  private static final ChildJava CHILD =
      ChildJava.like(CloverLeafProgram.class, "--size", "8", "--steps", "3");

  @TempDir Path temp;

  @SeededTest(seeds = 4)
  void itEndsWithTheSameBits(Random random) throws IOException, InterruptedException {
    Path disturbed = temp.resolve("disturbed.txt");
    Path whole = temp.resolve("whole.txt");
    List<Integer> beginnings = new ArrayList<>();
    for (int kill = 0; kill < KILLS; kill++) {
      List<Integer> steps = live(disturbed, random.nextInt(8, 30), random.nextInt(MOST_MICROS));
      steps.stream().findFirst().ifPresent(beginnings::add);
    }
    beginnings.add(live(disturbed, Integer.MAX_VALUE, 0).getFirst());
    live(whole, Integer.MAX_VALUE, 0);

    assertThat(disturbed).hasSameTextualContentAs(whole);
    assertThat(beginnings.getLast()).as("first steps of lives " + beginnings).isGreaterThan(1);
  }

  /**
   * Runs the program, and kills it a moment after so many of its lines.
   *
   * @return the steps it printed
   */
  private List<Integer> live(Path result, int lines, int micros)
      throws IOException, InterruptedException {
    Process child =
        new ProcessBuilder(CHILD.command(List.of(), CloverLeafProgram.class, arguments(result)))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<Integer> steps = new ArrayList<>();
    try (BufferedReader output = child.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith("step ")) {
          steps.add(Integer.parseInt(line.split(" ", 3)[1]));
        }
        if (steps.size() == lines) {
          TimeUnit.MICROSECONDS.sleep(micros);
          break;
        }
      }
      if (lines < Integer.MAX_VALUE) {
        child.destroyForcibly();
      }
    }
    int exit = child.waitFor();
    assertThat(exit).isIn(lines < Integer.MAX_VALUE ? List.of(0, 128 + 9) : List.of(0));
    return steps;
  }

  private List<String> arguments(Path result) {
    String words =
        "--size 60x50 --steps %d --every 10 --summary 1 --threads 1 --checkpoints %s.dir --result %s"
            .formatted(STEPS, result, result);
    return List.of(words.split(" ", -1));
  }
}
