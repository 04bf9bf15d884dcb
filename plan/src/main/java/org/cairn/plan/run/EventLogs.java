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

  /**
   * What was logged in one directory under one name.
   *
   * @param files the older one first
   */
  private record Log(Path directory, String job, List<Path> files) {}

  static RunHistory read(Path directory, Optional<String> job) {
    List<Log> logs = find(directory, job);
    if (logs.isEmpty() && Files.isDirectory(directory.resolve(CHECKPOINTS))) {
      logs = find(directory.resolve(CHECKPOINTS), job);
    }
    requireOneJob(directory, logs);
    if (logs.isEmpty()) {
      throw new IllegalArgumentException(nothing(directory, "has no events"));
    }
    Map<Integer, RankHistory> ranks = new TreeMap<>();
    for (Log log : logs) {
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
  private static void requireOneJob(Path directory, List<Log> logs) {
    Set<String> names = new TreeSet<>();
    logs.forEach(log -> names.add(log.job));
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

  private static List<Log> find(Path place, Optional<String> job) {
    if (Files.isRegularFile(place)) {
      return List.of(log(place));
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

  /** A file that somebody named, and what was logged before it. */
  private static Log log(Path file) {
    Path directory = directoryOf(file);
    Optional<String> job = FileNames.jobOfEvents(name(file));
    List<Path> files = new ArrayList<>();
    if (job.isPresent() && name(file).equals(FileNames.events(job.get()))) {
      Path older = directory.resolve(EventLog.older(name(file)));
      Stream.of(older).filter(Files::isRegularFile).forEach(files::add);
    }
    files.add(file);
    return new Log(directory, job.orElse(""), files);
  }

  private static Path directoryOf(Path file) {
    Path directory = file.toAbsolutePath().getParent();
    return directory == null ? file : directory;
  }

  private static List<Log> in(Path directory, Optional<String> wanted) {
    Map<String, List<Path>> logs = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      files
          .filter(Files::isRegularFile)
          .filter(file -> FileNames.jobOfEvents(name(file)).isPresent())
          .sorted(Comparator.comparing(file -> isNewer(file)))
          .forEach(file -> logs.computeIfAbsent(job(file), _ -> new ArrayList<>()).add(file));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + directory + ": " + e.getMessage(), e);
    }
    return logs.entrySet().stream()
        .filter(log -> wanted.isEmpty() || wanted.get().equals(log.getKey()))
        .map(log -> new Log(directory, log.getKey(), log.getValue()))
        .toList();
  }

  private static String job(Path file) {
    return FileNames.jobOfEvents(name(file)).orElse("");
  }

  private static boolean isNewer(Path file) {
    return name(file).equals(FileNames.events(job(file)));
  }

  private static String name(Path path) {
    return path.getFileName() == null ? "" : path.getFileName().toString();
  }

  private static RankHistory history(Log log) {
    EventFile file = EventFile.read(log.files);
    return new RankHistory(rank(log, file.events()), Life.split(file.events()), file.unreadable());
  }

  /** What the rank says of itself; where that is lost, what its directory is called. */
  private static int rank(Log log, List<RunEvent> events) {
    for (RunEvent event : events) {
      if (event instanceof RunEvent.Opened opened) {
        return opened.rank();
      }
    }
    Matcher name = RANK.matcher(name(log.directory.toAbsolutePath()));
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
