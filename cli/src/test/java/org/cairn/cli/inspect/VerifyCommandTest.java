// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.cairn.Checkpointer;
import org.cairn.HashAlgorithm;
import org.cairn.Options;
import org.cairn.cli.Cli;
import org.cairn.cli.Damage;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.testkit.random.SeededTest;
import org.cairn.version.DatasetEntry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class VerifyCommandTest {
  @TempDir Path temp;

  @Test
  void soundContainersPass() {
    Sample.write(temp, 3);

    Cli.Result result = Cli.run("verify", temp);

    assertThat(result.exitCode()).isZero();
    assertThat(result.out())
        .containsPattern("1.3 +5 +64.0 KiB +sound")
        .containsPattern("1.1 +5 +64.0 KiB +sound")
        .contains("Everything is sound.");
    assertThat(result.err()).isEmpty();
  }

  @Test
  void aFlippedByteIsLocated() throws IOException {
    Sample.write(temp, 3);
    Damage.flip(temp.resolve("rank0.cairn"), placeOf("u", 3) + 77);

    Cli.Result result = Cli.run("verify", temp);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).contains("1 block(s) damaged").contains("There is damage.");
    assertThat(result.err())
        .contains("version 1.3: block 3 of \"u\": digest")
        .contains("rank0.cairn, offset " + placeOf("u", 3));
  }

  @Test
  void blocksOfSpookyHashAreVerified() throws IOException {
    Sample.write(temp, 3, Options.defaults().hash(HashAlgorithm.SPOOKY_128));
    assertThat(Cli.run("verify", temp).out()).contains("Everything is sound.");
    Damage.flip(temp.resolve("rank0.cairn"), placeOf("u", 3) + 77);

    Cli.Result result = Cli.run("verify", temp);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("version 1.3: block 3 of \"u\": digest");
  }

  @Test
  void ofMuchDamageOnlyTheFirstIsKept() throws IOException {
    Sample.writeRuined(temp, 3000);

    Cli.Result result = Cli.run("verify", temp);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).contains("3,000 block(s) damaged");
    assertThat(result.err().lines()).hasSize(21);
    assertThat(result.err()).contains("version 1.1: and 2,980 more; --json shows the first 1,000");
    JsonNode version = Cli.run("verify", "--json", temp).json().get(0).get("versions").get(0);
    assertThat(version.get("damagedBlocks").asLong()).isEqualTo(3000);
    assertThat(version.get("problems")).hasSize(1000);
  }

  @Test
  void aLinkIsNotTakenForNothing() throws IOException {
    Sample.write(temp.resolve("real"), 1);
    Path linked = Files.createDirectory(temp.resolve("linked"));
    Files.createSymbolicLink(
        linked.resolve("rank0.cairn"), temp.resolve("real").resolve("rank0.cairn"));
    for (String command : List.of("ls", "show", "verify", "scrub")) {
      Cli.Result result = Cli.run(command, linked);
      assertThat(result.exitCode()).as(command).isEqualTo(1);
      assertThat(result.err())
          .as(command)
          .contains("rank0.cairn is a symbolic link to", "name the directory")
          .doesNotContain("no checkpoints");
    }
  }

  @Test
  void aLaterFormatIsNoDamage() throws IOException {
    Sample.write(temp, 1);
    Path file = temp.resolve("rank0.cairn");
    byte[] bytes = Files.readAllBytes(file);
    bytes[12] = 99; // the number of the format, in both superblocks
    bytes[4096 + 12] = 99;
    Files.write(file, bytes);

    Cli.Result result = Cli.run("verify", temp);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).contains("written by another release").doesNotContain("damage.");
    assertThat(result.err()).contains("rank0.cairn").contains("format version 99");
    assertThat(Cli.run("verify", "--json", temp).json().at("/0/foreign").asBoolean()).isTrue();
  }

  @Test
  void oneVersionCanBeVerified() throws IOException {
    Sample.write(temp, 3);
    Damage.flip(temp.resolve("rank0.cairn"), placeOf("u", 2)); // version 1.3 wrote it

    assertThat(Cli.run("verify", "--version", "1.2", temp).exitCode()).isZero();
    assertThat(Cli.run("verify", "--version", "1.3", temp).exitCode()).isEqualTo(1);
  }

  @Test
  void jsonTellsEveryDamage() throws IOException {
    Sample.write(temp, 2);
    Damage.flip(temp.resolve("rank0.cairn"), placeOf("u", 1));
    Damage.flip(temp.resolve("rank0.cairn"), placeOf("u", 3));

    Cli.Result result = Cli.run("verify", "--json", temp);

    JsonNode newest = result.json().at("/0/versions/0");
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(newest.get("damagedBlocks").asLong()).isEqualTo(2);
    assertThat(newest.get("problems")).hasSize(2);
    assertThat(result.json().at("/0/sound").asBoolean()).isFalse();
  }

  @Test
  void everyRankIsVerified() throws IOException {
    Sample.write(temp, 2);
    Files.copy(temp.resolve("rank0.cairn"), temp.resolve("rank1.cairn"));
    Damage.flip(temp.resolve("rank1.cairn"), placeOf("u", 0));

    Cli.Result result = Cli.run("verify", temp);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).contains("Everything is sound.").contains("There is damage.");
    assertThat(result.err()).contains("rank1.cairn").doesNotContain("rank0.cairn");
  }

  @Test
  void whatIsNoContainerIsSaidSo() throws IOException {
    Files.writeString(temp.resolve("rank0.cairn"), "not a container");

    Cli.Result result = Cli.run("verify", temp);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err().lines()).hasSize(1);
    assertThat(Cli.run("verify", temp.resolve("nowhere")).err())
        .isEqualTo("cairn verify: " + temp.resolve("nowhere") + " does not exist\n");
  }

  @Test
  void noTruncationPassesAndNoneIsUnexplained() throws IOException {
    Sample.write(temp, 2);
    Path file = temp.resolve("rank0.cairn");
    byte[] whole = Files.readAllBytes(file);
    for (int size = 0; size < whole.length - 4096; size += 1013) {
      Files.write(file, whole);
      Damage.truncate(file, size);

      Cli.Result result = Cli.run("verify", temp);

      assertThat(result.exitCode()).as("cut to %d", size).isEqualTo(1);
      assertThat(result.err()).as("cut to %d", size).isNotBlank().doesNotContain("Exception");
    }
  }

  /** Versions come and go while they are verified: none may be called damaged. */
  @Tag("slow")
  @SeededTest(seeds = 1)
  void aProgramMayGoOnMeanwhile(long seed) throws Exception {
    double[] u = new Random(7).doubles(1 << 16).toArray();
    AtomicBoolean stop = new AtomicBoolean();
    try (Checkpointer cairn = Checkpointer.open(temp)) {
      cairn.protect("u", u);
      cairn.checkpoint();
      Thread program =
          Thread.ofPlatform()
              .start(
                  () -> {
                    Random random = new Random(seed);
                    while (!stop.get()) {
                      for (int i = 0; i < 8; i++) {
                        u[random.nextInt(u.length)]++;
                      }
                      cairn.checkpoint();
                    }
                  });
      try {
        for (int i = 0; i < 40; i++) {
          Cli.Result result = Cli.run("verify", temp);
          assertThat(result.exitCode()).as(result.err()).isZero();
        }
      } finally {
        stop.set(true);
        program.join();
      }
    }
  }

  @Test
  void progressIsShownOnRequest() {
    Sample.write(temp, 1);

    Cli.Result result = Cli.run("verify", "--progress", temp);

    assertThat(result.err()).contains("100 %").contains("64.0 KiB of 64.0 KiB");
    assertThat(result.out()).doesNotContain("100 %");
  }

  private long placeOf(String dataset, int block) throws IOException {
    try (ContainerReader reader = ContainerPath.one(temp.resolve("rank0.cairn")).open()) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      DatasetEntry entry = view.find(dataset).orElseThrow();
      return view.place(entry, block).offset();
    }
  }
}
