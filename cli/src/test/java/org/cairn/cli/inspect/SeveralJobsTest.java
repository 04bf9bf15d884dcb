// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.RestartRequest;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.cli.Cli;
import org.cairn.comm.Ranks;
import org.cairn.record.Digest;
import org.cairn.record.RecordWriter;
import org.cairn.store.DirectoryStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The commands in directories that several jobs, or several lives of one, have used. */
@Timeout(600)
@Tag("slow")
class SeveralJobsTest {
  @TempDir Path temp;

  private static final Options OPTIONS =
      Options.defaults().retain(10).threads(1).flushOnClose(Duration.ZERO);

  private Path dir() {
    return temp.resolve("checkpoints");
  }

  /** One run of one rank. */
  private static void run(Path directory, Options options, RestartRequest request, int versions) {
    double[] u = new Random(7).doubles(Sample.DOUBLES).toArray();
    try (Checkpointer cairn = Checkpointer.open(directory, options)) {
      cairn.protect("u", u);
      cairn.restart(request);
      for (int i = 0; i < versions; i++) {
        u[i * Sample.PER_BLOCK % Sample.DOUBLES] += 1;
        cairn.checkpoint();
      }
    }
  }

  private void begin(int versions) {
    run(dir(), OPTIONS, RestartRequest.newest(), versions);
  }

  private void anew(int versions) {
    run(dir(), OPTIONS, RestartRequest.beginAnew(), versions);
  }

  /** One run of many ranks. */
  private static void runRanks(
      Path directory, int ranks, Options options, RestartRequest request, int versions) {
    Ranks.run(
        ranks,
        rank -> "node" + rank,
        world -> {
          double[] u = new Random(world.rank()).doubles(Sample.DOUBLES).toArray();
          try (Checkpointer cairn = Checkpointer.open(directory, world, options)) {
            cairn.protect("u", u);
            cairn.restart(request);
            for (int i = 0; i < versions; i++) {
              u[i * Sample.PER_BLOCK % Sample.DOUBLES] += 1;
              cairn.checkpoint();
            }
          }
        });
  }

  private static JsonNode lives(Object... command) {
    JsonNode all = Cli.run(command).json();
    return all.get(all.size() - 1);
  }

  // ---------------------------------------------------------------- lives

  @Test
  void lsListsThePastAndSaysWhatARestartWouldDo() {
    begin(3);
    anew(2);

    Cli.Result result = Cli.run("ls", dir());

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out())
        .contains("checkpoints: 2 lives, ")
        .containsPattern("[0-9a-f]{8}-[0-9a-f]{8}  -  +1  \\d\\.\\d+@[0-9a-f]{8} .* current ")
        .containsPattern(" past ")
        .containsPattern("A restart would go on with version \\S+ of [0-9a-f]{8}-[0-9a-f]{8}\\.");
    JsonNode listed = lives("ls", "--json", dir());
    assertThat(listed.at("/lives/0/state").asString()).isEqualTo("current");
    assertThat(listed.at("/lives/1/state").asString()).isEqualTo("past");
    assertThat(listed.at("/shown").asString()).isEqualTo(listed.at("/lives/0/life").asString());
    assertThat(listed.at("/restart").toString())
        .contains("would go on with version " + listed.at("/lives/0/newest").asString());
    assertThat(listed.at("/lives/0/bytes").asLong()).isPositive();
  }

  @Test
  void jobsOfDifferentNamesAreListedSideBySide() {
    run(dir(), OPTIONS.job("plate-7"), RestartRequest.newest(), 2);
    run(dir(), OPTIONS.job("plate-8"), RestartRequest.newest(), 1);

    Cli.Result result = Cli.run("ls", dir());

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out())
        .contains("2 lives")
        .contains("A restart of \"plate-7\" would go on with")
        .contains("A restart of \"plate-8\" would go on with")
        .contains("rank0+plate-7.cairn");
    String id = lives("ls", "--json", dir()).at("/lives/1/life").asString();
    Cli.Result one = Cli.run("ls", "--job", id, dir());
    assertThat(one.out()).contains("rank0+plate-8.cairn").doesNotContain("plate-7");
  }

  @Test
  void whatNeverCompletedACheckpointIsCalledSo() {
    begin(1);
    run(dir(), OPTIONS.job("young"), RestartRequest.newest(), 0);

    assertThat(Cli.run("ls", dir()).out())
        .contains("never completed a checkpoint")
        .contains("A restart of \"young\" would begin again");
  }

  @Test
  void twoJobsOfManyRanksThatNeverMetAreRefused() throws IOException {
    Path one = temp.resolve("one");
    Path other = temp.resolve("other");
    runRanks(one, 2, OPTIONS, RestartRequest.newest(), 2);
    runRanks(other, 2, OPTIONS, RestartRequest.newest(), 2);
    for (int rank = 0; rank < 2; rank++) {
      Files.copy(
          other.resolve("rank%d/rank%d.cairn".formatted(rank, rank)),
          one.resolve("rank%d/rank%d-12345678.cairn".formatted(rank, rank)));
    }

    Cli.Result result = Cli.run("ls", one);

    assertThat(result.out())
        .contains("2 lives")
        .contains("A restart would refuse: there are checkpoints of 2 lives");
    JsonNode listed = lives("ls", "--json", one);
    assertThat(listed.at("/versions").isEmpty()).isTrue();
    String id = listed.at("/lives/1/life").asString();
    assertThat(lives("ls", "--json", "--job", id, one).at("/versions/0/state").asString())
        .isEqualTo("complete");
    assertThat(Cli.run("show", one).exitCode()).isEqualTo(2);
    assertThat(Cli.run("show", one).err()).contains("say which with --job").contains(id);
    assertThat(Cli.run("show", "--job", id, one).out()).contains("Life " + id);
  }

  @Test
  void aMixtureOfRanksIsNoVersion() throws IOException {
    Path one = temp.resolve("one");
    Path other = temp.resolve("other");
    runRanks(one, 2, OPTIONS, RestartRequest.newest(), 2);
    runRanks(other, 2, OPTIONS, RestartRequest.newest(), 2);
    Files.delete(one.resolve("rank1/rank1.cairn"));
    Files.copy(other.resolve("rank1/rank1.cairn"), one.resolve("rank1/rank1.cairn"));

    Cli.Result result = Cli.run("ls", one);

    assertThat(result.out()).contains("would refuse").doesNotContain("complete ");
    Cli.Result verified = Cli.run("verify", one);
    assertThat(verified.exitCode()).isEqualTo(1);
    assertThat(verified.out()).contains("not everything is there");
    assertThat(verified.err()).contains("no container of rank 0 of").contains("rank 1 of");
  }

  // ---------------------------------------------------------------- versions

  @Test
  void aVersionThatFitsTwoIsAnsweredWithBoth() {
    Path other = temp.resolve("other");
    begin(2);
    run(other, OPTIONS, RestartRequest.newest(), 2);
    copy(other.resolve("rank0.cairn"), dir().resolve("rank0@12345678.cairn"));

    for (List<Object> command :
        List.<List<Object>>of(
            List.of("show", "--version", "1.2", dir()),
            List.of("verify", "--version", "1.2", dir()),
            List.of("diff", dir(), "1.1", "1.2"),
            List.of("diff", dir() + "@1.2", dir() + "@1.1"),
            List.of("export", dir(), "--version", "1.2", "--to", temp.resolve("out")))) {
      Cli.Result result = Cli.run(command.toArray());
      assertThat(result.exitCode()).as(command + result.err()).isEqualTo(2);
      assertThat(result.err())
          .containsPattern("version 1\\.\\d is not one but 2 in \\S+; write 1\\.\\d@[0-9a-f]{8}")
          .containsPattern("or 1\\.\\d@[0-9a-f]{8}");
    }

    JsonNode lives = lives("ls", "--json", dir()).at("/lives");
    String exact = lives.at("/0/newest").asString();
    assertThat(Cli.run("show", "--version", exact, dir()).exitCode()).isZero();
    assertThat(Cli.run("verify", "--version", exact, dir()).exitCode()).isZero();
    Cli.Result diff =
        Cli.run("diff", dir() + "@" + exact, dir() + "@" + lives.at("/1/newest").asString());
    assertThat(diff.out()).contains("The versions are the same.");
    String life = lives.at("/1/life").asString();
    assertThat(Cli.run("export", dir(), "--job", life, "--to", temp.resolve("out")).exitCode())
        .isZero();
  }

  @Test
  void showTellsWhereARunComesFrom() {
    begin(2);
    String first = lives("ls", "--json", dir()).at("/versions/1/version").asString();
    run(dir(), OPTIONS, RestartRequest.newest().version(first), 1);

    Cli.Result result = Cli.run("show", dir());

    assertThat(result.out())
        .containsPattern("Life [0-9a-f]{8}-[0-9a-f]{8}: job [0-9a-f]{32}, run [0-9a-f]{16}")
        .containsPattern("continued from " + first + "@[0-9a-f]{8}")
        .containsPattern("left behind \\d\\.\\d@[0-9a-f]{8}")
        .contains("from nothing");
  }

  // ---------------------------------------------------------------- a shared directory

  private static Options flushing(Path shared) {
    try {
      return OPTIONS.tiers(
          Tiers.none()
              .shared(DirectoryStore.open(shared, true), 1)
              .patience(Duration.ofMinutes(1)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aSharedDirectoryIsLookedAtAlone() throws IOException {
    Path shared = temp.resolve("shared");
    Options options = flushing(shared);
    runRanks(temp.resolve("a"), 2, options.job("a"), RestartRequest.newest(), 2);
    runRanks(temp.resolve("b"), 2, options.job("b"), RestartRequest.newest(), 1);

    Cli.Result ls = Cli.run("ls", shared);
    assertThat(ls.exitCode()).as(ls.err()).isZero();
    assertThat(ls.out())
        .contains("2 lives")
        .contains("A restart of \"a\" would go on with version 1.2@")
        .contains("A restart of \"b\" would go on with version 1.1@");
    String a = lives("ls", "--json", shared).at("/lives/0/life").asString();
    assertThat(Cli.run("ls", "--job", a, shared).out())
        .containsPattern("1\\.2 .* restorable +- +- +- +all");

    Cli.Result verified = Cli.run("verify", shared);
    assertThat(verified.exitCode()).as(verified.err()).isZero();
    assertThat(verified.out()).contains("shared 1.2@").contains("Everything is sound.");
    assertThat(Cli.run("verify", "--shared", shared, temp.resolve("a")).out())
        .contains("rank1/rank1+a.cairn")
        .contains("shared 1.2@");

    assertThat(Cli.run("show", "--job", a, shared).out())
        .contains("\"a\"")
        .contains("oldest verification of a block");
    Path out = temp.resolve("out");
    assertThat(Cli.run("export", shared, "--job", a, "--to", out).err())
        .contains("say which with --rank");
    assertThat(Cli.run("export", shared, "--job", a, "--rank", 1, "--to", out).exitCode()).isZero();
    assertThat(
            Cli.run(
                    "export",
                    temp.resolve("a"),
                    "--rank",
                    1,
                    "--file",
                    temp.resolve("u.npy"),
                    "--dataset",
                    "u")
                .exitCode())
        .isZero();
    assertThat(out.resolve("u.npy")).hasSameBinaryContentAs(temp.resolve("u.npy"));
    assertThat(Cli.run("diff", "--rank", 0, "--job", a, shared, "1.1", "1.2").out())
        .contains("1 of 4");
  }

  @Test
  void damageInASegmentIsFound() throws IOException {
    Path shared = temp.resolve("shared");
    runRanks(temp.resolve("a"), 2, flushing(shared), RestartRequest.newest(), 1);
    Path segment = find(shared, "seg-");
    org.cairn.cli.Damage.flip(segment, Files.size(segment) / 3);

    Cli.Result result = Cli.run("verify", "--shared", shared, temp.resolve("a"));

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).contains("There is damage in shared 1.1@");
    Files.delete(segment);
    Cli.Result missing = Cli.run("ls", shared);
    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.out()).contains("incomplete").contains("would refuse");
  }

  /** A newer format is no damage; what cannot be read is, even if its segments tell the same. */
  @Test
  void filesThatCannotBeReadAreNamedByLsAndVerify() throws IOException {
    Path shared = temp.resolve("shared");
    run(temp.resolve("a"), flushing(shared), RestartRequest.newest(), 1);
    Path manifest = find(shared, "manifest-");
    Path segment = find(shared, "seg-");
    byte[] good = Files.readAllBytes(manifest);

    org.cairn.cli.Damage.flip(manifest, good.length / 2);
    assertNamed(shared, manifest, "There is damage in shared " + manifest.getFileName());
    assertThat(Cli.run("ls", shared).out()).contains("restorable");

    Files.write(manifest, ofLaterRelease(good));
    assertNamed(shared, manifest, manifest.getFileName() + " was written by another release");

    Files.writeString(manifest, "garbage ".repeat(100));
    Files.writeString(segment, "garbage ".repeat(100));
    assertNamed(shared, manifest, "There is damage in ");
    assertNamed(shared, segment, segment.getFileName().toString());
    assertThat(Cli.run("ls", shared).out()).contains("holds nothing that can be read");
  }

  private static void assertNamed(Path shared, Path file, String conclusion) {
    Cli.Result ls = Cli.run("ls", shared);
    assertThat(ls.exitCode()).as(ls.out()).isEqualTo(1);
    assertThat(ls.err()).contains(file.getFileName().toString());
    Cli.Result verified = Cli.run("verify", shared);
    assertThat(verified.exitCode()).as(verified.out()).isEqualTo(1);
    assertThat(verified.err()).contains(file.getFileName().toString());
    assertThat(verified.out()).contains(conclusion).doesNotContain("Everything is sound");
  }

  /** As docs/format/segment.md has it. */
  private static final int HEADER_BYTES = 96;

  /** The header of a segment or manifest has a checksum of its own. */
  private static byte[] ofLaterRelease(byte[] file) {
    MemorySegment bytes = MemorySegment.ofArray(file.clone());
    bytes.set(ValueLayout.JAVA_INT_UNALIGNED, 12, 99);
    long covered = HEADER_BYTES - Digest.BYTES;
    MemorySegment checksum =
        RecordWriter.onHeap()
            .putBytes(bytes.asSlice(0, covered).toArray(ValueLayout.JAVA_BYTE))
            .seal()
            .bytes();
    MemorySegment.copy(checksum, 0, bytes, 0, HEADER_BYTES);
    return bytes.toArray(ValueLayout.JAVA_BYTE);
  }

  /** Of one rank, too: local files may be older than what was flushed from another node. */
  @Test
  void whatWasFlushedIsListedBesideOlderLocalFiles() throws IOException {
    Path shared = temp.resolve("shared");
    run(dir(), flushing(shared), RestartRequest.newest(), 2);
    Path elsewhere = Files.createDirectory(temp.resolve("elsewhere"));
    run(elsewhere, flushing(shared), RestartRequest.newest(), 1);

    Cli.Result ls = Cli.run("ls", "--shared", shared, dir());
    assertThat(ls.exitCode()).as(ls.err()).isZero();
    assertThat(ls.out())
        .contains("rank0.cairn")
        .containsPattern("(?m)^1\\.2 ")
        .containsPattern("(?m)^2\\.3 .*restorable")
        .contains("A restart would go on with version 2.3@");
    Cli.Result show = Cli.run("show", "--shared", shared, dir());
    assertThat(show.exitCode()).as(show.err()).isZero();
    assertThat(show.out()).containsPattern("(?m)^2\\.3 ").contains("would go on with version 2.3@");
    for (String version : List.of("1.2", "2.3")) {
      assertThat(Cli.run("show", "--shared", shared, "--version", version, dir()).out())
          .contains("u ");
    }
    Files.delete(dir().resolve("rank0.cairn"));
    assertThat(Cli.run("ls", "--shared", shared, dir()).out()).contains("2.3");
  }

  private static Path find(Path directory, String prefix) throws IOException {
    try (var files = Files.newDirectoryStream(directory, prefix + "*")) {
      return files.iterator().next();
    }
  }

  // ---------------------------------------------------------------- pruning

  @Test
  void pruneSaysWhatEachWouldFreeAndDeletesNothing() throws IOException {
    begin(3);
    anew(3);
    Files.writeString(dir().resolve("rank0.cairn.damaged1"), "what is left of it");

    Cli.Result result = Cli.run("prune", dir());

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out())
        .contains("old versions")
        .contains("old lives")
        .contains("--damaged")
        .contains("Nothing was; say which.");
    assertThat(lives("ls", "--json", dir()).at("/lives").size()).isEqualTo(2);
    assertThat(dir().resolve("rank0.cairn.damaged1")).exists();
    assertThat(Cli.run("prune", "--lives", "--dry-run", dir()).out())
        .contains("would be deleted; nothing was");
  }

  /** The newest version lies behind what it drops, so nothing can be cut off yet. */
  @Test
  void pruneTellsWhatItFreedInFilesThatStay() throws IOException {
    byte[] state = new byte[1 << 20];
    try (Checkpointer cairn = Checkpointer.open(dir(), Options.defaults().retain(5))) {
      cairn.protect("state", state);
      for (int i = 1; i <= 3; i++) {
        Arrays.fill(state, (byte) i);
        cairn.checkpoint();
      }
    }
    Path file = dir().resolve("rank0.cairn");
    long before = Files.size(file);

    JsonNode pruned = Cli.run("prune", "--versions", "--json", dir()).json();

    long shorter = before - Files.size(file);
    assertThat(pruned.at("/bytes").asLong()).isCloseTo(2L << 20, within(8192L)); // and records
    assertThat(pruned.at("/inside").asLong()).isEqualTo(pruned.at("/bytes").asLong() - shorter);
    assertThat(shorter).isLessThan(1 << 20);
  }

  @Test
  void pruneDeletesWhatItIsToldTo() throws IOException {
    begin(3);
    anew(3);
    Files.writeString(dir().resolve("rank0.cairn.damaged1"), "what is left of it");

    assertThat(Cli.run("prune", "--damaged", dir()).exitCode()).isZero();
    assertThat(dir().resolve("rank0.cairn.damaged1")).doesNotExist();

    Cli.Result versions = Cli.run("prune", "--versions", "--keep", 2, dir());
    assertThat(versions.exitCode()).as(versions.err()).isZero();
    assertThat(versions.out()).contains("Deleted ");
    JsonNode left = lives("ls", "--json", dir());
    assertThat(left.at("/versions").size()).isEqualTo(2);
    assertThat(left.at("/lives").size()).isEqualTo(2);

    assertThat(Cli.run("prune", "--lives", dir()).out()).contains("Deleted ");
    assertThat(Cli.run("ls", "--json", dir()).json().size()).isEqualTo(1);
    assertThat(Cli.run("verify", dir()).exitCode()).isZero();
    run(dir(), OPTIONS, RestartRequest.newest(), 1);
    assertThat(Cli.run("verify", dir()).exitCode()).isZero();
    assertThat(Cli.run("prune", "--lives", dir()).out()).contains("There is nothing to delete.");
  }

  /** A restart refuses because of it, so it has to be found. */
  @Test
  void whatWasPutAsideIsNamedWhereNothingElseIsLeft() throws IOException {
    Path aside = Files.createDirectory(dir()).resolve("rank0.cairn.damaged1");
    Files.writeString(aside, "what is left of it");

    Cli.Result ls = Cli.run("ls", dir());
    assertThat(ls.exitCode()).isEqualTo(1);
    assertThat(ls.out()).contains("A restart would refuse");
    assertThat(ls.err()).contains(aside + " could not be read and was put aside");
    assertThat(Cli.run("verify", dir()).err()).contains("put aside").contains(aside.toString());
    assertThat(Cli.run("prune", dir()).out()).contains(aside.toString()).contains("--damaged");

    assertThat(Cli.run("prune", "--damaged", dir()).exitCode()).isZero();
    assertThat(aside).doesNotExist();
    assertThat(Cli.run("ls", dir()).err()).contains("holds no checkpoints");
  }

  @Test
  void whatAJobUsesStays() {
    begin(3);
    try (Checkpointer cairn = Checkpointer.open(dir(), OPTIONS)) {
      cairn.protect("u", new double[Sample.DOUBLES]);
      cairn.restart();

      Cli.Result result = Cli.run("prune", "--versions", dir());

      assertThat(result.exitCode()).isZero();
      assertThat(result.err()).contains("stays").contains("is in use");
    }
    assertThat(Cli.run("ls", "--json", dir()).json().at("/0/versions").size()).isEqualTo(3);
  }

  @Test
  void leftoversOfAnotherMappingGo() throws IOException {
    Path job = temp.resolve("job");
    runRanks(job, 2, OPTIONS, RestartRequest.newest(), 1);
    Path left = Files.createDirectory(job.resolve("rank7"));
    copy(job.resolve("rank1/rank1.cairn"), left.resolve("rank1.cairn"));
    runRanks(job, 2, OPTIONS, RestartRequest.newest(), 1);

    Cli.Result result = Cli.run("prune", "--leftovers", job);

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).contains("rank7/rank1.cairn");
    assertThat(left.resolve("rank1.cairn")).doesNotExist();
    assertThat(job.resolve("rank1/rank1.cairn")).exists();
  }

  @Test
  void aSharedDirectoryIsPrunedByLivesAndVersions() throws IOException {
    Path shared = temp.resolve("shared");
    Options options = flushing(shared);
    runRanks(temp.resolve("a"), 2, options.job("a"), RestartRequest.newest(), 2);
    runRanks(temp.resolve("b"), 2, options.job("b"), RestartRequest.newest(), 2);
    String a = lives("ls", "--json", shared).at("/lives/0/life").asString();

    Cli.Result versions = Cli.run("prune", "--versions", "--job", a, shared);
    assertThat(versions.exitCode()).as(versions.err()).isZero();
    assertThat(versions.err()).isEmpty();
    // The segments of the older version stay: the newer one needs some of their blocks.
    try (Stream<Path> files = Files.list(shared)) {
      assertThat(files.filter(file -> file.getFileName().toString().startsWith("manifest-")))
          .hasSize(3);
    }
    assertThat(Cli.run("verify", shared).exitCode()).isZero();

    Cli.Result lives = Cli.run("prune", "--lives", "--older-than", "0s", "--job", a, shared);
    assertThat(lives.exitCode()).as(lives.err()).isZero();
    Cli.Result left = Cli.run("ls", shared);
    assertThat(left.out()).contains("1.2").doesNotContain("lives");
    assertThat(Cli.run("verify", shared).exitCode()).isZero();
  }

  @Test
  void theLeaseOfARunningJobIsRespected() {
    Path shared = temp.resolve("shared");
    Ranks.run(
        2,
        rank -> "node" + rank,
        world -> {
          double[] u = new double[Sample.DOUBLES];
          try (Checkpointer cairn = Checkpointer.open(temp.resolve("a"), world, flushing(shared))) {
            cairn.protect("u", u);
            cairn.restart();
            for (int i = 0; i < 3; i++) {
              u[i] = 1;
              cairn.checkpoint();
              cairn.flush(TierKind.SHARED);
            }
            world.barrier();
            if (world.rank() == 0) {
              Cli.Result result = Cli.run("prune", "--versions", shared);
              assertThat(result.exitCode()).as(result.err()).isZero();
              assertThat(result.err()).contains("stays: the job is running");
            }
            world.barrier();
          }
        });
    assertThat(Cli.run("prune", "--versions", shared).out()).contains("Deleted ");
    assertThat(Cli.run("verify", shared).exitCode()).isZero();
  }

  private static void copy(Path from, Path to) {
    try {
      Files.copy(from, to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
