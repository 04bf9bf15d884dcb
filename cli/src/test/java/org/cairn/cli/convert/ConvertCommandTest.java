// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.Checkpoints;
import org.cairn.Label;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.Part;
import org.cairn.RestartReport;
import org.cairn.Tiers;
import org.cairn.cli.Cli;
import org.cairn.cli.Damage;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.DirectoryStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A job is converted for another number of ranks, from whatever tier, and goes on there. */
@Timeout(120)
class ConvertCommandTest {
  private static final int ROWS = 40;
  private static final int COLUMNS = 16;

  @TempDir Path temp;
  private Path job;
  private Path shared;
  private Path target;

  @BeforeEach
  void name() {
    job = temp.resolve("job");
    shared = temp.resolve("shared");
    target = temp.resolve("target");
  }

  // ---------------------------------------------------------------- a program

  /** Slabs of an array with a row of ghosts on either side, particles and a step. */
  private static void run(Path directory, int ranks, Tiers tiers, long expected, int steps) {
    Options options =
        Options.defaults()
            .threads(1)
            .blockSize(512)
            .retain(10)
            .flushOnClose(Duration.ofMinutes(1))
            .tiers(tiers);
    Ranks.run(
        ranks,
        rank -> "node" + rank,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directory, comm, options)) {
            run(cairn, comm, expected, steps);
          }
        });
  }

  private static void run(Checkpointer cairn, Communicator comm, long expected, int steps) {
    long first = (long) ROWS * comm.rank() / comm.size();
    long rows = (long) ROWS * (comm.rank() + 1) / comm.size() - first;
    double[] u = new double[(int) (rows + 2) * COLUMNS];
    long[][] id = {new long[comm.rank() % 3]};
    LongCell step = cairn.protectEverywhere("step", 0L);
    cairn
        .protect("u", u)
        .part(
            Part.of(new long[] {ROWS, COLUMNS}, new long[] {first, 0}, new long[] {rows, COLUMNS})
                .halo(1, 0));
    cairn.protect("id", long[].class, () -> id[0], n -> id[0] = new long[(int) n]).bag(1);
    RestartReport report = cairn.restart();
    assertThat(report.isRestored()).isEqualTo(expected > 0);
    assertThat(step.get()).isEqualTo(expected);
    if (expected > 0) {
      for (int i = 0; i < rows * COLUMNS; i++) {
        assertThat(u[i + COLUMNS]).isEqualTo(value(first * COLUMNS + i, expected));
      }
    }
    for (int i = 0; i < steps; i++) {
      step.increment();
      Arrays.fill(u, Double.NaN);
      for (int k = 0; k < rows * COLUMNS; k++) {
        u[k + COLUMNS] = value(first * COLUMNS + k, step.get());
      }
      Checkpoint taken = cairn.checkpoint();
      taken.tiers().forEach(taken::await);
    }
  }

  private static double value(long element, long step) {
    return element + step / 16.0;
  }

  // ---------------------------------------------------------------- helpers

  private Cli.Result convert(Object... more) {
    Object[] all = new Object[more.length + 4];
    all[0] = "convert";
    all[1] = job;
    all[2] = "--to";
    all[3] = target;
    System.arraycopy(more, 0, all, 4, more.length);
    return Cli.run(all);
  }

  private static void assertDone(Cli.Result result) {
    assertThat(result.exitCode()).as(result.err()).isZero();
  }

  /** Nothing has got the name of the new job, and nothing else is left. */
  private void assertRefused(Cli.Result result, String... words) {
    assertThat(result.exitCode()).as(result.out()).isNotZero();
    assertThat(result.err()).contains(words);
    assertThat(target).doesNotExist();
    assertThat(temp.resolve("target.converting")).doesNotExist();
  }

  private static SortedMap<String, Integer> files(Path directory) throws IOException {
    SortedMap<String, Integer> found = new TreeMap<>();
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path one : all.toList()) {
        found.put(
            one.toString(), Files.isDirectory(one) ? 0 : Arrays.hashCode(Files.readAllBytes(one)));
      }
    }
    return found;
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(one);
      }
    }
  }

  // ---------------------------------------------------------------- from any tier

  @Test
  void theProgramGoesOnWithAnotherNumber() throws IOException {
    run(job, 4, Tiers.none(), 0, 3);
    SortedMap<String, Integer> before = files(job);
    Cli.Result result = convert("--ranks", 3);
    assertDone(result);
    assertThat(result.out()).contains("grid 3x1", "equal shares", "everywhere", "of 4 ranks is");
    assertThat(files(job)).isEqualTo(before);
    assertThat(temp.resolve("target.converting")).doesNotExist();
    run(target, 3, Tiers.none(), 3, 1);
    run(target, 2, Tiers.none(), 4, 1);
    run(job, 4, Tiers.none(), 3, 0);
    assertThat(Cli.run("verify", target).exitCode()).isZero();
  }

  @Test
  void toALoneProgramAndBack() throws IOException {
    run(job, 3, Tiers.none(), 0, 2);
    Files.createDirectory(target); // an empty one will do
    assertDone(convert("--ranks", 1));
    assertThat(target.resolve("rank0.cairn")).exists();
    run(target, 1, Tiers.none(), 2, 1);
    Path many = temp.resolve("many");
    assertDone(Cli.run("convert", target.resolve("rank0.cairn"), "--ranks", 5, "--to", many));
    run(many, 5, Tiers.none(), 3, 1);
  }

  @Test
  void aRankThatLostItsFilesIsInACopy() throws IOException {
    run(job, 4, Tiers.none().partner(1), 0, 2);
    delete(job.resolve("rank2"));
    assertDone(convert("--ranks", 3));
    run(target, 3, Tiers.none(), 2, 1);
  }

  @Test
  void ranksThatLostTheirFilesAreDecodedFromParity() throws IOException {
    run(job, 6, Tiers.none().erasure(1).group(6, 2), 0, 2);
    delete(job.resolve("rank0"));
    Damage.truncate(job.resolve("rank4/rank4.cairn"), 100);
    SortedMap<String, Integer> before = files(job);
    assertDone(convert("--ranks", 2));
    assertThat(files(job)).isEqualTo(before);
    run(target, 2, Tiers.none(), 2, 1);
  }

  @Test
  void whatWasFlushedStandsIn() throws IOException {
    run(job, 3, Tiers.none().shared(DirectoryStore.shared(shared), 1), 0, 2);
    delete(job.resolve("rank1"));
    assertRefused(convert("--ranks", 2), "every rank", "--shared");
    assertDone(convert("--ranks", 2, "--shared", shared));
    run(target, 2, Tiers.none(), 2, 1);
    Path alone = temp.resolve("alone");
    SortedMap<String, Integer> before = files(shared);
    assertDone(Cli.run("convert", shared, "--ranks", 4, "--to", alone));
    assertThat(files(shared)).isEqualTo(before);
    run(alone, 4, Tiers.none(), 2, 1);
  }

  /** Files of the first number are still there, and are not what the job is now. */
  @Test
  void theNewestVersionDecidesWhateverItsNumber() {
    run(job, 4, Tiers.none(), 0, 2);
    run(job, 2, Tiers.none(), 2, 1);
    Cli.Result result = convert("--ranks", 3);
    assertDone(result);
    assertThat(result.out()).contains("of 2 ranks is version 1.1");
    run(target, 3, Tiers.none(), 3, 0);
  }

  @Test
  void aNameAndALabelStay() {
    Options named = Options.defaults().threads(1).job("plate");
    Ranks.run(
        2,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(job, comm, named)) {
            cairn.protectEverywhere("step", 5L);
            cairn.checkpoint(Label.of("warm").note("at rest").keep());
          }
        });
    assertDone(convert("--ranks", 3));
    Ranks.run(
        3,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(target, comm, named)) {
            LongCell step = cairn.protectEverywhere("step", 0L);
            assertThat(cairn.restart().isRestored()).isTrue();
            assertThat(step.get()).isEqualTo(5);
          }
        });
    try (Checkpoints saved = Checkpoints.open(target)) {
      assertThat(saved.labelled("warm").label().note()).isEqualTo("at rest");
      assertThat(saved.labelled("warm").label().kept()).isTrue();
    }
  }

  @Test
  void anOlderVersionCanBeNamed() {
    run(job, 3, Tiers.none(), 0, 3);
    Cli.Result result = convert("--ranks", 2, "--version", "1.2", "--json");
    assertDone(result);
    JsonNode report = result.json();
    assertThat(report.get("sourceVersion").asString()).startsWith("1.2@");
    assertThat(report.get("ranks").asInt()).isEqualTo(2);
    assertThat(report.get("datasets").get(1).get("dataset").asString()).isEqualTo("u");
    assertThat(report.get("datasets").get(1).get("divided").asString()).isEqualTo("grid 2x1");
    run(target, 2, Tiers.none(), 2, 0);
  }

  /** The program writes a version while another one is converted. */
  @Test
  void aRunningJobIsNotDisturbed() {
    run(job, 2, Tiers.none(), 0, 2);
    AtomicInteger exit = new AtomicInteger(-1);
    Ranks.run(
        2,
        comm -> {
          try (Checkpointer cairn =
              Checkpointer.open(job, comm, Options.defaults().threads(1).blockSize(512))) {
            run(cairn, comm, 2, 1);
            comm.barrier();
            if (comm.rank() == 0) {
              exit.set(convert("--ranks", 3).exitCode());
            }
            comm.barrier();
            cairn.checkpoint();
          }
        });
    assertThat(exit).hasValue(0);
    run(target, 3, Tiers.none(), 3, 0);
    run(job, 2, Tiers.none(), 3, 0);
  }

  // ---------------------------------------------------------------- refusals

  @Test
  void aDirectoryWithSomethingInItIsLeftAlone() throws IOException {
    run(job, 2, Tiers.none(), 0, 1);
    Files.createDirectory(target);
    Files.writeString(target.resolve("notes"), "mine");
    Cli.Result result = convert("--ranks", 3);
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("target is not empty", "--to");
    assertThat(files(target)).hasSize(2);
    assertThat(Cli.run("convert", job, "--ranks", 3, "--to", job.resolve("new")).err())
        .contains("which is only read");
    assertThat(job.resolve("new")).doesNotExist();
  }

  @Test
  void whatAKilledCommandLeftIsRecognised() throws IOException {
    run(job, 2, Tiers.none(), 0, 1);
    Path left = temp.resolve("target.converting");
    Files.createDirectories(left.resolve("job/rank0"));
    Cli.Result foreign = convert("--ranks", 3);
    assertThat(foreign.exitCode()).isEqualTo(1);
    assertThat(foreign.err()).contains("target.converting is not what an earlier convert left");
    Files.writeString(left.resolve("job/rank0/rank0.cairn"), "half");
    Files.createFile(left.resolve("convert.lock"));
    assertDone(convert("--ranks", 3));
    assertThat(left).doesNotExist();
    run(target, 3, Tiers.none(), 1, 0);
  }

  @Test
  void damageIsToldAndNothingStays() throws IOException {
    run(job, 2, Tiers.none(), 0, 1);
    Path file = job.resolve("rank1/rank1.cairn");
    byte[] bytes = Files.readAllBytes(file);
    int place = find(bytes, value(ROWS * COLUMNS - 5, 1));
    Damage.flip(file, place);
    Cli.Result refused = convert("--ranks", 3);
    assertRefused(refused, "block", "rank1.cairn", "--shared", "--version");
    assertThat(refused.err()).containsOnlyOnce("rank1.cairn").doesNotContain("\\n");
    assertThat(Cli.run("convert", job, "--ranks", 2, "--to", target).exitCode()).isEqualTo(1);
    assertThat(target).doesNotExist();
  }

  private static int find(byte[] bytes, double value) {
    long wanted = Long.reverseBytes(Double.doubleToRawLongBits(value));
    ByteBuffer all = ByteBuffer.wrap(bytes);
    for (int i = 0; i + Long.BYTES <= bytes.length; i++) {
      if (all.getLong(i) == wanted) {
        return i;
      }
    }
    throw new AssertionError("not there");
  }

  @Test
  void whatCannotBeSaysWhy() {
    run(job, 2, Tiers.none(), 0, 1);
    assertRefused(convert("--ranks", 0), "at least one rank");
    assertRefused(convert("--ranks", 3, "--grid", "2x2"), "one brick for each of 3 ranks");
    assertRefused(convert("--ranks", 3, "--grid", "axb"), "\"axb\" is no grid", "u=2x3");
    assertRefused(convert("--ranks", 3, "--drop", "v"), "no dataset or array \"v\"");
    assertRefused(convert("--ranks", 3, "--version", "7.7"), "no version 7.7");
    assertRefused(convert(), "--ranks");
    assertRefused(Cli.run("convert", temp.resolve("no"), "--ranks", 2, "--to", target), "no");
    assertThat(convert("--ranks", 4, "--grid", "u=2x2", "--drop", "id").exitCode()).isZero();
  }
}
