// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.cairn.CheckpointDirectoryException;
import org.cairn.Checkpointer;
import org.cairn.Checkpoints;
import org.cairn.Conversion;
import org.cairn.Label;
import org.cairn.Options;
import org.cairn.Part;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.SavedArray;
import org.cairn.SavedVersion;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.testkit.random.SeededTest;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A version becomes a job of another number of ranks without the program, which goes on with it.
 */
@Timeout(120)
class ConversionTest {
  private static final Options OPTIONS = SmallJob.OPTIONS.tiers(Tiers.none());

  @TempDir Path temp;

  private interface Work {
    void run(Checkpointer cairn, Communicator comm);
  }

  private static void run(Path directory, int ranks, Work work) {
    Ranks.run(
        ranks,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directory, comm, OPTIONS)) {
            work.run(cairn, comm);
          }
        });
  }

  private interface Change {
    Conversion of(Conversion plain);
  }

  private VersionId convert(Path from, int ranks, Path to, Change change) throws IOException {
    try (Checkpoints saved = Checkpoints.open(from)) {
      return change.of(Conversion.of(saved.newest(), ranks)).writeTo(to, _ -> {});
    }
  }

  // ---------------------------------------------------------------- against a model

  /** Bricks of any kind, with ghosts, several a rank; bags; what is the same everywhere. */
  @SeededTest(seeds = 5)
  void theProgramGoesOnWithWhatWasConverted(Random random) throws IOException {
    DividedJob job = new DividedJob(random.nextLong(1 << 20));
    Path first = temp.resolve("first");
    live(job, first, new DividedJob.Life(1 + random.nextInt(6), 0), 2, 0);
    Path second = temp.resolve("second");
    int ranks = 1 + random.nextInt(8);
    convert(first, ranks, second, plain -> plain);
    live(job, second, new DividedJob.Life(ranks, 1), 2, 2);
    live(job, second, new DividedJob.Life(1 + random.nextInt(6), 2), 1, 4);
    live(job, first, new DividedJob.Life(ranks, 3), 1, 2);
  }

  private static void live(
      DividedJob job, Path directory, DividedJob.Life life, int steps, long expected) {
    run(
        directory,
        life.ranks(),
        (cairn, comm) -> {
          DividedJob.Rank rank = job.new Rank(cairn, life, comm.rank());
          RestartReport report = rank.restart(RestartRequest.newest());
          assertThat(report.isRestored()).isEqualTo(expected > 0);
          assertThat(rank.step()).isEqualTo(expected);
          for (int i = 0; i < steps; i++) {
            rank.advance();
            cairn.checkpoint();
          }
        });
  }

  // ---------------------------------------------------------------- how it is divided

  private static final int ROWS = 12;
  private static final int COLUMNS = 10;

  /** A grid of bricks, each with two columns of ghosts on its left that hold nothing of use. */
  private void saveBricks(Path directory, int down, int across) {
    run(
        directory,
        down * across,
        (cairn, comm) -> {
          long rows = ROWS / down;
          long columns = COLUMNS / across;
          long[] offset = {comm.rank() / across * rows, comm.rank() % across * columns};
          long[] extent = {rows, columns};
          double[] u = new double[(int) (rows * (columns + 2))];
          Arrays.setAll(
              u,
              i -> {
                long column = i % (columns + 2) - 2;
                long row = i / (columns + 2);
                return column < 0 ? Double.NaN : (offset[0] + row) * COLUMNS + offset[1] + column;
              });
          cairn
              .protect("u", u)
              .part(
                  Part.of(new long[] {ROWS, COLUMNS}, offset, extent)
                      .halo(new long[] {0, 2}, new long[2])
                      .periodic(1));
          cairn.checkpoint();
        });
  }

  private static double[] whole() {
    double[] whole = new double[ROWS * COLUMNS];
    Arrays.setAll(whole, i -> i);
    return whole;
  }

  private List<String> partsIn(Path directory) {
    try (Checkpoints saved = Checkpoints.open(directory)) {
      SavedArray u = saved.newest().array("u");
      assertThat(u.doubles()).isEqualTo(whole());
      return u.parts().stream().map(one -> one.part().toString()).toList();
    }
  }

  @Test
  void slabsStaySlabsAndBricksStayBricks() throws IOException {
    Path slabs = temp.resolve("slabs");
    saveBricks(slabs, 4, 1);
    convert(slabs, 3, temp.resolve("slabs3"), plain -> plain);
    assertThat(partsIn(temp.resolve("slabs3")))
        .containsExactly("[0:4, 0:10]", "[4:8, 0:10]", "[8:12, 0:10]");

    Path columns = temp.resolve("columns");
    saveBricks(columns, 1, 5);
    convert(columns, 2, temp.resolve("columns2"), plain -> plain);
    assertThat(partsIn(temp.resolve("columns2"))).containsExactly("[0:12, 0:5]", "[0:12, 5:10]");

    Path bricks = temp.resolve("bricks");
    saveBricks(bricks, 2, 2);
    convert(bricks, 6, temp.resolve("bricks6"), plain -> plain);
    assertThat(partsIn(temp.resolve("bricks6")))
        .hasSize(6)
        .startsWith("[0:4, 0:5]", "[0:4, 5:10]", "[4:8, 0:5]");
    convert(bricks, 6, temp.resolve("chosen"), plain -> plain.grid(1, 6));
    assertThat(partsIn(temp.resolve("chosen"))).startsWith("[0:12, 0:1]", "[0:12, 1:3]");
  }

  @Test
  void moreRanksThanRowsLeavesSomeEmpty() throws IOException {
    Path slabs = temp.resolve("slabs");
    saveBricks(slabs, 3, 1);
    convert(slabs, 14, temp.resolve("many"), plain -> plain);
    assertThat(partsIn(temp.resolve("many"))).hasSize(14).contains("[0:0, 0:10]");
  }

  /** They are in the file as their owners have them; a dataset protected late reads them there. */
  @Test
  void ghostsComeFromOwners() throws IOException {
    Path slabs = temp.resolve("slabs");
    saveBricks(slabs, 4, 1);
    convert(slabs, 2, temp.resolve("two"), plain -> plain);
    try (Checkpoints saved = Checkpoints.open(temp.resolve("two"))) {
      double[] first = saved.newest().rank(0).read("u").doubles();
      assertThat(first).hasSize(6 * (COLUMNS + 2)).startsWith(8, 9, 0, 1, 2);
    }
  }

  /** What nobody had is what the program said that it is. */
  @Test
  void holesAreFilled() throws IOException {
    Path from = temp.resolve("from");
    run(
        from,
        2,
        (cairn, comm) -> {
          long[] offset = {6L * comm.rank()};
          cairn
              .protect("level", new float[] {1, 2})
              .part(Part.of(new long[] {9}, offset, new long[] {2}).holes(-1));
          cairn.checkpoint();
        });
    convert(from, 3, temp.resolve("to"), plain -> plain);
    try (Checkpoints saved = Checkpoints.open(temp.resolve("to"))) {
      assertThat(saved.newest().array("level").floats())
          .containsExactly(1, 2, -1, -1, -1, -1, 1, 2, -1);
      assertThat(saved.newest().rank(1).read("level").floats()).containsExactly(-1, -1, -1);
    }
  }

  @Test
  void onAsManyRanksAllHaveWhatTheyHad() throws IOException {
    Path from = temp.resolve("from");
    run(
        from,
        3,
        (cairn, comm) -> {
          cairn.protect("mine", new int[] {comm.rank()});
          cairn.protect("id", new long[comm.rank()]).bag(1);
          cairn.protectEverywhere("step", 7L);
          cairn.checkpoint(Label.of("final").keep());
        });
    VersionId made = convert(from, 3, temp.resolve("copy"), plain -> plain);
    try (Checkpoints before = Checkpoints.open(from);
        Checkpoints after = Checkpoints.open(temp.resolve("copy"))) {
      SavedVersion copy = after.newest();
      assertThat(copy.id()).isEqualTo(made);
      assertThat(copy.id().job()).isNotEqualTo(before.newest().id().job());
      assertThat(copy.label()).isEqualTo(Label.of("final").keep());
      for (int rank = 0; rank < 3; rank++) {
        assertThat(copy.rank(rank).read("mine").ints()).containsExactly(rank);
        assertThat(copy.rank(rank).read("id").size()).isEqualTo(rank);
      }
    }
  }

  // ---------------------------------------------------------------- what cannot be

  private void saveAlone(Path directory) {
    run(
        directory,
        3,
        (cairn, comm) -> {
          cairn.protect("rng", 100L + comm.rank());
          cairn.protect("own", new int[] {comm.rank()});
          cairn.protectEverywhere("step", 7L);
          cairn.protectOpaque("words", () -> new byte[] {1, 2, 3}, _ -> {}).everywhere();
          cairn.checkpoint();
        });
  }

  @Test
  void whatIsOneRanksAloneIsRefusedUnlessDropped() throws IOException {
    Path from = temp.resolve("from");
    saveAlone(from);
    Path to = temp.resolve("to");
    assertThatThrownBy(() -> convert(from, 2, to, plain -> plain.dropping(List.of("own"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("each alone: [rng]")
        .hasMessageContaining("--drop");
    assertThatThrownBy(() -> convert(from, 2, to, plain -> plain.dropping(List.of("orn"))))
        .hasMessageContaining("no dataset or array \"orn\"; it has [own, rng, step, words]");
    assertThat(to).doesNotExist();
    List<Conversion.Planned> planned = new ArrayList<>();
    convert(
        from,
        2,
        to,
        plain -> {
          Conversion chosen = plain.dropping(List.of("own", "rng"));
          planned.addAll(chosen.plan());
          return chosen;
        });
    assertThat(planned).extracting(Conversion.Planned::dataset).containsExactly("step", "words");
    try (Checkpoints saved = Checkpoints.open(to)) {
      assertThat(saved.newest().rank(1).datasets()).hasSize(2);
      assertThat(saved.newest().rank(1).read("words").bytes()).containsExactly(1, 2, 3);
    }
  }

  @Test
  void aDirectoryOfAnotherJobIsLeftAlone() {
    Path from = temp.resolve("from");
    saveBricks(from, 2, 2);
    assertThatThrownBy(() -> convert(from, 3, from, plain -> plain))
        .isInstanceOf(CheckpointDirectoryException.class)
        .hasMessageContaining("from is not empty");
    assertThat(partsIn(from)).hasSize(4);
  }

  @Test
  void aGridThatDoesNotFitIsRefused() {
    Path from = temp.resolve("from");
    saveBricks(from, 2, 2);
    Path to = temp.resolve("to");
    assertThatThrownBy(() -> convert(from, 6, to, plain -> plain.grid("u", 2, 2)))
        .hasMessageContaining("the grid 2x2 does not have one brick for each of 6 ranks");
    assertThatThrownBy(() -> convert(from, 6, to, plain -> plain.grid("u", 6)))
        .hasMessageContaining("the grid 6 has 1 axes, and array \"u\" has 2");
    assertThatThrownBy(() -> convert(from, 6, to, plain -> plain.grid("v", 6, 1)))
        .hasMessageContaining("no array in parts \"v\"; it has [u]");
    assertThatThrownBy(() -> convert(from, 6, to, plain -> plain.grid(6)))
        .hasMessageContaining("number of axes is \"1\"; it has [2]");
    assertThat(to).doesNotExist();
  }
}
