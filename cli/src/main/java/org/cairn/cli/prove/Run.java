// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.cairn.cli.terminal.Quantities;
import org.jspecify.annotations.Nullable;

/**
 * One run, from empty directories to a result or to what kept it from one.
 *
 * @param seed what plans it again
 * @param restored versions that lives went on with after a kill
 */
record Run(
    long seed,
    Verdict verdict,
    List<Life.Kill> kills,
    List<String> restored,
    String remark,
    @Nullable Difference difference,
    double seconds) {

  /** What a run shows. */
  enum Verdict {
    /** A version was restored, and the result is that of an undisturbed run. */
    SAME,
    /** A version was restored, and the result is another one. */
    DIFFERENT,
    /** A life lasted more than five times as long as an undisturbed one. */
    HANG,
    /** A life ended with an exit code that is not 0. */
    FAILED,
    /** Nothing was restored after a kill, so it shows nothing. */
    UNCOUNTED;

    boolean isBad() {
      return this == DIFFERENT || this == HANG || this == FAILED;
    }

    /** Short, for a table. */
    String label() {
      return switch (this) {
        case SAME -> "same";
        case DIFFERENT -> "DIFFERENT";
        case HANG -> "HANG";
        case FAILED -> "FAILED";
        case UNCOUNTED -> "not counted";
      };
    }
  }

  /**
   * What runs are compared with.
   *
   * @param results folder with the results of an undisturbed run
   * @param limit how long a life may last
   */
  record Measure(Path results, Rhythm rhythm, Losses losses, Duration limit) {}

  /** Kills a program as the seed plans it, and looks what becomes of it. */
  static Run of(Program program, Ground ground, Measure measure, long seed)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    List<@Nullable Strike> plan = new ArrayList<>();
    plan.addAll(Strike.plan(seed, measure.rhythm().checkpoints(), measure.losses()));
    plan.add(null);
    List<Life.Kill> kills = new ArrayList<>();
    List<String> restored = new ArrayList<>();
    Outcome outcome = new Outcome(Verdict.UNCOUNTED, "", null);
    for (Strike strike : plan) {
      Life.Ending ending = Life.live(program, ground, strike, measure.rhythm(), measure.limit());
      if (!kills.isEmpty()) {
        ending.restored().ifPresent(restored::add);
      }
      ending.kill().ifPresent(kills::add);
      if (ending.kill().isEmpty()) {
        outcome = judge(ending, ground, measure, !kills.isEmpty(), !restored.isEmpty());
        break;
      }
    }
    double seconds = (System.nanoTime() - start) * 1e-9;
    return new Run(
        seed, outcome.verdict, kills, restored, outcome.remark, outcome.difference, seconds);
  }

  private record Outcome(Verdict verdict, String remark, @Nullable Difference difference) {}

  private static Outcome judge(
      Life.Ending ending, Ground ground, Measure measure, boolean killed, boolean restored)
      throws IOException {
    if (ending.hung()) {
      Files.writeString(ground.home().resolve("stacks"), ending.stacks());
      String stack = String.join("\n", Stacks.ofMain(ending.stacks()));
      return new Outcome(
          Verdict.HANG,
          "more than %s, five times an undisturbed life%n%s"
              .formatted(Quantities.duration(measure.limit()), stack),
          null);
    }
    if (ending.exitCode() != 0) {
      return new Outcome(
          Verdict.FAILED,
          "exit code %d: %s".formatted(ending.exitCode(), ending.complaint()),
          null);
    }
    Optional<Difference> difference =
        Difference.first(ground.results(), measure.results(), ground.work());
    if (difference.isPresent()) {
      return restored
          ? new Outcome(Verdict.DIFFERENT, difference.get().inWords(), difference.get())
          : new Outcome(
              Verdict.FAILED,
              difference.get().inWords()
                  + ", though nothing was restored: the program is not deterministic",
              difference.get());
    }
    if (restored) {
      return new Outcome(Verdict.SAME, "", null);
    }
    return new Outcome(
        Verdict.UNCOUNTED,
        killed ? "nothing was restored after the kill" : "it ended before it could be killed",
        null);
  }

  /** What a run left where its results are missing, for those who look for them. */
  static List<String> files(Path work) throws IOException {
    try (Stream<Path> tree = Files.walk(work)) {
      return tree.filter(Files::isRegularFile)
          .map(file -> work.relativize(file).toString())
          .sorted()
          .limit(10)
          .toList();
    }
  }
}
