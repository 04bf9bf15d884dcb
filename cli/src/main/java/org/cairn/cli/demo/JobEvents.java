// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.VersionName;
import org.cairn.cli.inspect.JobDirectory;
import org.cairn.cli.inspect.RankEvents;
import tools.jackson.databind.JsonNode;

/** What the event logs of all ranks of a job tell, put together. */
final class JobEvents {
  private final Map<String, Saved> saved = new LinkedHashMap<>();
  private final Map<String, Moved> moved = new LinkedHashMap<>();
  private double restartSeconds;

  /** A checkpoint, over all ranks: sums, but of times the longest. */
  record Saved(
      String version,
      int ranks,
      long dirtyBlocks,
      long blocks,
      long bytesWritten,
      double waitedSeconds) {

    private Saved and(Saved other) {
      return new Saved(
          version,
          ranks + other.ranks,
          dirtyBlocks + other.dirtyBlocks,
          blocks + other.blocks,
          bytesWritten + other.bytesWritten,
          Math.max(waitedSeconds, other.waitedSeconds));
    }
  }

  /**
   * A version on its way to a tier, over all ranks.
   *
   * @param atRestart whether this restored the redundancy of a version from before
   * @param ranks how many ranks brought theirs there
   * @param skipped how many passed it over
   * @param failed how many failed
   */
  record Moved(
      String version,
      String tier,
      boolean atRestart,
      int ranks,
      int skipped,
      int failed,
      long bytes,
      double seconds) {

    private Moved and(Moved other) {
      return new Moved(
          version,
          tier,
          atRestart,
          ranks + other.ranks,
          skipped + other.skipped,
          failed + other.failed,
          bytes + other.bytes,
          Math.max(seconds, other.seconds));
    }
  }

  /** Takes the logs of all ranks that there are. */
  void addAll(JobDirectory job) throws IOException {
    for (int rank : job.ranks().keySet()) {
      add(job, rank);
    }
  }

  /** Takes the log of one rank. */
  void add(JobDirectory job, int rank) throws IOException {
    boolean[] restarted = {true};
    Path directory = job.ranks().get(rank);
    if (directory != null) {
      RankEvents.forEach(directory, event -> restarted[0] = take(event, restarted[0]));
    }
  }

  /** Returns whether the program is still restarting after this event. */
  private boolean take(JsonNode event, boolean restarting) {
    String kind = event.path("event").asString("");
    switch (kind) {
      case "open" -> {
        return true;
      }
      case "restart" -> {
        restartSeconds = Math.max(restartSeconds, event.path("seconds").asDouble(0));
        return false;
      }
      case "checkpoint" -> {
        CheckpointEvents.Taken taken = CheckpointEvents.Taken.of(event);
        saved.merge(
            taken.version(),
            new Saved(
                taken.version(),
                1,
                taken.dirtyBlocks(),
                taken.blocks(),
                taken.bytesWritten(),
                taken.waitedSeconds()),
            Saved::and);
      }
      case "tier" -> move(event, restarting, 1, 0, 0);
      case "tierSkipped" -> move(event, restarting, 0, 1, 0);
      case "tierFailed" -> move(event, restarting, 0, 0, 1);
      default -> {}
    }
    return restarting;
  }

  private void move(JsonNode event, boolean atRestart, int done, int skipped, int failed) {
    Moved more =
        new Moved(
            event.path("version").asString(""),
            event.path("tier").asString(""),
            atRestart,
            done,
            skipped,
            failed,
            event.path("bytes").asLong(0),
            event.path("seconds").asDouble(0));
    moved.merge(key(more.version, more.tier, atRestart), more, Moved::and);
  }

  private static String key(String version, String tier, boolean atRestart) {
    return version + " " + tier + " " + atRestart;
  }

  List<Saved> checkpoints() {
    List<Saved> all = new ArrayList<>(saved.values());
    all.sort((a, b) -> compare(a.version, b.version));
    return all;
  }

  List<Moved> tiers() {
    List<Moved> all = new ArrayList<>(moved.values());
    all.sort((a, b) -> compare(a.version, b.version));
    return all;
  }

  /** How long the longest restart took, redundancy not counted. */
  double restartSeconds() {
    return restartSeconds;
  }

  private static final Comparator<VersionName> ORDER =
      Comparator.comparingLong(VersionName::epoch).thenComparingLong(VersionName::sequence);

  static int compare(String a, String b) {
    return ORDER.compare(VersionName.parse(a), VersionName.parse(b));
  }
}
