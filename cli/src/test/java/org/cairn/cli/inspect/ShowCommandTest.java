// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.cairn.Checkpointer;
import org.cairn.Codec;
import org.cairn.Options;
import org.cairn.Tracking;
import org.cairn.cli.Cli;
import org.cairn.track.SharedPages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class ShowCommandTest {
  @TempDir Path temp;

  @Test
  void showsVersionsDatasetsAndSpace() {
    Sample.write(temp, 3);

    Cli.Result result = Cli.run("show", temp);

    assertThat(result.exitCode()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(result.out())
        .contains("in the file, of which", "free;")
        .contains("Datasets of version 1.3, dirty since 1.2:")
        .contains("Hash path of this machine: ")
        .containsPattern("u +double\\[8192\\] +64.0 KiB +64.0 KiB +4 +0 +1 +25.0 %")
        .containsPattern("step +long\\[1\\] +8 B +8 B +1 +0 +1 +100 %");
  }

  @Test
  void showsAnOlderVersion() {
    Sample.write(temp, 3);

    assertThat(Cli.run("show", "--version", "1.1", temp).out())
        .contains("Datasets of version 1.1:")
        .containsPattern("u +double.* - +- ");
  }

  @Test
  void tellsWhatWasWrittenHashedAndChanged() {
    assumeTrue(SharedPages.get().isAvailable(), SharedPages.get().why());
    Options options = Options.defaults().tracking(Tracking.REQUIRED);
    try (Checkpointer cairn = Checkpointer.open(temp, options)) {
      MemorySegment grid = cairn.allocate("grid", 1 << 20);
      cairn.checkpoint();
      grid.set(ValueLayout.JAVA_BYTE, 5_000, (byte) 1);
      cairn.checkpoint();
    }

    assertThat(Cli.run("show", temp).out())
        .containsPattern("dataset +size +written +hashed +changed +tracking")
        .containsPattern("grid +1.00 MiB +4.00 KiB +16.0 KiB +16.0 KiB +tracked");
    JsonNode seen = Cli.run("show", "--json", temp).json().get("seen").get(0);
    assertThat(seen.get("written").asLong()).isEqualTo(4096);
    assertThat(seen.get("hashed").asLong()).isEqualTo(16384);
    assertThat(seen.get("changed").asLong()).isEqualTo(16384);
  }

  @Test
  void versionsThatAreNotThereAreNamed() {
    Sample.write(temp, 2);

    Cli.Result result = Cli.run("show", "--version", "7.7", temp);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("7.7").contains("1.2, 1.1");
  }

  @Test
  void jsonTellsZeroBlocksCodecsAndSpace() {
    double[] zeros = new double[3 * Sample.PER_BLOCK];
    int[] steps = new int[4096];
    try (Checkpointer cairn = Checkpointer.open(temp)) {
      cairn.protect("zeros", zeros).shape(3, Sample.PER_BLOCK);
      cairn.protect("steps", steps).codec(Codec.DEFLATE);
      java.util.Arrays.setAll(steps, i -> i / 16);
      cairn.checkpoint();
    }

    JsonNode shown = Cli.run("show", "--json", temp).json();

    JsonNode first = shown.get("datasets").get(0);
    assertThat(first.get("zeroBlocks").asLong()).isEqualTo(3);
    assertThat(first.get("storedBytes").asLong()).isZero();
    assertThat(first.get("dirtyBlocks").isNull()).isTrue();
    assertThat(first.get("shape").toString()).isEqualTo("[3,2048]");
    JsonNode second = shown.get("datasets").get(1);
    assertThat(second.get("codec").asString()).isEqualTo("deflate");
    assertThat(second.get("storedBytes").asLong()).isBetween(1L, 16383L);
    assertThat(shown.get("liveBytes").asLong() + shown.get("freeBytes").asLong())
        .isEqualTo(shown.get("fileBytes").asLong());
  }

  @Test
  void aDirectoryWithoutAnyVersionIsFine() {
    try (Checkpointer cairn = Checkpointer.open(temp)) {
      cairn.restart();
    }

    Cli.Result result = Cli.run("show", temp);

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).contains("holds no version yet");
  }

  /** Such a file is shorter than the room for its superblocks, which must not be more than all. */
  @Test
  void noMoreIsInUseThanThereIs() {
    try (Checkpointer cairn = Checkpointer.open(temp)) {
      cairn.restart();
    }
    Path container = temp.resolve("rank0.cairn");
    JsonNode shown = Cli.run("show", "--json", container).json();
    assertThat(shown.get("liveBytes").asLong())
        .isPositive()
        .isLessThanOrEqualTo(shown.get("fileBytes").asLong());
  }

  @Test
  void namesCannotDisturbTheTerminal() {
    try (Checkpointer cairn = Checkpointer.open(temp)) {
      cairn.protect("a\nb\u001b[2J", new int[3]);
      cairn.checkpoint();
    }

    assertThat(Cli.run("show", temp).out())
        .contains("\"a\\nb\\u001b[2J\"")
        .doesNotContain("\u001b");
    assertThat(Cli.run("show", "--json", temp).json().at("/datasets/0/name").asString())
        .isEqualTo("a\nb\u001b[2J");
  }
}
