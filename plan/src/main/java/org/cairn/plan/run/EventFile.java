// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One log, in one file or two. A writer that was killed may have left a torn line; the next life
 * ended that line and went on, so that it may be anywhere. Such lines are passed over. They are
 * counted unless they are the last, where a torn line is what everybody expects.
 */
final class EventFile {
  private final List<RunEvent> events = new ArrayList<>();
  private int unreadable;
  private boolean lastUnreadable;

  private EventFile() {}

  /** Reads the files of a log, the older one first. */
  static EventFile read(List<Path> files) {
    EventFile log = new EventFile();
    files.forEach(log::readFile);
    return log;
  }

  private void readFile(Path path) {
    // A reader that replaces bytes that are no text: a torn line must not end the reading.
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(Files.newInputStream(path), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank()) {
          add(line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + path + ": " + e.getMessage(), e);
    }
  }

  /** In the order of the log. */
  List<RunEvent> events() {
    return events;
  }

  int unreadable() {
    return unreadable;
  }

  private void add(String line) {
    if (lastUnreadable) {
      unreadable++;
    }
    lastUnreadable = false;
    try {
      JsonNode node = JsonMapper.shared().readTree(line);
      RunEvent event = event(node, Instant.parse(text(node, "time")));
      if (event != null) {
        events.add(event);
      }
    } catch (JacksonException | DateTimeParseException e) {
      lastUnreadable = true;
    }
  }

  /** Null for a kind that is not known here, or that says nothing about cost. */
  private static @Nullable RunEvent event(JsonNode node, Instant time) {
    return switch (text(node, "event")) {
      case "open" -> opened(node, time);
      case "close" -> new RunEvent.Closed(time);
      case "terminated" -> new RunEvent.Terminated(time, text(node, "signal"));
      case "restart" ->
          new RunEvent.Restarted(
              time,
              text(node, "version"),
              number(node, "bytes"),
              seconds(node, "seconds"),
              texts(node, "origins"));
      case "checkpoint" -> checkpointed(node, time);
      case "checkpointFailed" -> failed(node, time, false);
      case "checkpointAborted" -> failed(node, time, true);
      case "tier" -> tiered(node, time, RunEvent.Outcome.REACHED);
      case "tierFailed" -> tiered(node, time, RunEvent.Outcome.FAILED);
      case "tierSkipped" -> tiered(node, time, RunEvent.Outcome.SKIPPED);
      default -> null;
    };
  }

  private static RunEvent opened(JsonNode node, Instant time) {
    int rank = Math.clamp(node.path("rank").asInt(0), 0, Integer.MAX_VALUE - 1);
    int ranks = Math.max(rank + 1, node.path("ranks").asInt(1));
    return new RunEvent.Opened(time, rank, ranks, text(node, "tiers"));
  }

  private static RunEvent failed(JsonNode node, Instant time, boolean aborted) {
    return new RunEvent.CheckpointFailed(
        time, text(node, "version"), aborted, text(node, "failure"));
  }

  private static RunEvent tiered(JsonNode node, Instant time, RunEvent.Outcome outcome) {
    return new RunEvent.Tiered(
        time,
        text(node, "tier"),
        text(node, "version"),
        outcome,
        number(node, "bytes"),
        seconds(node, "seconds"),
        text(node, "failure"));
  }

  private static RunEvent checkpointed(JsonNode node, Instant time) {
    return new RunEvent.Checkpointed(
        time,
        text(node, "version"),
        node.path("full").asBoolean(false),
        text(node, "decision"),
        number(node, "protectedBytes"),
        number(node, "blocks"),
        number(node, "dirtyBlocks"),
        touched(node),
        number(node, "bytesWritten"),
        seconds(node, "waitedSeconds"),
        seconds(node, "durableSeconds"),
        seconds(node, "hashSeconds"),
        seconds(node, "copySeconds"),
        seconds(node, "writeSeconds"),
        seconds(node, "forceSeconds"),
        number(node, "fileBytes"),
        number(node, "liveBytes"));
  }

  /** What is not said to be tracked may have been written to everywhere. */
  private static long touched(JsonNode checkpoint) {
    long untouched = 0;
    boolean tracked = false;
    for (JsonNode dataset : checkpoint.path("datasets")) {
      if (dataset.has("written")) {
        tracked = true;
        untouched += Math.max(0, number(dataset, "bytes") - number(dataset, "written"));
      }
    }
    return tracked ? number(checkpoint, "protectedBytes") - untouched : -1;
  }

  private static String text(JsonNode node, String field) {
    return node.path(field).asString("");
  }

  private static List<String> texts(JsonNode node, String field) {
    List<String> texts = new ArrayList<>();
    node.path(field).forEach(text -> texts.add(text.asString("")));
    return texts;
  }

  private static long number(JsonNode node, String field) {
    return Math.max(0, node.path(field).asLong(0));
  }

  /** A negative time can only be damage. */
  private static double seconds(JsonNode node, String field) {
    JsonNode value = node.path(field);
    double seconds = value.isNumber() ? value.asDouble(Double.NaN) : Double.NaN;
    return seconds >= 0 ? seconds : Double.NaN;
  }
}
