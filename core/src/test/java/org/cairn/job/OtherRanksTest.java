// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.Part;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.Directories;
import org.cairn.store.FileDirectories;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job comes back on another number of ranks, whatever was divided how. */
@Timeout(120)
class OtherRanksTest {
  private static final Options OPTIONS = SmallJob.OPTIONS;

  private static Tiers tiers(Random random, MemoryStore shared) {
    return switch (random.nextInt(5)) {
      case 0 -> Tiers.none();
      case 1 -> Tiers.none().partner(1);
      case 2 -> Tiers.none().erasure(1);
      case 3 -> Tiers.none().shared(shared, 1);
      default -> Tiers.none().partner(1).erasure(2).shared(shared, 2);
    };
  }

  /** Lives of one to eight ranks, one after the other; none is disturbed. */
  @SeededTest(seeds = 25)
  void anyNumberFollowsAnyOther(Random random) {
    DividedJob job = new DividedJob(random.nextLong(1 << 20));
    MemoryDirectories directories = new MemoryDirectories();
    MemoryStore shared = new MemoryStore();
    AtomicLong expected = new AtomicLong();
    for (int life = 0; life < 4; life++) {
      DividedJob.Life now = new DividedJob.Life(1 + random.nextInt(8), life);
      Options options = OPTIONS.tiers(tiers(random, shared)).blockSize(128 + random.nextInt(200));
      int steps = 1 + random.nextInt(3);
      boolean patient = random.nextBoolean();
      long before = expected.get();
      List<String> items = new ArrayList<>();
      Ranks.run(
          now.ranks(),
          rank -> "node" + rank,
          comm -> {
            try (Checkpointer cairn = Checkpointer.open(directories, comm, options)) {
              DividedJob.Rank rank = job.new Rank(cairn, now, comm.rank());
              RestartReport report = rank.restart(RestartRequest.newest());
              assertThat(report.isRestored()).isEqualTo(before > 0);
              assertThat(rank.step()).isEqualTo(before);
              if (report.version().filter(one -> one.ranks() != now.ranks()).isPresent()) {
                rank.checkShare();
                synchronized (items) {
                  items.add(rank.items() + " of " + rank.allItems());
                }
              }
              for (int i = 0; i < steps; i++) {
                rank.advance();
                Checkpoint taken = cairn.checkpoint();
                if (patient) {
                  taken.tiers().forEach(taken::await);
                }
              }
              expected.set(rank.step());
            }
          });
      assertThat(expected.get()).isEqualTo(before + steps);
    }
  }

  // ---------------------------------------------------------------- what a program asks for

  @TempDir Path directory;

  private interface Work {
    void run(Checkpointer cairn, Communicator comm);
  }

  private void run(int ranks, Work work) {
    Ranks.run(
        ranks,
        comm -> {
          try (Checkpointer cairn =
              Checkpointer.open(directory, comm, OPTIONS.tiers(Tiers.none()))) {
            work.run(cairn, comm);
          }
        });
  }

  /** Rank r has r + 1 items: 10 r, 10 r + 1 and so on. */
  private void saveBag(int ranks) {
    run(
        ranks,
        (cairn, comm) -> {
          long[] id = new long[comm.rank() + 1];
          Arrays.setAll(id, i -> 10L * comm.rank() + i);
          cairn.protect("id", id).bag(1);
          cairn.checkpoint();
        });
  }

  private long[][] restoreBag(int ranks, IntFunction<RestartRequest> request) {
    long[][] found = new long[ranks][];
    run(
        ranks,
        (cairn, comm) -> {
          cairn
              .protect(
                  "id",
                  long[].class,
                  () -> found[comm.rank()],
                  size -> found[comm.rank()] = new long[(int) size])
              .bag(1);
          cairn.restart(request.apply(comm.rank()));
        });
    return found;
  }

  @Test
  void itemsGoInEqualSharesOrAsAsked() {
    saveBag(3); // 0, 10, 11, 20, 21, 22
    RestartRequest newest = RestartRequest.newest();
    assertThat(restoreBag(2, _ -> newest)).isDeepEqualTo(new long[][] {{0, 10, 11}, {20, 21, 22}});
    saveBagAnew();
    assertThat(restoreBag(2, rank -> newest.items("id", rank == 0 ? 0 : 1, rank == 0 ? 1 : 6)))
        .isDeepEqualTo(new long[][] {{0}, {10, 11, 20, 21, 22}});
    saveBagAnew();
    assertThat(restoreBag(2, rank -> newest.items("id", old -> old % 2 == rank)))
        .isDeepEqualTo(new long[][] {{0, 20, 21, 22}, {10, 11}});
    saveBagAnew();
    assertThatThrownBy(() -> restoreBag(2, rank -> newest.items("id", 0, 2 + rank)))
        .hasStackTraceContaining("ranks ask for 5 of the 6 items of \"id\"");
    assertThatThrownBy(() -> restoreBag(2, rank -> rank == 0 ? newest.items("id", 0, 2) : newest))
        .hasStackTraceContaining("ranks ask for 5 of the 6 items");
    assertThatThrownBy(() -> restoreBag(2, _ -> newest.items("id", 0, 3)))
        .hasStackTraceContaining(
            "some of the 6 items of \"id\" are asked for by several ranks, others by none");
    assertThatThrownBy(() -> restoreBag(6, rank -> newest.items("id", rank / 3, rank / 3 + 1)))
        .hasStackTraceContaining("asked for by several ranks, others by none");
    assertThatThrownBy(() -> restoreBag(2, _ -> newest.items("id", 0, 7)))
        .hasStackTraceContaining("has 6");
    assertThatThrownBy(() -> restoreBag(2, rank -> rank == 0 ? newest.items("ids", 0, 6) : newest))
        .hasStackTraceContaining("items of bag \"ids\" were asked for, which no rank protects")
        .hasStackTraceContaining("there are [id]");
    assertThat(
            restoreBag(4, rank -> newest.items("id", 2 * (rank % 3), rank == 3 ? 0 : 2 * rank + 2)))
        .isDeepEqualTo(new long[][] {{0, 10}, {11, 20}, {21, 22}, {}});
    saveBagAnew();
    assertThat(restoreBag(4, _ -> newest))
        .isDeepEqualTo(new long[][] {{0}, {10, 11}, {20}, {21, 22}});
  }

  /** Whatever the bag was called when it was saved. */
  @Test
  void itemsOfARenamedBagComeToOneRankEach() {
    saveBag(3); // 0, 10, 11, 20, 21, 22
    RestartRequest renamed = RestartRequest.newest().rename("id", "ids");
    long[][] found = new long[2][];
    Function<IntFunction<RestartRequest>, long[][]> restore =
        request -> {
          run(
              2,
              (cairn, comm) -> {
                cairn
                    .protect(
                        "ids",
                        long[].class,
                        () -> found[comm.rank()],
                        size -> found[comm.rank()] = new long[(int) size])
                    .bag(1);
                cairn.restart(request.apply(comm.rank()));
              });
          return found;
        };
    assertThatThrownBy(() -> restore.apply(_ -> renamed.items("ids", 0, 3)))
        .hasStackTraceContaining("some of the 6 items of \"ids\" are asked for by several ranks");
    assertThat(restore.apply(rank -> renamed.items("ids", rank * 2, rank == 0 ? 2 : 6)))
        .isDeepEqualTo(new long[][] {{0, 10}, {11, 20, 21, 22}});
  }

  /** One request serves both: what is asked of the rest of the state waits for it. */
  @Test
  void whoPeeksOrWantsOnlySomeIsGivenNothingElse() {
    run(
        3,
        (cairn, comm) -> {
          cairn.protectEverywhere("step", 7L);
          cairn.protect("seed", 100L + comm.rank());
          cairn.protect("x", new double[] {comm.rank()}).bag("items", 1);
          cairn.protect("id", new long[] {comm.rank()}).bag("items", 1);
          cairn.checkpoint();
        });
    run(
        2,
        (cairn, comm) -> {
          LongCell step = cairn.protectEverywhere("step", 0L);
          cairn.protect("seed", 0L);
          AtomicInteger calls = new AtomicInteger();
          RestartRequest request =
              RestartRequest.newest()
                  .items("items", 2L * comm.rank(), 2L + comm.rank())
                  .otherwise("seed", _ -> true, found -> calls.addAndGet(found.size()));
          assertThat(cairn.peek(request, "step").restored()).containsExactly("step");
          assertThat(step.get()).isEqualTo(7);
          double[][] x = new double[1][];
          cairn
              .protect("x", double[].class, () -> x[0], n -> x[0] = new double[(int) n])
              .bag("items", 1);
          assertThat(cairn.restart(request.only("step")).ignored()).containsExactly("id");
          assertThat(calls).hasValue(0);
          cairn.restart(request.only("x", "seed"));
          assertThat(x[0]).isEqualTo(comm.rank() == 0 ? new double[] {0, 1} : new double[] {2});
          assertThat(calls).hasValue(3);
          cairn.restart(request.dropping("id"));
          assertThat(x[0]).isEqualTo(comm.rank() == 0 ? new double[] {0, 1} : new double[] {2});
        });
  }

  private void saveBagAnew() {
    run(
        3,
        (cairn, comm) -> {
          long[] id = new long[comm.rank() + 1];
          Arrays.setAll(id, i -> 10L * comm.rank() + i);
          cairn.protect("id", id).bag(1);
          cairn.restart(RestartRequest.beginAnew());
          cairn.checkpoint();
        });
  }

  private void saveAlone(int ranks) {
    run(
        ranks,
        (cairn, comm) -> {
          cairn.protect("seed", 100L + comm.rank());
          cairn.protect("mine", new int[] {comm.rank()});
          cairn.protectEverywhere("step", 7L);
          cairn.checkpoint();
        });
  }

  @Test
  void whatIsOneRanksAloneIsRefusedByName() {
    saveAlone(3);
    assertThatThrownBy(
            () ->
                run(
                    2,
                    (cairn, _) -> {
                      cairn.protect("seed", 0L);
                      cairn.protect("mine", new int[1]);
                      cairn.protectEverywhere("step", 0L);
                      cairn.restart();
                    }))
        .hasStackTraceContaining("3 ranks saved what 2 are to go on with")
        .hasStackTraceContaining("\"mine\", \"seed\", which was each rank's alone")
        .hasStackTraceContaining("RestartRequest.otherwise");
  }

  @Test
  void aProgramMakesOfItWhatItWants() {
    saveAlone(3);
    long[] seeds = new long[2];
    run(
        2,
        (cairn, comm) -> {
          LongCell seed = cairn.protect("seed", 0L);
          LongCell step = cairn.protectEverywhere("step", 0L);
          RestartReport report =
              cairn.restart(
                  RestartRequest.newest()
                      .dropping("mine")
                      .otherwise(
                          "seed",
                          old -> old % 2 == comm.rank(),
                          found -> {
                            assertThat(step.get()).isEqualTo(7);
                            seed.set(found.stream().mapToLong(one -> one.longs()[0]).sum());
                          }));
          assertThat(report.restored()).containsExactly("step");
          seeds[comm.rank()] = seed.get();
        });
    assertThat(seeds).containsExactly(100 + 102, 101);
    run(
        2,
        (cairn, comm) -> {
          LongCell seed = cairn.protect("seed", 0L);
          cairn.protectEverywhere("step", 0L);
          cairn.restart();
          assertThat(seed.get()).isEqualTo(seeds[comm.rank()]);
        });
  }

  /** Of what each rank had alone a program may make an array, a bag or copies, of the same name. */
  @Test
  void whatWasOneRanksAloneMayBeSomethingElseNow() {
    saveAlone(3);
    RestartRequest request = RestartRequest.newest().dropping("mine");
    run(
        2,
        (cairn, comm) -> {
          int from = comm.rank();
          int count = 1 + comm.rank();
          long[] seed = new long[count];
          cairn.protectEverywhere("step", 0L);
          cairn
              .protect("seed", seed)
              .part(Part.of(new long[] {3}, new long[] {from}, new long[] {count}));
          cairn.restart(
              request.otherwise(
                  "seed",
                  old -> old >= from && old < from + count,
                  found -> Arrays.setAll(seed, i -> found.get(i).longs()[0])));
        });
    run(
        1,
        (cairn, _) -> {
          long[] seed = new long[3];
          cairn.protectEverywhere("step", 0L);
          cairn.protect("seed", seed).part(Part.of(new long[] {3}, new long[] {0}, new long[] {3}));
          cairn.restart();
          assertThat(seed).containsExactly(100, 101, 102);
        });
  }

  private void fetch(String name) {
    run(
        2,
        (cairn, _) -> {
          cairn.protectEverywhere("step", 0L);
          cairn.restart(
              RestartRequest.newest().dropping("seed", "mine").otherwise(name, _ -> true, _ -> {}));
        });
  }

  /** The function would get nothing, and nobody would know why. */
  @Test
  void whatNoRankHadAloneIsNotReadOtherwise() {
    saveAlone(3);
    assertThatThrownBy(() -> fetch("seeds"))
        .hasStackTraceContaining("dataset \"seeds\" was asked for with RestartRequest.otherwise")
        .hasStackTraceContaining("no rank saved it; what was one rank's alone is [mine, seed]");
    assertThatThrownBy(() -> fetch("step"))
        .hasStackTraceContaining("dataset \"step\" was asked for with RestartRequest.otherwise")
        .hasStackTraceContaining("ranks saved it with Dataset.everywhere: leave otherwise out");
    fetch("seed");
  }

  @Test
  void whatNothingProtectsIsRefusedBeforeAnythingIsWritten() {
    saveAlone(3);
    assertThatThrownBy(
            () ->
                run(
                    2,
                    (cairn, _) -> {
                      cairn.protect("other", 0L);
                      cairn.restart(RestartRequest.newest().dropping("seed", "mine"));
                    }))
        .hasStackTraceContaining("nothing protects \"step\", which 3 ranks saved");
  }

  /** That one shall protect it would be no help to who does. */
  @Test
  void whoForgotWhatADatasetIsIsToldThat() {
    saveAlone(3);
    assertThatThrownBy(
            () ->
                run(
                    2,
                    (cairn, _) -> {
                      cairn.protect("step", 0L);
                      cairn.restart(RestartRequest.newest().dropping("seed", "mine"));
                    }))
        .hasStackTraceContaining("3 ranks saved \"step\" with Dataset.everywhere")
        .hasStackTraceContaining("say everywhere of it before restart()");
    Path bag = directory.resolve("bag");
    directory = bag;
    saveBag(3);
    assertThatThrownBy(
            () ->
                run(
                    2,
                    (cairn, comm) -> {
                      cairn
                          .protect("id", new long[1])
                          .part(Part.of(new long[] {2}, new long[] {comm.rank()}, new long[] {1}));
                      cairn.restart();
                    }))
        .hasStackTraceContaining("3 ranks saved \"id\" with Dataset.bag")
        .hasStackTraceContaining("say bag of it before restart()");
  }

  @Test
  void aLoneProgramAndManyRanksFollowEachOther() {
    double[] expected = new double[40];
    Arrays.setAll(expected, i -> i + 0.5);
    for (int ranks : new int[] {1, 3, 1, 4, 2, 1}) {
      run(
          ranks,
          (cairn, comm) -> {
            int from = 40 * comm.rank() / ranks;
            int to = 40 * (comm.rank() + 1) / ranks;
            double[] u = new double[to - from];
            LongCell step = cairn.protectEverywhere("step", 0L);
            cairn
                .protect("u", u)
                .part(Part.of(new long[] {40}, new long[] {from}, new long[] {to - from}));
            boolean first = !cairn.restart().isRestored();
            if (first) {
              System.arraycopy(expected, from, u, 0, u.length);
            }
            assertThat(u).isEqualTo(Arrays.copyOfRange(expected, from, to));
            step.increment();
            cairn.checkpoint();
          });
    }
    run(
        1,
        (cairn, _) -> {
          LongCell step = cairn.protectEverywhere("step", 0L);
          assertThat(cairn.peek(RestartRequest.newest(), "step").isRestored()).isTrue();
          assertThat(step.get()).isEqualTo(6);
        });
  }

  // ---------------------------------------------------------------- what was found by attacks

  private static Part rows(long all, int rank, int ranks, long columns) {
    long from = all * rank / ranks;
    long to = all * (rank + 1) / ranks;
    return Part.of(
        new long[] {all, columns}, new long[] {from, 0}, new long[] {to - from, columns});
  }

  /** The newer version has an array more; damage in it must not leave a part of that behind. */
  @Test
  void damageLeavesNoMixtureWithAVersionOfTheFirstNumber() throws IOException {
    run(
        3,
        (cairn, comm) -> {
          cairn
              .protect("u", filled(rows(30, comm.rank(), 3, 50), 1))
              .part(rows(30, comm.rank(), 3, 50));
          cairn.checkpoint();
        });
    run(
        4,
        (cairn, comm) -> {
          Part part = rows(30, comm.rank(), 4, 50);
          cairn.protect("u", filled(part, 0)).part(part);
          cairn.protect("extra", filled(part, 0)).part(part);
          cairn.restart(RestartRequest.newest().orElse("extra", 7));
        });
    damage(directory.resolve("rank3"));
    run(
        3,
        (cairn, comm) -> {
          Part part = rows(30, comm.rank(), 3, 50);
          double[] u = filled(part, 0);
          double[] extra = filled(part, -1);
          cairn.protect("u", u).part(part);
          cairn.protect("extra", extra).part(part);
          RestartReport report = cairn.restart();
          assertThat(report.version().orElseThrow().ranks()).isEqualTo(3);
          assertThat(u).containsOnly(1);
          assertThat(extra).containsOnly(-1);
        });
  }

  private static double[] filled(Part part, double value) {
    double[] array = new double[(int) part.localElements()];
    Arrays.fill(array, value);
    return array;
  }

  /** Flips a bit in the middle of the newest container there. */
  private static void damage(Path place) throws IOException {
    try (Stream<Path> files = Files.list(place)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".cairn")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        for (int at = 8192; at < bytes.length; at += 512) {
          bytes[at] ^= 4;
        }
        Files.write(file, bytes);
      }
    }
  }

  @Test
  void aDatasetOfTheNameOfAnArrayIsNotLostBehindIt() {
    run(
        2,
        (cairn, comm) -> {
          cairn.protect("b", new double[10]).partOf("grid", rows(4, comm.rank(), 2, 5));
          cairn.protect("grid", new long[] {comm.rank()});
          cairn.checkpoint();
        });
    assertThatThrownBy(
            () ->
                run(
                    3,
                    (cairn, comm) -> {
                      Part part = rows(4, comm.rank(), 3, 5);
                      cairn.protect("b", filled(part, 0)).partOf("grid", part);
                      cairn.restart();
                    }))
        .hasStackTraceContaining("nothing says how to divide \"grid\"");
  }

  @Test
  void onlySomeOfItKeepsTheRestFromBeingDropped() {
    run(
        2,
        (cairn, comm) -> {
          cairn
              .protect("u", filled(rows(6, comm.rank(), 2, 5), 3))
              .part(rows(6, comm.rank(), 2, 5));
          cairn.protectEverywhere("t", 4L);
          cairn.protectEverywhere("step", 1L);
          cairn.checkpoint();
        });
    run(
        3,
        (cairn, comm) -> {
          LongCell step = cairn.protectEverywhere("step", 0L);
          RestartReport report = cairn.restart(RestartRequest.newest().only("step"));
          assertThat(report.ignored()).containsExactly("t", "u");
          assertThat(step.get()).isEqualTo(1);
          assertThatThrownBy(() -> cairn.protect("u", new double[10]))
              .hasMessageContaining("protect it before restart()");
          assertThatThrownBy(cairn::checkpoint).hasMessageContaining("[t, u]");
        });
    run(
        3,
        (cairn, comm) -> {
          Part part = rows(6, comm.rank(), 3, 5);
          double[] u = filled(part, 0);
          cairn.protect("u", u).part(part);
          LongCell t = cairn.protectEverywhere("t", 0L);
          cairn.protectEverywhere("step", 0L);
          cairn.restart();
          assertThat(u).containsOnly(3);
          assertThat(t.get()).isEqualTo(4);
        });
  }

  @Test
  void aLoneProgramAndManyRanksDoNotRunBesideEachOther() {
    run(
        1,
        (cairn, _) -> {
          cairn.protectEverywhere("step", 1L);
          cairn.checkpoint();
          assertThatThrownBy(() -> run(2, (_, _) -> {})).hasStackTraceContaining("rank0.lock");
        });
    run(
        2,
        (cairn, comm) -> {
          cairn.protectEverywhere("step", 1L);
          cairn.restart();
          if (comm.rank() == 0) {
            assertThatThrownBy(() -> run(1, (_, _) -> {})).hasStackTraceContaining("rank0.lock");
          }
          comm.barrier();
        });
  }

  @Test
  void anyShapeThatACheckpointTakesComesBack() {
    for (int ranks : new int[] {2, 2, 3}) {
      run(
          ranks,
          (cairn, comm) -> {
            Part part = rows(6, comm.rank(), ranks, 4).halo(1, 0);
            double[] flat = filled(part, 0);
            double[][] rows = new double[(int) (long) part.localShape().getFirst()][4];
            cairn.protect("flat", flat).shape(flat.length).part(part);
            cairn.protect("rows", rows).part(part);
            boolean first = !cairn.restart().isRestored();
            for (int i = 4; i < flat.length - 4; i++) {
              if (first) {
                flat[i] = 5;
                rows[i / 4][i % 4] = 6;
              }
              assertThat(flat[i]).isEqualTo(5);
              assertThat(rows[i / 4][i % 4]).isEqualTo(6);
            }
            cairn.checkpoint();
          });
    }
  }

  @Test
  void aBagOfRowsComesBackWhoeverHadNone() {
    run(
        3,
        (cairn, comm) -> {
          double[][] p = new double[comm.rank() == 0 ? 0 : comm.rank() + 1][3];
          Arrays.stream(p).forEach(row -> Arrays.fill(row, comm.rank()));
          cairn.protect("p", double[][].class, () -> p, (rows, columns) -> p).bag(3);
          cairn.checkpoint();
        });
    double[][][] found = new double[2][][];
    run(
        2,
        (cairn, comm) -> {
          cairn
              .protect(
                  "p",
                  double[][].class,
                  () -> found[comm.rank()],
                  (rows, columns) -> found[comm.rank()] = new double[rows][columns])
              .bag(3);
          cairn.restart();
        });
    assertThat(found[0]).hasDimensions(2, 3);
    assertThat(found[1]).hasDimensions(3, 3);
    assertThat(found[1][0]).containsOnly(2);
  }

  @Test
  void aJobThatNeverSavedAnythingBeginsAgainOnAnyNumber() {
    for (int ranks : new int[] {4, 3, 5, 4}) {
      run(
          ranks,
          (cairn, _) -> {
            LongCell step = cairn.protectEverywhere("step", 0L);
            assertThat(cairn.restart().isRestored()).isFalse();
            step.set(1); // killed before it is saved
          });
    }
  }

  @Test
  void whatIsReadFromNearbyIsTheSame() {
    int columns = 1024; // more than a mebibyte of each
    run(
        2,
        (cairn, comm) -> {
          Part part = rows(600, comm.rank(), 2, columns);
          double[] u = filled(part, 0);
          Arrays.setAll(u, i -> part.offset().getFirst() * columns + i);
          cairn.protect("u", u).part(part);
          cairn.checkpoint();
        });
    run(
        5,
        (cairn, comm) -> {
          Part part = rows(600, comm.rank(), 5, columns);
          double[] u = filled(part, -1);
          cairn.protect("u", u).part(part);
          cairn.restart();
          for (int i = 0; i < u.length; i++) {
            assertThat(u[i] == part.offset().getFirst() * columns + i).isTrue();
          }
        });
  }

  // ---------------------------------------------------------------- who reads what

  /** Notes which rank opens which directory. */
  private record Watched(Directories all, int rank, Set<String> opened) implements Directories {
    @Override
    public Store create(String name) throws IOException {
      return all.create(name);
    }

    @Override
    public Store open(String name) throws IOException {
      opened.add(rank + " " + name);
      return all.open(name);
    }

    @Override
    public List<String> names() throws IOException {
      return all.names();
    }

    @Override
    public String location() {
      return all.location();
    }
  }

  private Set<String> openedByThree(IntFunction<String> hosts) throws IOException {
    saveBag(6);
    Directories all = new FileDirectories(directory);
    Set<String> opened = ConcurrentHashMap.newKeySet();
    List<Long> found = Collections.synchronizedList(new ArrayList<>());
    Ranks.run(
        3,
        hosts,
        comm -> {
          Directories mine = new Watched(all, comm.rank(), opened);
          try (Checkpointer cairn = Checkpointer.open(mine, comm, OPTIONS.tiers(Tiers.none()))) {
            long[][] id = {{}};
            cairn.protect("id", long[].class, () -> id[0], n -> id[0] = new long[(int) n]).bag(1);
            cairn.restart();
            Arrays.stream(id[0]).forEach(found::add);
          }
        });
    assertThat(found).hasSize(21).doesNotHaveDuplicates();
    return opened;
  }

  @Test
  void whatNoRankHasAnyMoreIsReadByAllOfItsHost() throws IOException {
    assertThat(openedByThree(_ -> "host"))
        .contains("0 rank3", "1 rank4", "2 rank5")
        .doesNotContain("1 rank3", "1 rank5", "2 rank3", "2 rank4");
  }

  @Test
  void otherHostsAreNotAskedToReadIt() throws IOException {
    assertThat(openedByThree(rank -> "host" + rank))
        .contains("0 rank3", "0 rank4", "0 rank5")
        .doesNotContain("1 rank4", "2 rank5");
  }
}
