// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.cairn.TierKind;
import org.cairn.tier.TierTypes;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What the event log of a rank tells of its checkpoints and of what its tiers did. */
final class RankLog {
  private final SortedMap<LoggedVersion, Instant> checkpoints = new TreeMap<>();
  private final SortedMap<TierKind, Work> tiers = new TreeMap<>();

  /** What a rank gave to a tier. */
  static final class Work {
    private final SortedMap<LoggedVersion, Boolean> done = new TreeMap<>();
    private @Nullable LoggedVersion underWay;
    private long transfers;
    private long bytes;
    private double seconds;
    private long failed;
    private long skipped;
    private @Nullable String lastFailure;
    private @Nullable String lastRemark;

    /** The newest version that arrived. */
    @Nullable LoggedVersion newest() {
      return done.isEmpty() ? null : done.lastKey();
    }

    boolean has(LoggedVersion version) {
      return done.containsKey(version);
    }

    /** What is being transferred, or was when the program ended. */
    @Nullable LoggedVersion underWay() {
      return underWay;
    }

    long transfers() {
      return transfers;
    }

    long bytes() {
      return bytes;
    }

    double seconds() {
      return seconds;
    }

    long failed() {
      return failed;
    }

    long skipped() {
      return skipped;
    }

    @Nullable String lastFailure() {
      return lastFailure;
    }

    /** How the last version was brought there, in words. */
    @Nullable String lastRemark() {
      return lastRemark;
    }

    private void ended(LoggedVersion version, long moreBytes, double moreSeconds) {
      done.put(version, true);
      transfers++;
      bytes += moreBytes;
      seconds += moreSeconds;
      underWay = null;
    }

    private void failed(LoggedVersion version, JsonNode event) {
      failed++;
      lastFailure = "version " + version + ": " + event.path("failure").asString("unknown");
      underWay = null;
    }
  }

  /**
   * Reads what a log tells of a life.
   *
   * @param job the name of the job
   * @param isMine whether a run, given by its digits, is part of the life
   */
  static RankLog read(Path directory, String job, Predicate<String> isMine) throws IOException {
    RankLog log = new RankLog();
    RankEvents.forEach(
        directory,
        job,
        event -> {
          String run = event.path("run").asString("");
          if (run.isEmpty() || isMine.test(run)) {
            log.take(event);
          }
        });
    return log;
  }

  /** When each checkpoint was durable on this rank. */
  SortedMap<LoggedVersion, Instant> checkpoints() {
    return checkpoints;
  }

  Optional<Work> work(TierKind tier) {
    return Optional.ofNullable(tiers.get(tier));
  }

  private void take(JsonNode event) {
    String kind = event.path("event").asString("");
    if (kind.equals("open")) {
      tiers.values().forEach(work -> work.underWay = null);
      return;
    }
    LoggedVersion version = LoggedVersion.of(event);
    if (version == null) {
      return;
    }
    switch (kind) {
      case "checkpoint" -> {
        Instant time = time(event);
        if (time != null) {
          checkpoints.put(version, time);
        }
        work(event, TierKind.LOCAL)
            .ended(
                version,
                event.path("bytesWritten").asLong(0),
                event.path("durableSeconds").asDouble(0));
      }
      case "checkpointFailed" -> work(event, TierKind.LOCAL).failed(version, event);
      case "tierStarted" -> work(event, null).underWay = version;
      case "tier" ->
          work(event, null)
              .ended(version, event.path("bytes").asLong(0), event.path("seconds").asDouble(0));
      case "tierFailed" -> work(event, null).failed(version, event);
      case "tierRemark" ->
          work(event, null).lastRemark =
              "version " + version + ": " + event.path("remark").asString("");
      case "tierSkipped" -> work(event, null).skipped++;
      default -> {}
    }
  }

  /** A tier that a later Cairn may have is counted nowhere. */
  private Work work(JsonNode event, @Nullable TierKind known) {
    TierKind kind = known;
    String label = event.path("tier").asString("");
    for (TierKind candidate : TierTypes.kinds()) {
      if (kind == null && candidate.label().equals(label)) {
        kind = candidate;
      }
    }
    return kind == null ? new Work() : tiers.computeIfAbsent(kind, k -> new Work());
  }

  private static @Nullable Instant time(JsonNode event) {
    try {
      return Instant.parse(event.path("time").asString(""));
    } catch (DateTimeException e) {
      return null;
    }
  }
}
