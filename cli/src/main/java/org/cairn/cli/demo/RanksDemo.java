// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Folder;
import org.cairn.cli.inspect.JobDirectory;
import org.cairn.cli.inspect.RankEvents;
import org.cairn.cli.run.MpiLauncher;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The demo with many ranks: an undisturbed run, then one that loses ranks with all their files and
 * is started again.
 *
 * @param launcher what starts the ranks; none to run them as threads of one JVM
 * @param restartOn how many ranks go on after the loss
 * @param tiers where checkpoints go beside the rank's own container
 * @param lose how many ranks are lost
 */
record RanksDemo(
    CommandSpec command,
    Terminal terminal,
    Optional<MpiLauncher> launcher,
    int ranks,
    int restartOn,
    List<String> tiers,
    int lose,
    int size,
    long iterations,
    boolean asynchronous) {
  private static final int CHECKPOINTS = 10;

  /** How often a job that was faster than what was to befall it is begun anew. */
  private static final int ATTEMPTS = 4;

  void announce(long seed) {
    terminal.tell(
        "Heat2D on %d ranks, %s, as if each had a node of its own:%n"
            + "a plate of about %s x %s points (%s), %s iterations, a checkpoint every %s,%n"
            + "given to the %s.%n"
            + "The second run loses %s: killed with SIGKILL, all files deleted (seed %d).%n%s",
        ranks,
        startedBy(),
        Quantities.count(size),
        Quantities.count(size),
        Quantities.bytes((long) size * size * Double.BYTES),
        Quantities.count(iterations),
        Quantities.count(every()),
        tiers.stream().map(tier -> tier + " tier").collect(Collectors.joining(" and the ")),
        RanksReport.name(disaster(seed).ranks()),
        seed,
        restartOn == ranks ? "" : "Then it goes on with %d.%n".formatted(restartOn));
    terminal.out().flush();
  }

  private String startedBy() {
    return launcher
        .map(mpi -> "each a process started by " + mpi.program().getFileName())
        .orElse("threads of one process");
  }

  private long every() {
    return Math.max(1, iterations / CHECKPOINTS);
  }

  private Disaster disaster(long seed) {
    return Disaster.of(ranks, lose, !tiers.contains("erasure"), iterations, seed);
  }

  RanksReport run(Path home, long seed) throws IOException, InterruptedException {
    Path expected = home.resolve("uninterrupted.result");
    Path actual = home.resolve("struck.result");
    Path checkpoints = home.resolve("checkpoints");
    Disaster disaster = disaster(seed);

    List<HeatJob.Ending> endings = new ArrayList<>();
    // Never reaches its first checkpoint: what Cairn does must not matter to the result.
    Path unused = home.resolve("uninterrupted");
    try (ProgressBar bar = bar("uninterrupted")) {
      endings.add(
          job(ranks, home, unused, iterations + 1, expected, List.of()).run(null, bar::reach));
    }
    milestone(endings.getLast(), ranks, disaster);
    Folder.delete(unused);

    JobEvents events;
    try (ProgressBar bar = bar("loses " + RanksReport.name(disaster.ranks()))) {
      Struck first = strike(home, checkpoints, actual, disaster, bar);
      HeatJob.Ending struck = first.ending;
      events = first.events;
      endings.add(struck);
      milestone(struck, ranks, disaster);
      bar.note(RanksReport.name(disaster.ranks()) + " lost at " + struck.last());
      endings.add(
          job(restartOn, home, checkpoints, every(), actual, tierOptions()).run(null, bar::reach));
    }
    milestone(endings.getLast(), restartOn, disaster);
    Optional<JobDirectory> left = JobDirectory.find(checkpoints);
    if (left.isPresent()) {
      events.addAll(left.get());
    }
    return report(seed, disaster, endings, events, expected, actual);
  }

  /** A job that was struck, and what the logs say that are lost with its ranks. */
  private record Struck(HeatJob.Ending ending, JobEvents events) {}

  /** Runs the job until it is struck. On a busy machine a small one is faster than we are. */
  private Struck strike(Path home, Path checkpoints, Path actual, Disaster planned, ProgressBar bar)
      throws IOException, InterruptedException {
    Disaster disaster = planned;
    for (int i = 0; i < ATTEMPTS; i++) {
      JobEvents events = new JobEvents();
      Blow blow = new Blow(disaster, checkpoints, tiers, events);
      HeatJob.Ending ending =
          job(ranks, home, checkpoints, every(), actual, tierOptions()).run(blow, bar::reach);
      if (ending.struck()) {
        return new Struck(ending, events);
      }
      Folder.delete(checkpoints);
      Folder.delete(actual);
      disaster = disaster.earlier();
    }
    throw new CommandFailedException(
        "the job finished before it could lose a rank; give it more to do with --iterations or"
            + " --size");
  }

  private RanksReport report(
      long seed,
      Disaster disaster,
      List<HeatJob.Ending> endings,
      JobEvents events,
      Path expected,
      Path actual)
      throws IOException {
    long difference = Files.mismatch(expected, actual);
    boolean sameSummary =
        Files.mismatch(RanksReport.summary(expected), RanksReport.summary(actual)) < 0;
    return new RanksReport(
        seed,
        ranks,
        restartOn,
        launcher.map(mpi -> mpi.kind().label()).orElse("threads"),
        disaster.ranks(),
        endings.stream().map(RanksReport.Run::of).toList(),
        RanksReport.origins(endings.getLast(), disaster.ranks()),
        events.restartSeconds(),
        events.checkpoints(),
        events.tiers(),
        Files.size(expected),
        difference,
        difference < 0 && sameSummary);
  }

  /** Deletes what the lost ranks had, not before it is safe elsewhere. */
  private record Blow(Disaster plan, Path checkpoints, List<String> tiers, JobEvents events)
      implements HeatJob.Strike {

    @Override
    public boolean isReady() throws IOException {
      Optional<JobDirectory> job = JobDirectory.find(checkpoints);
      if (job.isEmpty()) {
        return false;
      }
      for (Path rank : job.get().ranks().values()) {
        Set<String> reached = new HashSet<>();
        RankEvents.forEach(
            rank,
            event -> {
              if (event.path("event").asString("").equals("tier")) {
                reached.add(event.path("tier").asString(""));
              }
            });
        if (!reached.containsAll(tiers)) {
          return false;
        }
      }
      return true;
    }

    @Override
    public void hit() throws IOException {
      JobDirectory job = JobDirectory.find(checkpoints).orElseThrow();
      for (int rank : plan.ranks()) {
        events.add(job, rank); // their logs would be missing from the tables
        Folder.delete(checkpoints.resolve("rank" + rank));
      }
    }
  }

  private void milestone(HeatJob.Ending ending, int count, Disaster disaster) {
    terminal.milestone(
        "%d ranks: %s at iteration %d, after %s"
            .formatted(
                count,
                ending.struck()
                    ? RanksReport.name(disaster.ranks()) + " killed and deleted"
                    : "finished",
                ending.last(),
                Quantities.duration(ending.time())));
  }

  private ProgressBar bar(String label) {
    int width = Math.max("uninterrupted".length(), label.length());
    return terminal.bar(label + " ".repeat(width - label.length()), iterations, Quantities::count);
  }

  private List<String> tierOptions() {
    List<String> options = new ArrayList<>();
    for (String tier : tiers) {
      options.addAll(List.of("--" + tier, "1"));
    }
    if (tiers.contains("erasure") && lose > 1) {
      options.addAll(List.of("--group", ranks + "," + lose));
    }
    if (asynchronous) {
      options.add("--async");
    }
    return options;
  }

  private HeatJob job(
      int count, Path home, Path checkpoints, long every, Path result, List<String> more) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--size", Integer.toString(size)));
    arguments.addAll(List.of("--iterations", Long.toString(iterations)));
    arguments.addAll(List.of("--checkpoints", checkpoints.toString()));
    arguments.addAll(List.of("--every", Long.toString(every)));
    arguments.addAll(List.of("--result", result.toString()));
    arguments.addAll(more);
    return new HeatJob(command, launcher, count, arguments, home.resolve("heat2d.log"));
  }

  // ---------------------------------------------------------------- what people see

  void print(RanksReport report) {
    terminal.out().println();
    terminal.print(runs(report));
    terminal.out().println();
    terminal.out().println(origins(report));
    terminal.print(checkpoints(report));
    terminal.tell(
        "All ranks together; of times the longest. A tier is sent what changed since the version it"
            + " has.");
    terminal.out().println();
    terminal.tell("%s", report.conclusion());
  }

  private static Table runs(RanksReport report) {
    Table table = new Table("run", "began with", ">iterations", ">time", "ended");
    String again = report.restartedOn() == report.ranks() ? "" : " on " + report.restartedOn();
    String[] names = {"undisturbed", "with checkpoints", "started again" + again};
    for (int i = 0; i < report.runs().size(); i++) {
      RanksReport.Run run = report.runs().get(i);
      table.row(
          names[i],
          run.version() == null ? "nothing" : "version " + run.version(),
          run.fromIteration() + " - " + run.toIteration(),
          Quantities.seconds(run.seconds()),
          run.killed()
              ? RanksReport.name(report.lost()) + " killed (SIGKILL), files deleted"
              : "finished");
    }
    return table;
  }

  private static String origins(RanksReport report) {
    Table table = new Table("rank", "its files", "restored from");
    for (RanksReport.Origin origin : report.origins()) {
      table.row(Integer.toString(origin.rank()), origin.lost() ? "LOST" : "kept", origin.from());
    }
    return "%sIt took %s to restore them.%n"
        .formatted(table, Quantities.seconds(report.restartSeconds()));
  }

  private Table checkpoints(RanksReport report) {
    List<String> head =
        new ArrayList<>(List.of("checkpoint", ">dirty blocks", ">share", ">written", ">waited"));
    tiers.forEach(tier -> head.addAll(List.of(">to " + tier, ">in")));
    Table table = new Table(head.toArray(String[]::new));
    for (String version : versions(report)) {
      saved(report, version).ifPresent(row -> table.row(row.toArray(String[]::new)));
      restored(report, version).ifPresent(row -> table.row(row.toArray(String[]::new)));
    }
    return table;
  }

  private static List<String> versions(RanksReport report) {
    List<String> versions = new ArrayList<>();
    report.checkpoints().forEach(saved -> versions.add(saved.version()));
    for (JobEvents.Moved moved : report.tiers()) {
      if (!versions.contains(moved.version())) {
        versions.add(moved.version());
      }
    }
    versions.sort(JobEvents::compare);
    return versions;
  }

  private Optional<List<String>> saved(RanksReport report, String version) {
    return report.checkpoints().stream()
        .filter(saved -> saved.version().equals(version))
        .findFirst()
        .map(
            saved -> {
              List<String> row = new ArrayList<>();
              row.add(version);
              row.add(
                  Quantities.count(saved.dirtyBlocks())
                      + " of "
                      + Quantities.count(saved.blocks()));
              row.add(Quantities.percent(saved.dirtyBlocks(), saved.blocks()));
              row.add(Quantities.bytes(saved.bytesWritten()));
              row.add(Quantities.seconds(saved.waitedSeconds()));
              tiers.forEach(tier -> row.addAll(cells(find(report, version, tier, false))));
              return row;
            });
  }

  /** What tiers lacked of the version that the job went on with. */
  private Optional<List<String>> restored(RanksReport report, String version) {
    if (tiers.stream().allMatch(tier -> find(report, version, tier, true) == null)) {
      return Optional.empty();
    }
    List<String> row = new ArrayList<>(List.of(version + " restored", "", "", "", ""));
    tiers.forEach(tier -> row.addAll(cells(find(report, version, tier, true))));
    return Optional.of(row);
  }

  private static JobEvents.@Nullable Moved find(
      RanksReport report, String version, String tier, boolean atRestart) {
    return report.tiers().stream()
        .filter(moved -> moved.version().equals(version))
        .filter(moved -> moved.tier().equals(tier) && moved.atRestart() == atRestart)
        .findFirst()
        .orElse(null);
  }

  private static List<String> cells(JobEvents.@Nullable Moved moved) {
    if (moved == null) {
      return List.of("-", "-");
    } else if (moved.failed() > 0) {
      return List.of("failed", Quantities.seconds(moved.seconds()));
    }
    return moved.ranks() == 0
        ? List.of("skipped", "-")
        : List.of(Quantities.bytes(moved.bytes()), Quantities.seconds(moved.seconds()));
  }
}
