// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Random;
import org.cairn.Checkpointer;
import org.cairn.HashAlgorithm;
import org.cairn.Options;
import org.cairn.cli.Cli;
import org.cairn.hash.WeakHash;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class DiffCommandTest {
  @TempDir Path temp;

  @Test
  void showsWhichBlocksChanged() {
    Sample.write(temp, 4);

    assertThat(Cli.run("diff", temp, "1.2", "1.3").out())
        .containsPattern("u +changed +1 of 4 +25.0 % +16.0 KiB +2\n");
    assertThat(Cli.run("diff", temp, "1.1", "1.4").out())
        .containsPattern("u +changed +3 of 4 +75.0 % +16.0 KiB +1-3\n");
  }

  @Test
  void jsonHasRanges() {
    Sample.write(temp, 4);

    JsonNode report = Cli.run("diff", "--json", temp, "1.1", "1.4").json();

    assertThat(report.at("/before/version").asString()).isEqualTo("1.1");
    assertThat(report.at("/same").asBoolean()).isFalse();
    assertThat(report.at("/datasets/1/name").asString()).isEqualTo("u");
    assertThat(report.at("/datasets/1/changed").toString()).isEqualTo("[[1,3]]");
  }

  @Test
  void equalVersionsAreTheSame() {
    Sample.write(temp.resolve("a"), 3);
    Sample.write(temp.resolve("b"), 3);

    Cli.Result result = Cli.run("diff", "--exit-code", temp.resolve("a"), temp.resolve("b"));

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).isEqualTo("The versions are the same.\n");
  }

  @Test
  void differencesCanBecomeTheExitCode() {
    Sample.write(temp, 2);

    assertThat(Cli.run("diff", temp, "1.1", "1.2").exitCode()).isZero();
    assertThat(Cli.run("diff", "--exit-code", temp, "1.1", "1.2").exitCode()).isEqualTo(1);
    assertThat(Cli.run("diff", "--exit-code", temp, "1.2", "1.2").exitCode()).isZero();
  }

  @Test
  void versionsOfTwoDirectoriesAreNamedBehindAnAt() {
    Sample.write(temp.resolve("a"), 3);
    Sample.write(temp.resolve("b"), 2);

    Object a = temp.resolve("a") + "@1.2";
    assertThat(Cli.run("diff", a, temp.resolve("b")).out()).contains("the same");
    assertThat(Cli.run("diff", temp.resolve("a"), temp.resolve("b")).out()).contains("u");
  }

  @Test
  void blocksOfDifferentSizesAndDigestsAreComparedByTheirBytes() {
    Options other = Options.defaults().blockSize(4096).hash(WeakHash.CRC32C);
    Sample.write(temp.resolve("a"), 3, Options.defaults().hash(HashAlgorithm.SPOOKY_128));
    Sample.write(temp.resolve("b"), 3, other.retain(5));

    assertThat(Cli.run("diff", temp.resolve("a"), temp.resolve("b")).out()).contains("the same");
    Object older = temp.resolve("b") + "@1.2";
    assertThat(Cli.run("diff", older, temp.resolve("a")).out())
        .containsPattern("u +changed +1 of 16 +6.3 % +4.00 KiB +8\n");
  }

  @Test
  void datasetsThatComeGoGrowAndTurn() {
    int[] stays = new Random(3).ints(10_000).toArray();
    try (Checkpointer cairn = Checkpointer.open(temp)) {
      cairn.protect("grows", stays.clone());
      cairn.protect("goes", new byte[5]);
      cairn.protect("turns", stays.clone()).shape(100, 100);
      cairn.protect("stays", stays);
      cairn.checkpoint();
      cairn.dataset("grows").replace(java.util.Arrays.copyOf(stays, 20_000));
      cairn.dataset("turns").shape(50, 200);
      cairn.unprotect("goes");
      cairn.protect("comes", new long[9]);
      cairn.checkpoint();
    }

    String out = Cli.run("diff", temp, "1.1", "1.2").out();

    assertThat(out)
        .containsPattern("grows +grown, 39.1 KiB to 78.1 KiB +3 of 5 ")
        .containsPattern("turns +reshaped, \\[100, 100\\] to \\[50, 200\\] +0 of 3")
        .containsPattern("comes +added +1 of 1")
        .containsPattern("goes +removed +1 of 1")
        .contains("1 more dataset(s) are the same.");
  }

  @Test
  void manyRangesAreCutUnlessAllAreWanted() {
    double[] u = new double[64 * Sample.PER_BLOCK];
    try (Checkpointer cairn = Checkpointer.open(temp)) {
      cairn.protect("u", u);
      cairn.checkpoint();
      for (int block = 0; block < 64; block += 2) {
        u[block * Sample.PER_BLOCK] = 1;
      }
      cairn.checkpoint();
    }

    assertThat(Cli.run("diff", temp, "1.1", "1.2").out()).contains("12, 14, ... (24 more)");
    assertThat(Cli.run("diff", "--all", temp, "1.1", "1.2").out()).contains("58, 60, 62\n");
  }

  @Test
  void aVersionAloneIsAskedAbout() {
    Sample.write(temp, 2);

    Cli.Result one = Cli.run("diff", temp, "1.1");
    Cli.Result none = Cli.run("diff", temp);

    assertThat(one.exitCode()).isEqualTo(2);
    assertThat(one.err())
        .contains("with which version shall 1.1 be compared?")
        .contains("cairn diff " + temp + " 1.1 VERSION");
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err()).contains("cairn diff " + temp + " VERSION VERSION");
  }
}
