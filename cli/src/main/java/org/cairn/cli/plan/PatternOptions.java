// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.ArrayList;
import java.util.List;
import org.cairn.cli.answer.Units;
import org.cairn.plan.multilevel.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Levels of checkpoints, and in which order they are taken. */
final class PatternOptions {
  @Option(
      names = "--level",
      paramLabel = "LEVEL",
      description =
          "NAME,cost=TIME,restart=TIME,mtbf=TIME; once for each level, the cheapest first. It takes"
              + " the place of --checkpoint.")
  private List<String> levels = new ArrayList<>();

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description = "Time of computation before each checkpoint; the best unless given.")
  private @Nullable Double interval;

  @Option(
      names = "--counts",
      paramLabel = "N",
      split = ",",
      description = "Checkpoints of each level for one of the next; the best unless given.")
  private int[] counts = {};

  boolean hasLevels() {
    return !levels.isEmpty();
  }

  List<LevelOption> levels() {
    if (levels.isEmpty()) {
      throw new IllegalArgumentException(
          "say which levels there are: --level NAME,cost=TIME,restart=TIME,mtbf=TIME for each");
    }
    return levels.stream().map(LevelOption::parse).toList();
  }

  boolean hasCounts() {
    return counts.length > 0;
  }

  int[] counts() {
    return counts.clone();
  }

  boolean isGiven() {
    return interval != null || counts.length > 0;
  }

  /** The interval that was asked for, or another one. */
  double interval(double otherwise) {
    return interval == null ? otherwise : MachineOptions.positive(interval, "--interval");
  }

  /** The pattern that was asked for, with the best of what was not. */
  Pattern pattern(Pattern best) {
    int[] chosen = counts.length == 0 ? best.counts() : counts;
    if (chosen.length != best.counts().length) {
      throw new IllegalArgumentException(
          "--counts has "
              + chosen.length
              + " numbers, but "
              + best.levels()
              + " levels need "
              + best.counts().length);
    }
    for (int count : chosen) {
      if (count < 1) {
        throw new IllegalArgumentException("--counts has a " + count + "; 1 is the least");
      }
    }
    return new Pattern(interval(best.interval()), chosen);
  }
}
