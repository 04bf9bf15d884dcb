// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.cairn.cli.demo.HeatProcess.Ending;
import org.cairn.cli.terminal.Quantities;
import org.jspecify.annotations.Nullable;

/**
 * What the demo found; printed as it is with {@code --json}.
 *
 * @param seed seed of the moments at which processes were killed
 * @param runs the undisturbed run, then the attempts at the other one
 * @param checkpoints what the other one took
 * @param resultBytes size of the result
 * @param firstDifference first byte in which the results differ; -1 if they are identical
 * @param identical whether they are
 */
record DemoReport(
    long seed,
    List<Run> runs,
    List<CheckpointEvents.Taken> checkpoints,
    long resultBytes,
    long firstDifference,
    boolean identical) {

  /** One process. */
  record Run(
      long process,
      @Nullable String version,
      long fromIteration,
      long toIteration,
      boolean killed,
      double seconds) {

    static Run of(Ending ending) {
      return new Run(
          ending.pid(),
          ending.version(),
          ending.first(),
          ending.last(),
          ending.killed(),
          ending.time().toNanos() / 1e9);
    }
  }

  static DemoReport of(
      long seed,
      List<Ending> endings,
      List<CheckpointEvents.Taken> checkpoints,
      Path expected,
      Path actual)
      throws IOException {
    long difference = Files.mismatch(expected, actual);
    boolean sameSummary = Files.mismatch(summary(expected), summary(actual)) < 0;
    return new DemoReport(
        seed,
        endings.stream().map(Run::of).toList(),
        checkpoints,
        Files.size(expected),
        difference,
        difference < 0 && sameSummary);
  }

  private static Path summary(Path result) {
    return result.resolveSibling(result.getFileName() + ".txt");
  }

  String conclusion() {
    int kills = (int) runs.stream().filter(Run::killed).count();
    String killed = kills == 0 ? "never killed" : "killed " + DemoCommand.times(kills);
    if (identical) {
      return "Bit for bit the same: the run that was %s ended with the same %s bytes as the other."
          .formatted(killed, Quantities.count(resultBytes));
    }
    return firstDifference >= 0
        ? "NOT the same: the results differ from byte %s on.".formatted(firstDifference)
        : "NOT the same: the summaries of the results differ.";
  }
}
