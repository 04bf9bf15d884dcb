// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.cairn.event.EventLog;
import org.cairn.tier.FileNames;

/** Finds the logs of a job and puts together what belongs to one rank. */
final class EventLogs {
  private static final Pattern RANK = Pattern.compile("rank(\\d{1,9})");

  /** Where "cairn demo --dir" and the examples have them, beside their results. */
  private static final String CHECKPOINTS = "checkpoints";

  private EventLogs() {}

  static RunHistory read(Path directory, Optional<String> job) {
    List<Path> logs = find(directory, job);
    if (logs.isEmpty() && Files.isDirectory(directory.resolve(CHECKPOINTS))) {
      logs = find(directory.resolve(CHECKPOINTS), job);
    }
    requireOneJob(directory, logs);
    if (logs.isEmpty()) {
      throw new IllegalArgumentException(nothing(directory, "has no events"));
    }
    Map<Integer, RankHistory> ranks = new TreeMap<>();
    for (Path log : logs) {
      RankHistory found = history(log);
      ranks.merge(found.rank(), found, EventLogs::together);
    }
    List<RankHistory> histories =
        ranks.values().stream().filter(rank -> !rank.lives().isEmpty()).toList();
    if (histories.isEmpty()) {
      throw new IllegalArgumentException(nothing(directory, "has logs without any event in them"));
    }
    return new RunHistory(histories);
  }

  private static String nothing(Path directory, String what) {
    return ("%s %s. Looked for %s there and in checkpoints, rank0, rank1 and so on;"
            + " Checkpointer.open writes it beside the checkpoints, so give the directory that the"
            + " program opens, after a run with a few checkpoints")
        .formatted(directory, what, EventLog.NAME);
  }

  /** What several jobs did says nothing about any of them. */
  private static void requireOneJob(Path directory, List<Path> logs) {
    Set<String> names = new TreeSet<>();
    logs.forEach(log -> names.add(FileNames.jobOfEvents(name(log)).orElse("")));
    if (names.size() > 1) {
      throw new IllegalArgumentException(
          "%s has the logs of several jobs: %s; cairn plan from-run --name NAME says which"
              .formatted(
                  directory,
                  String.join(
                      ", ",
                      names.stream()
                          .map(name -> name.isEmpty() ? "\"\" (no name)" : name)
                          .toList())));
    }
  }

  private static List<Path> find(Path place, Optional<String> job) {
    if (Files.isRegularFile(place)) {
      return List.of(place);
    }
    if (!Files.isDirectory(place)) {
      throw new IllegalArgumentException("there is no directory " + place);
    }
    try (Stream<Path> children = Files.list(place)) {
      Stream<Path> ranks = children.filter(child -> RANK.matcher(name(child)).matches()).sorted();
      return Stream.concat(Stream.of(place), ranks)
          .flatMap(directory -> in(directory, job).stream())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + place + ": " + e.getMessage(), e);
    }
  }

  private static List<Path> in(Path directory, Optional<String> job) {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(Files::isRegularFile)
          .filter(
              file ->
                  FileNames.jobOfEvents(name(file))
                      .filter(found -> job.isEmpty() || job.get().equals(found))
                      .isPresent())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + directory + ": " + e.getMessage(), e);
    }
  }

  private static String name(Path path) {
    return path.getFileName() == null ? "" : path.getFileName().toString();
  }

  private static RankHistory history(Path log) {
    EventFile file = EventFile.read(log);
    return new RankHistory(rank(log, file.events()), Life.split(file.events()), file.unreadable());
  }

  /** What the rank says of itself; where that is lost, what its directory is called. */
  private static int rank(Path log, List<RunEvent> events) {
    for (RunEvent event : events) {
      if (event instanceof RunEvent.Opened opened) {
        return opened.rank();
      }
    }
    Path directory = log.toAbsolutePath().getParent();
    Matcher name = RANK.matcher(directory == null ? "" : name(directory));
    return name.matches() ? Integer.parseInt(name.group(1)) : 0;
  }

  /** A job that once ran on one rank has a log of rank 0 in two places, one after the other. */
  private static RankHistory together(RankHistory one, RankHistory other) {
    List<Life> lives = new ArrayList<>(one.lives());
    lives.addAll(other.lives());
    lives.sort(Comparator.comparing(Life::start));
    return new RankHistory(one.rank(), lives, one.unreadable() + other.unreadable());
  }
}
