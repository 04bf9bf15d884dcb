// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.Tracking;
import org.cairn.track.SharedPages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class FromRunCommandTest {
  @TempDir Path temp;

  private void run(int checkpoints) {
    try (Checkpointer cairn = Checkpointer.open(temp, Options.defaults().threads(1))) {
      byte[] state = new byte[200_000];
      cairn.protect("state", state);
      cairn.restart();
      for (int i = 0; i < checkpoints; i++) {
        state[i]++;
        cairn.checkpoint();
      }
    }
  }

  @Test
  void adviceFromARealRun() {
    run(6);
    assertThat(Ask.answer("from-run", temp))
        .contains("on one rank there was no interruption")
        .containsPattern("Best\\s+is\\s+one\\s+after\\s+every")
        .contains("Options.defaults().every(Duration.ofMillis(")
        .contains("program waited", "dirty blocks", "until durable");
    JsonNode given = Ask.json("from-run --mtbf 1d --sockets 2", temp).get("given");
    assertThat(given.get("mttiSeconds").asDouble()).isEqualTo(43200);
    assertThat(given.get("intervalSeconds").asDouble()).isPositive();
    assertThat(given.get("ranks").asInt()).isEqualTo(1);
  }

  /** The same events tell whether differential checkpoints pay; what is given counts more. */
  @Test
  void eventsFeedTheDifferentialModel() {
    run(6);
    JsonNode seen = Ask.json("differential --costs-from", temp).get("given");
    assertThat(seen.get("hashBytesPerSecond").asDouble()).isPositive();
    assertThat(seen.get("writeBytesPerSecond").asDouble()).isPositive();
    assertThat(seen.get("dirtyShare").asDouble()).isBetween(0.0, 1.0);
    JsonNode given =
        Ask.json("differential --hash-rate 4GB/s --dirty 30% --costs-from", temp).get("given");
    assertThat(given.get("hashBytesPerSecond").asDouble()).isEqualTo(4e9);
    assertThat(given.get("dirtyShare").asDouble()).isEqualTo(0.3);
  }

  /** What pages tell is in the events, too. */
  @Test
  void trackedMemoryTellsWhatWasWritten() {
    assumeTrue(SharedPages.get().isAvailable(), SharedPages.get().why());
    try (Checkpointer cairn =
        Checkpointer.open(temp, Options.defaults().tracking(Tracking.REQUIRED))) {
      MemorySegment grid = cairn.allocate("grid", 1 << 20);
      for (int i = 0; i < 6; i++) {
        grid.asSlice(0, 1 << 18).fill((byte) i);
        cairn.checkpoint();
      }
    }
    JsonNode given = Ask.json("differential --costs-from", temp).get("given");
    assertThat(given.get("writtenShare").asDouble()).isEqualTo(0.25);
    assertThat(given.get("dirtyShare").asDouble()).isEqualTo(0.25);
  }

  @Test
  void inAllForms() {
    run(4);
    assertThat(Ask.answer("from-run --csv", temp))
        .startsWith("what,unit,number,least,median,mean,most\n");
    JsonNode events = Ask.json("from-run", temp).get("events");
    assertThat(Ask.row(events, "program waited").get("mean").isNumber()).isTrue();
    assertThat(Ask.row(events, "dirty blocks").get("unit").asString()).isEqualTo("share");
    assertThat(Ask.row(events, "hashing, each rank").get("mean").isNumber()).isTrue();
    Path page = temp.resolve("advice.html");
    Ask.answer("from-run", temp, "--html", page);
    assertThat(page).content().contains("<svg").doesNotContain("NaN", "Infinity");
  }

  @Test
  void nothingToAdvise() {
    assertThat(Ask.refusal("from-run", temp)).contains(temp.toString());
    run(0);
    assertThat(Ask.refusal("from-run", temp)).contains("checkpoint");
  }

  @Test
  void oneCheckpoint() {
    run(1);
    assertThat(Ask.run("from-run", temp).err()).doesNotContain("Exception");
  }
}
