// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What {@code prove} found; printed as it is with {@code --json}.
 *
 * @param app the program
 * @param ranks how many; 0 if it is no parallel one
 * @param seed of the first run; the others follow
 * @param undisturbedSeconds of the two runs that nothing was done to
 * @param checkpoints how many an undisturbed run takes
 * @param deterministic whether the two had the same results
 * @param runs those that were killed
 * @param counted how many of them had a version restored after a kill
 * @param proved whether all that counted are the same, and some did
 * @param answer in words
 * @param difference the first one
 * @param kept where the files of runs are that one may want to look at
 */
record Report(
    String app,
    int ranks,
    long seed,
    List<Double> undisturbedSeconds,
    int checkpoints,
    boolean deterministic,
    List<Run> runs,
    int counted,
    boolean proved,
    String answer,
    @Nullable Difference difference,
    @Nullable String kept) {

  /** Of runs that were killed. */
  static Report of(
      Program program,
      long seed,
      List<Double> seconds,
      int checkpoints,
      List<Run> runs,
      List<String> results,
      @Nullable String kept) {
    Optional<Run> bad = runs.stream().filter(run -> run.verdict().isBad()).findFirst();
    int counted = (int) runs.stream().filter(run -> !run.restored().isEmpty()).count();
    return new Report(
        program.app(),
        program.ranks(),
        seed,
        seconds,
        checkpoints,
        true,
        runs,
        counted,
        bad.isEmpty() && counted > 0,
        places(runs, counted)
            + "\n"
            + bad.map(run -> against(run, runs))
                .orElse(counted > 0 ? inFavour(results, counted) : nothingShown(runs)),
        bad.map(Run::difference).orElse(null),
        kept);
  }

  /** Of a program that could not be proved at all. */
  static Report without(
      Program program,
      long seed,
      List<Double> seconds,
      int checkpoints,
      boolean deterministic,
      String answer,
      @Nullable Difference difference,
      @Nullable String kept) {
    return new Report(
        program.app(),
        program.ranks(),
        seed,
        seconds,
        checkpoints,
        deterministic,
        List.of(),
        0,
        false,
        answer,
        difference,
        kept);
  }

  private static String places(List<Run> runs, int counted) {
    Map<Place.Kind, Integer> kinds = new EnumMap<>(Place.Kind.class);
    SortedMap<Integer, Integer> deleted = new TreeMap<>();
    for (Run run : runs) {
      for (Life.Kill kill : run.kills()) {
        kinds.merge(kill.kind(), 1, Integer::sum);
        kill.deleted().forEach(rank -> deleted.merge(rank, 1, Integer::sum));
      }
    }
    int kills = kinds.values().stream().mapToInt(Integer::intValue).sum();
    StringBuilder text =
        new StringBuilder(
            "%d of %d runs count: a version was restored after the kill. "
                .formatted(counted, runs.size()));
    text.append("%d %s: ".formatted(kills, kills == 1 ? "kill" : "kills"));
    String separator = "";
    for (Place.Kind kind : Place.Kind.values()) {
      text.append(separator).append(kinds.getOrDefault(kind, 0)).append(' ').append(kind.label());
      separator = ", ";
    }
    int directories = deleted.values().stream().mapToInt(Integer::intValue).sum();
    if (directories > 0) {
      text.append("; %d directories of ranks were deleted".formatted(directories));
    }
    return text.append('.').toString();
  }

  private static String inFavour(List<String> results, int counted) {
    return "%s %s%s the same as undisturbed, byte for byte."
        .formatted(
            String.join(", ", results),
            results.size() == 1 ? "is" : "are",
            counted == 1 ? "" : " of all %d".formatted(counted));
  }

  private static String against(Run run, List<Run> runs) {
    long bad = runs.stream().filter(one -> one.verdict().isBad()).count();
    String what =
        switch (run.verdict()) {
          case DIFFERENT ->
              "Something that %s depends on is not protected, or is not yet restored when it is used."
                  .formatted(run.difference() == null ? "it" : run.difference().file());
          case HANG -> "It does not end after a restart; the stacks show where it is.";
          default -> "It does not come back after a kill.";
        };
    return "%d of %d did not end as an undisturbed run. The first, of seed %d: %s\n%s Again: the same command with --runs 1 --seed %d."
        .formatted(bad, runs.size(), run.seed(), run.remark(), what, run.seed());
  }

  private static String nothingShown(List<Run> runs) {
    String why = runs.stream().map(Run::remark).findFirst().orElse("");
    return "This proves nothing: %s. Does the program call restart(), in the directory it began in, and does it run long enough?"
        .formatted(why);
  }

  /** How a run is told in one line; what may be long comes last. */
  static String line(int number, Run run) {
    List<String> places = run.kills().stream().map(Life.Kill::where).toList();
    String restored = run.restored().isEmpty() ? "-" : String.join(", ", run.restored());
    String killed = places.isEmpty() ? "not killed" : String.join("; ", places);
    String first = run.remark().lines().findFirst().orElse("");
    return "%4d  %8d  %-11s  %-9s  %s%s"
        .formatted(
            number,
            run.seed(),
            run.verdict().label(),
            restored,
            killed,
            first.isEmpty() ? "" : "; " + first);
  }

  /** What stands over these lines. */
  static String heading() {
    return "%4s  %8s  %-11s  %-9s  %s".formatted("run", "seed", "result", "restored", "killed");
  }
}
