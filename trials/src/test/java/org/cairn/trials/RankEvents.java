// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.VersionName;
import org.cairn.event.EventLog;
import org.cairn.version.JobId;
import org.cairn.version.RunId;
import org.cairn.version.VersionId;

/** What one rank has logged in one run. */
record RankEvents(List<Entry> entries) {
  private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":\"([^\"]*)\"");

  /** There is one job, which has one life: numbers are enough. */
  private static final JobId SOME = new JobId(0, 0);

  private static final RunId FIRST = new RunId(0);

  /** One event; what it does not tell is empty. */
  record Entry(String kind, Instant time, String tier, String version) {
    boolean is(String wanted) {
      return kind.equals(wanted);
    }

    Optional<VersionId> id(int ranks) {
      if (version.isEmpty()) {
        return Optional.empty();
      }
      VersionName name = VersionName.parse(version);
      return Optional.of(new VersionId(SOME, FIRST, name.epoch(), name.sequence(), ranks));
    }
  }

  /** What is in the log of this directory; the last line may be torn. */
  static RankEvents read(Path directory) throws IOException {
    String text;
    try {
      text = new String(Files.readAllBytes(directory.resolve(EventLog.NAME)), UTF_8);
    } catch (NoSuchFileException e) {
      return new RankEvents(List.of());
    }
    List<Entry> entries = new ArrayList<>();
    for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
      if (line.startsWith("{") && line.endsWith("}")) {
        entries.add(parse(line));
      }
    }
    return new RankEvents(entries);
  }

  private static Entry parse(String line) {
    String kind = "";
    Instant time = Instant.MIN;
    String tier = "";
    String version = "";
    Matcher fields = FIELD.matcher(line);
    while (fields.find()) {
      switch (fields.group(1)) {
        case "event" -> kind = fields.group(2);
        case "time" -> time = Instant.parse(fields.group(2));
        case "tier" -> tier = fields.group(2);
        case "version" -> version = fields.group(2);
        default -> {}
      }
    }
    return new Entry(kind, time, tier, version);
  }

  boolean has(String kind) {
    return entries.stream().anyMatch(entry -> entry.is(kind));
  }

  long count(String kind) {
    return entries.stream().filter(entry -> entry.is(kind)).count();
  }

  Optional<Entry> last(String kind) {
    return entries.reversed().stream().filter(entry -> entry.is(kind)).findFirst();
  }

  /** How many tiers this rank had begun to bring a version to since it had restarted. */
  long transfersSinceRestart() {
    return entries.stream()
        .dropWhile(entry -> !entry.is("restart"))
        .filter(entry -> entry.is("tierStarted"))
        .count();
  }

  /** Whether a tier was at work when the log ended. */
  boolean isTransferring() {
    Set<String> busy = new HashSet<>();
    for (Entry entry : entries) {
      if (entry.is("tierStarted")) {
        busy.add(entry.tier);
      } else if (entry.is("tier") || entry.is("tierFailed")) {
        busy.remove(entry.tier);
      }
    }
    return !busy.isEmpty();
  }
}
