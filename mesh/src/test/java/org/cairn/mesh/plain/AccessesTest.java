// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.cairn.mesh.plain.Accesses.overwrites;
import static org.cairn.mesh.plain.Accesses.reads;
import static org.cairn.mesh.plain.Accesses.updates;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.cairn.BooleanCell;
import org.cairn.CheckpointFailedException;
import org.cairn.Checkpointer;
import org.cairn.Dataset;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.comm.SoloCommunicator;
import org.cairn.testkit.store.AskingDirectories;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Test;

/**
 * Plain programs that say what they do with arrays: killed, they end with the same bits, though
 * arrays that were not needed are not in any version. What was not restored is not a number.
 */
class AccessesTest {
  private static final Options OFTEN =
      Options.defaults().every(Duration.ofNanos(1)).threads(1).blockSize(4096);
  private static final Options NEVER = OFTEN.every(Duration.ofDays(1));
  private static final int STEPS = 20;
  private static final int SIZE = 1_000;

  private final MemoryDirectories disk = new MemoryDirectories();

  private static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Dies when it was asked often enough. */
  private static final class Fate {
    private int left;

    Fate(int left) {
      this.left = left;
    }

    void tick() {
      if (left-- == 0) {
        throw new Killed();
      }
    }
  }

  /** A program, with the restart that it began with. */
  private interface Program {
    double[] run(Checkpointer cairn, Fate fate, AtomicReference<RestartReport> report);
  }

  private final AtomicReference<RestartReport> report = new AtomicReference<>();

  private double[] live(Program program, MemoryDirectories directories, Options options, int kill) {
    try (Checkpointer cairn = Checkpointer.open(directories, new SoloCommunicator(), options)) {
      return program.run(cairn, new Fate(kill), report);
    } catch (Killed e) {
      return new double[0];
    }
  }

  private void requireSame(Program program, int ticks) {
    double[] straight = live(program, new MemoryDirectories(), NEVER, -1);
    for (int tick = 1; tick < ticks; tick += 3) {
      MemoryDirectories job = new MemoryDirectories();
      Options options = OFTEN.asynchronous(tick % 2 == 0);
      live(program, job, options, tick);
      live(program, job, options, 11);
      assertThat(live(program, job, options, -1)).as("killed at %d", tick).isEqualTo(straight);
    }
  }

  private static double[] notNumbers(int size) {
    double[] array = new double[size];
    Arrays.fill(array, Double.NaN);
    return array;
  }

  // ---------------------------------------------------------------- the example

  private static void apply(double[] x, double[] q) {
    for (int n = 0; n < x.length; n++) {
      double left = n == 0 ? 1 : x[n - 1];
      double right = n == x.length - 1 ? -1 : x[n + 1];
      q[n] = 2 * x[n] - left - right;
    }
  }

  private static void correct(double[] x, double[] q, double[] r) {
    for (int n = 0; n < x.length; n++) {
      r[n] = -q[n];
      x[n] += r[n] / 2.5;
    }
  }

  /** The program of the class comment. */
  private static double[] example(
      Checkpointer cairn, Fate fate, AtomicReference<RestartReport> report) {
    double[] xs = new double[SIZE];
    double[] rs = notNumbers(SIZE);
    double[] qs = notNumbers(SIZE);
    Dataset x = cairn.protect("x", xs);
    Dataset r = cairn.protect("r", rs);
    Dataset q = cairn.protect("q", qs);
    LongCell step = cairn.protect("step", 0L);
    Accesses accesses = Accesses.over(cairn);
    report.set(cairn.restart());
    while (step.get() < STEPS) {
      accesses.here();
      fate.tick();
      accesses.region("apply", reads(x), overwrites(q));
      apply(xs, qs);
      fate.tick();
      accesses.region("correct", reads(q), updates(x), overwrites(r));
      correct(xs, qs, rs);
      step.increment();
    }
    return xs;
  }

  @Test
  void theExampleEndsAlike() {
    requireSame(AccessesTest::example, 2 * STEPS);
  }

  @Test
  void whatIsOverwrittenFirstIsNotSaved() {
    double[] straight = live(AccessesTest::example, new MemoryDirectories(), NEVER, -1);
    live(AccessesTest::example, disk, OFTEN, 2 * STEPS - 2);
    long all = 3L * SIZE * Double.BYTES;
    try (Checkpointer cairn = Checkpointer.open(disk, new SoloCommunicator(), OFTEN)) {
      assertThat(cairn.versions().getFirst().protectedBytes()).isLessThan(all / 2);
    }

    assertThat(live(AccessesTest::example, disk, OFTEN, -1)).isEqualTo(straight);
    assertThat(report.get().absent()).containsExactlyInAnyOrder("q", "r");
    assertThat(report.get().restored()).contains("x", "step");
  }

  @Test
  void saysWhatIsSavedAndWhy() {
    AtomicReference<String> said = new AtomicReference<>();
    live(
        (cairn, fate, seen) -> {
          Dataset x = cairn.protect("x", new double[SIZE]);
          Dataset q = cairn.protect("q", new double[SIZE]);
          Dataset r = cairn.protect("r", new double[SIZE]);
          Accesses accesses = Accesses.over(cairn);
          for (int step = 0; step < STEPS; step++) {
            accesses.here();
            accesses.region("apply", reads(x), overwrites(q));
            accesses.region("correct", reads(q), updates(x), overwrites(r));
          }
          said.set(accesses.report());
          return new double[0];
        },
        disk,
        OFTEN,
        -1);

    assertThat(said.get())
        .isEqualTo(
            """
            point here
            "x" is saved: live: read first by apply
            "q" is left out: dead: overwritten first by apply
            "r" is left out: dead: overwritten first by correct""");
  }

  // ---------------------------------------------------------------- what was not foreseen

  /** Most of the time the array is overwritten first, but not always; another is seldom touched. */
  private static double[] surprising(
      Checkpointer cairn, Fate fate, AtomicReference<RestartReport> report) {
    double[] xs = new double[SIZE];
    double[] qs = new double[SIZE];
    double[] outs = new double[SIZE];
    Dataset x = cairn.protect("x", xs);
    Dataset q = cairn.protect("q", qs);
    Dataset out = cairn.protect("out", outs);
    LongCell step = cairn.protect("step", 0L);
    Accesses accesses = Accesses.over(cairn);
    report.set(cairn.restart());
    while (step.get() < STEPS) {
      accesses.here();
      fate.tick();
      if (step.get() % 9 == 8) {
        accesses.region("remember", reads(q), updates(x, out));
        for (int n = 0; n < SIZE; n++) {
          xs[n] += qs[n] * .125;
          outs[n] += xs[n];
        }
      }
      fate.tick();
      accesses.region("apply", reads(x), overwrites(q));
      apply(xs, qs);
      accesses.region("correct", reads(q), updates(x));
      for (int n = 0; n < SIZE; n++) {
        xs[n] -= qs[n] * .25;
      }
      step.increment();
    }
    accesses.region("end", reads(x, q, out));
    return Stream.of(xs, qs, outs).flatMapToDouble(Arrays::stream).toArray();
  }

  @Test
  void whatIsNeededAgainstAllExpectationIsSaved() {
    requireSame(AccessesTest::surprising, 2 * STEPS);
  }

  // ---------------------------------------------------------------- several points

  /** A large array is made of a small one, and the small one of the large one. */
  private static double[] twoPoints(
      Checkpointer cairn, Communicator ranks, int larger, Fate fate, AtomicReference<String> at) {
    double[] larges = notNumbers(SIZE);
    double[] smalls = notNumbers(10 * larger);
    Dataset large = cairn.protect("large", larges);
    Dataset small = cairn.protect("small", smalls);
    LongCell step = cairn.protect("step", 0L);
    BooleanCell begun = cairn.protect("begun", false);
    Accesses accesses = Accesses.over(cairn, ranks);
    cairn.restart();
    accesses.restoredAt().ifPresent(at::set);
    if (!begun.get()) {
      Arrays.setAll(larges, n -> 1.0 / (n + 3));
      begun.set(true);
    }
    boolean skips = accesses.restoredAt().equals(Optional.of("middle"));
    while (step.get() < STEPS) {
      if (!skips) {
        accesses.here("top");
        fate.tick();
        accesses.region("shrink", reads(large), overwrites(small));
        for (int n = 0; n < smalls.length; n++) {
          smalls[n] = larges[n] + larges[SIZE - 1 - n] * .5;
        }
      }
      skips = false;
      accesses.here("middle");
      fate.tick();
      accesses.region("grow", reads(small), overwrites(large));
      Arrays.setAll(larges, n -> smalls[n % smalls.length] * .75 + n * 1e-3);
      step.increment();
    }
    return larges;
  }

  @Test
  void ofSeveralPointsTheOneWithLeastToSaveIsTaken() {
    AtomicReference<String> at = new AtomicReference<>("");
    Program program = (cairn, fate, seen) -> twoPoints(cairn, new SoloCommunicator(), 1, fate, at);
    requireSame(program, 2 * STEPS);

    live(program, disk, OFTEN, 2 * STEPS - 3);
    live(program, disk, OFTEN, 0);
    assertThat(at).hasValue("middle");
  }

  /** To one rank the one point is cheaper, to the other the other: they agree. */
  @Test
  void ranksAgreeWhereTheySave() {
    double[][] straight = new double[2][];
    for (int rank = 0; rank < 2; rank++) {
      int larger = rank == 0 ? 1 : 90;
      straight[rank] =
          live(
              (cairn, fate, seen) ->
                  twoPoints(cairn, new SoloCommunicator(), larger, fate, new AtomicReference<>()),
              new MemoryDirectories(),
              NEVER,
              -1);
    }
    for (int kill : List.of(30, 5, -1)) {
      try {
        Ranks.run(
            2,
            comm -> {
              try (Checkpointer cairn = Checkpointer.open(disk, comm, OFTEN)) {
                int larger = comm.rank() == 0 ? 1 : 90;
                Fate fate = new Fate(kill);
                double[] end = twoPoints(cairn, comm, larger, fate, new AtomicReference<>());
                assertThat(end).isEqualTo(straight[comm.rank()]);
              }
            });
        assertThat(kill).isNegative();
      } catch (RuntimeException e) {
        assertThat(e).hasRootCauseInstanceOf(Killed.class);
      }
    }
  }

  // ---------------------------------------------------------------- trouble

  @Test
  void whatNobodyWouldSaveIsRefused() {
    try (Checkpointer cairn = Checkpointer.open(disk, new SoloCommunicator(), OFTEN);
        Checkpointer other =
            Checkpointer.open(new MemoryDirectories(), new SoloCommunicator(), OFTEN)) {
      Accesses accesses = Accesses.over(cairn);
      Dataset elsewhere = other.protect("y", new double[SIZE]);
      Dataset given = cairn.protect("x", new double[SIZE]);
      accesses.region("solve", reads(given));
      cairn.unprotect("x");
      Dataset again = cairn.protect("x", new double[SIZE]);

      assertThatThrownBy(() -> accesses.region("apply", reads(elsewhere)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("names \"y\", which this checkpointer does not protect");
      accesses.region("solve", reads(again));
      assertThatThrownBy(() -> Accesses.over(cairn))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("there are Accesses over this checkpointer already");
    }
  }

  @Test
  void aCheckpointThatFailsIsToldAndTheNextOneWorks() {
    AtomicBoolean full = new AtomicBoolean();
    AskingDirectories filling =
        new AskingDirectories(
            disk,
            (call, about) -> {},
            (call, about) -> {
              if (full.get() && call.equals("write")) {
                throw new IOException("No space left on device");
              }
            });
    double[] xs = new double[SIZE];
    double[] qs = new double[SIZE];
    int failures = 0;
    try (Checkpointer cairn = Checkpointer.open(filling, new SoloCommunicator(), OFTEN)) {
      Dataset x = cairn.protect("x", xs);
      Dataset q = cairn.protect("q", qs);
      Accesses accesses = Accesses.over(cairn);
      for (int step = 0; step < STEPS; step++) {
        full.set(step >= 8 && step < 12);
        try {
          accesses.here();
          accesses.region("apply", reads(x), overwrites(q));
        } catch (CheckpointFailedException e) {
          failures++;
        }
        apply(xs, qs);
        xs[step] = step;
      }
      assertThat(failures).isPositive();
      assertThat(cairn.versions().getFirst().id().sequence()).isGreaterThan(12);
    }
  }
}
