// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.cairn.event.Event;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real log, damaged by hand. */
class DamagedLogTest {
  @TempDir Path directory;
  private Path log;
  private RunHistory whole;

  @BeforeEach
  void run() {
    SmallRun run = new SmallRun(directory);
    run.live(3);
    run.live(2);
    run.kill();
    log = directory.resolve("events.jsonl");
    whole = RunHistory.read(directory);
  }

  private void append(String text) throws IOException {
    Files.writeString(log, text, StandardOpenOption.APPEND);
  }

  @Test
  void aTornLastLineIsExpected() throws IOException {
    byte[] bytes = Files.readAllBytes(log);
    int lastLine = new String(bytes, StandardCharsets.UTF_8).stripTrailing().lastIndexOf('\n') + 1;
    for (int end = lastLine + 1; end < bytes.length - 2; end += 7) {
      Files.write(log, Arrays.copyOf(bytes, end));
      RunHistory torn = RunHistory.read(directory);
      assertThat(torn.checkpoints()).isEqualTo(4);
      assertThat(torn.unreadable()).isZero();
    }
    Files.write(log, Arrays.copyOf(bytes, bytes.length - 1));
    assertThat(RunHistory.read(directory)).as("only the line end is torn off").isEqualTo(whole);
  }

  @Test
  void linesThatAreNoneAreCountedAndPassedOver() throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(log));
    lines.add(1, "{\"time\":\"2026-01-31T12:00");
    lines.add(3, "\0\0\0\0");
    lines.add(4, "");
    lines.add(5, "[1, 2]");
    lines.add(6, "{\"event\":\"checkpoint\",\"version\":\"9.9\"}");
    lines.add(7, lines.get(0) + lines.get(2));
    Files.write(log, lines);
    RunHistory damaged = RunHistory.read(directory);
    assertThat(damaged.unreadable()).isEqualTo(5);
    assertThat(damaged.histories().getFirst().lives())
        .isEqualTo(whole.histories().getFirst().lives());
  }

  @Test
  void bytesThatAreNoTextAreOneBadLine() throws IOException {
    Files.write(log, new byte[] {(byte) 0xff, (byte) 0xfe, '\n'}, StandardOpenOption.APPEND);
    append("{\"time\":\"2026-01-31T13:00:00Z\",\"event\":\"somethingNew\"}\n");
    RunHistory damaged = RunHistory.read(directory);
    assertThat(damaged.unreadable()).isEqualTo(1);
    assertThat(damaged.checkpoints()).isEqualTo(5);
  }

  @Test
  void unknownFieldsAndEventsAreNoDamage() throws IOException {
    String text = Files.readString(log).replace("{\"time\"", "{\"new\":{\"a\":[1]},\"time\"");
    Files.writeString(log, text + "{\"time\":\"2026-01-31T12:00:00Z\",\"event\":\"new\"}\n");
    assertThat(RunHistory.read(directory)).isEqualTo(whole);
  }

  @Test
  void fieldsThatAreMissingOrSenselessAreUnknown() throws IOException {
    double greatest = whole.waited().orElseThrow().max();
    Instant time = Instant.parse("2026-01-31T13:00:00Z");
    append(new Event("checkpoint", time).with("version", "9.1").toJson() + "\n");
    append(
        new Event("checkpoint", time)
                .with("version", "9.2")
                .with("waitedSeconds", -1e9)
                .with("durableSeconds", "long")
                .with("protectedBytes", -5)
                .with("blocks", Double.NaN)
                .toJson()
            + "\n");
    append(new Event("restart", Instant.MAX).with("version", "9.2").toJson() + "\n");
    RunHistory damaged = RunHistory.read(directory);
    assertThat(damaged.checkpoints()).isEqualTo(7);
    assertThat(damaged.waited().orElseThrow().count()).isEqualTo(5);
    assertThat(damaged.waited().orElseThrow().max()).isEqualTo(greatest);
    assertThat(damaged.dirtyFraction()).isEqualTo(whole.dirtyFraction());
    assertThat(damaged.hashRate()).isEqualTo(whole.hashRate());
    assertThat(damaged.restarts()).isEqualTo(whole.restarts());
    assertThat(damaged.span()).isGreaterThan(1e15);
  }

  @Test
  void whatWentWrongIsCountedByVersion() throws IOException {
    // As TierEvents and Checkpointer write it.
    Instant time = Instant.parse("2026-01-31T13:00:00Z");
    for (String version : List.of("2.7", "2.8")) {
      append(
          new Event("checkpointFailed", time)
                  .with("version", version)
                  .with("failure", "full")
                  .toJson()
              + "\n");
      append(tier("tierFailed", version).with("seconds", 3.5).with("failure", "lost").toJson());
      append("\n" + tier("tierSkipped", version).toJson() + "\n");
    }
    append(tier("tierFailed", "2.8").with("seconds", 3.5).with("failure", "lost").toJson());
    RunHistory history = RunHistory.read(directory);
    assertThat(history.failedCheckpoints()).isEqualTo(2);
    TierUse shared = history.tiers().getFirst();
    assertThat(shared.tier()).isEqualTo("shared");
    assertThat(shared.reached()).isZero();
    assertThat(shared.failed()).isEqualTo(2);
    assertThat(shared.skipped()).isEqualTo(2);
    assertThat(shared.seconds()).isEmpty();
  }

  private static Event tier(String kind, String version) {
    return new Event(kind, Instant.parse("2026-01-31T13:00:00Z"))
        .with("tier", "shared")
        .with("version", version);
  }
}
