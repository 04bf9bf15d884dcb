// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.cairn.container.HostileContainers;
import org.cairn.testkit.random.Thorough;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Containers whose checksums are right and whose contents lie, read by a JVM with 64 MiB of heap
 * and 64 MiB of other memory: each ends within seconds, with data that verify or with an error that
 * names the file. No other exception is acceptable, and above all no exhausted memory.
 */
@Tag("slow")
@Thorough
class HostileContainerTest {
  private static final long MOST_MILLIS = 120_000;

  /** One lie of so many, beside the honest container; the profile {@code kills} tries all. */
  private static final int STRIDE = Boolean.getBoolean(Thorough.PROPERTY) ? 1 : 6;

  /** The exceptions that a user is told about. */
  private static final List<String> EXPLAINED =
      List.of(
          "ok ",
          "org.cairn.CheckpointDirectoryException cannot use checkpoints: ",
          "org.cairn.CorruptContainerException ",
          "org.cairn.UnsupportedFormatException ",
          "org.cairn.CheckpointUnavailableException no version can be restored",
          "org.cairn.CheckpointUnavailableException what is saved in",
          "org.cairn.CheckpointFailedException restart from",
          "org.cairn.DatasetMismatchException dataset \"");

  private static final String HONEST = "honest";

  @TempDir Path directory;

  /** What is tried, by the name of its directory. */
  private final Map<String, String> names = new LinkedHashMap<>();

  private record Line(String file, String action, long millis, String end) {
    static Line parse(String text) {
      String[] parts = text.split("\t", 4);
      assertThat(parts).as(text).hasSize(4);
      return new Line(parts[0], parts[1], Long.parseLong(parts[2]), parts[3]);
    }
  }

  @Test
  @Timeout(value = 600, unit = TimeUnit.SECONDS)
  void endsInDataOrAnExplanationWithLittleTimeAndMemory() throws Exception {
    writeAll();
    List<String> failures = new ArrayList<>();
    int seen = 0;
    for (Line line : probe(List.copyOf(names.keySet()))) {
      seen++;
      String what = names.get(line.file) + ": " + line.action + " ended in " + line.end;
      // Another JVM may have more memory, so that is no damage.
      boolean explained =
          EXPLAINED.stream().anyMatch(line.end::startsWith)
              || (line.end.startsWith("java.io.IOException ") && line.end.contains("(-Xmx)"));
      boolean located =
          line.end.startsWith("ok ")
              || line.end.contains("dataset \"")
              || line.end.contains(SampleState.FILE);
      if (!explained || !located || line.millis > MOST_MILLIS) {
        failures.add(line.millis + " ms, " + what);
      }
      if (HONEST.equals(names.get(line.file))) {
        assertThat(line.end).as("forging works").startsWith("ok ").contains("384 bytes");
      }
    }
    assertThat(failures).isEmpty();
    assertThat(seen).as("answers").isEqualTo(3 * names.size());
  }

  private void writeAll() throws IOException {
    String only = System.getProperty("cairn.only", "");
    int seen = 0;
    for (Map.Entry<String, HostileContainers.Forger> each : HostileContainers.all().entrySet()) {
      boolean isTried =
          only.isEmpty()
              ? seen++ % STRIDE == 0 || each.getKey().equals(HONEST)
              : each.getKey().contains(only);
      if (!isTried) {
        continue;
      }
      String number = "%03d".formatted(names.size());
      Path place = Files.createDirectory(directory.resolve(number));
      HostileContainers.write(place.resolve(SampleState.FILE), each.getValue());
      names.put(number, each.getKey());
    }
  }

  /** Asks one child after the other: the next begins where one died, or was killed as hanging. */
  private List<Line> probe(List<String> numbers) throws Exception {
    List<Line> lines = new ArrayList<>();
    List<String> left = new ArrayList<>(numbers);
    while (!left.isEmpty()) {
      int before = lines.size();
      ask(left, lines);
      left.removeAll(lines.stream().map(Line::file).toList());
      if (lines.size() % 3 != 0 || lines.size() == before) {
        String file = lines.size() % 3 == 0 ? left.removeFirst() : lines.getLast().file;
        while (lines.size() % 3 != 0 || !lines.getLast().file.equals(file)) {
          lines.add(new Line(file, "an attempt", MOST_MILLIS, "death or a hang"));
        }
      }
    }
    return lines;
  }

  private void ask(List<String> numbers, List<Line> lines) throws Exception {
    List<String> arguments =
        numbers.stream().map(number -> directory.resolve(number).toString()).toList();
    List<String> flags = List.of("-Xmx64m", "-XX:MaxDirectMemorySize=64m", "-ea");
    Process child = ChildJvm.start(HostileProbe.class, flags, arguments);
    ScheduledExecutorService watchdog = Executors.newSingleThreadScheduledExecutor();
    try (BufferedReader output = child.inputReader(StandardCharsets.UTF_8)) {
      while (true) {
        Future<?> kill =
            watchdog.schedule(
                () -> child.destroyForcibly(), 2 * MOST_MILLIS, TimeUnit.MILLISECONDS);
        String line = output.readLine();
        kill.cancel(false);
        if (line == null) {
          return;
        }
        lines.add(Line.parse(line));
        show(lines.getLast());
      }
    } finally {
      watchdog.shutdownNow();
      child.destroyForcibly();
    }
  }

  private void show(Line line) {
    if (Boolean.getBoolean("cairn.show")) {
      System.out.printf(
          "%5d ms %s: %s: %s%n", line.millis, names.get(line.file), line.action, line.end);
    }
  }
}
