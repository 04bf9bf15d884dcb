// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;

import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.comm.SoloCommunicator;
import org.cairn.mesh.Lives.Life;
import org.cairn.mesh.weave.LogLines;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Test;

/** Values that are not the mesh's own are the same in each life of a program. */
class RecordTest {
  /** Gives another number each time that it is asked: like a clock. */
  private final AtomicLong clock = new AtomicLong();

  private static void compute(Mesh mesh, Grid grid, Field u, double by) {
    mesh.each("add", grid.cells(), updates(u), k -> u.set(k, u.at(k) * .5 + by));
  }

  /** Gives how far the field is from what the values make of it that this life was told. */
  private List<Double> allTypes(Mesh mesh, Life life) {
    Grid grid = mesh.grid("g", 6, 8);
    Field u = grid.field("u");
    mesh.each("start", grid.cells(), writes(u), k -> u.set(k, 1));
    mesh.ready();
    double expected = 1;
    for (int step = 0; step < 14; step++) {
      life.tick();
      double number = mesh.record(() -> clock.incrementAndGet() / 8.0);
      long large = mesh.record(() -> (1L << 60) + clock.incrementAndGet());
      int small = mesh.record(() -> -3 * (int) clock.incrementAndGet());
      boolean truth = mesh.record(() -> clock.incrementAndGet() % 3 == 0);
      String text = mesh.record(() -> "é" + clock.incrementAndGet());
      byte[] bytes = mesh.record(() -> ("b" + clock.incrementAndGet()).getBytes(UTF_8));
      double numbers = number + (large - (1L << 60)) + small + (truth ? 1 : 2);
      double words = text.hashCode() + new String(bytes, UTF_8).hashCode();
      compute(mesh, grid, u, numbers);
      compute(mesh, grid, u, words);
      expected = (expected * .5 + numbers) * .5 + words;
    }
    double end = expected;
    double low = mesh.min("low", grid.cells(), reads(u), k -> u.at(k) - end);
    double high = mesh.max("high", grid.cells(), reads(u), k -> u.at(k) - end);
    return List.of(low, high, life.wentOn() ? 1.0 : 0.0);
  }

  @Test
  void valuesOfAllTypesAreGivenAgain() {
    Lives lives = new Lives(this::allTypes);
    for (int tick : List.of(6, 9, 13)) {
      lives.dieAt(tick == 9 ? 2 : 1, tick);
    }
    assertThat(lives.end(2)).containsExactly(0.0, 0.0, 1.0);
  }

  @Test
  void aFunctionThatCallsTheMeshIsRefused() {
    Lives.Program program =
        (mesh, life) -> {
          Grid grid = mesh.grid("g", 6, 8);
          Field u = grid.field("u");
          mesh.each("start", grid.all(), writes(u), k -> u.set(k, 1));
          assertThatThrownBy(
                  () -> mesh.record(() -> mesh.sum("inside", grid.all(), reads(u), k -> u.at(k))))
              .isInstanceOf(RecordFailedException.class)
              .hasMessageContaining("\"inside\" is called by a function of record()");
          assertThatThrownBy(() -> mesh.recordHere(() -> mesh.record(() -> 1L)))
              .isInstanceOf(RecordFailedException.class)
              .hasMessageContaining("record() is called by a function of record()");
          return List.of(mesh.sum("after", grid.all(), reads(u), k -> u.at(k)));
        };
    assertThat(new Lives(program).end(2)).hasSize(1);
  }

  /** It is run again, and so throws again; what it would have given was never recorded. */
  @Test
  void aReductionThatThrewInTheInitialPhaseDoesSoAgain() {
    Lives.Program program =
        (mesh, life) -> {
          Grid grid = mesh.grid("g", 6, 8);
          Field u = grid.field("u");
          mesh.each("start", grid.all(), writes(u), k -> u.set(k, 1));
          assertThatThrownBy(() -> mesh.sum("risky", grid.all(), updates(u), k -> thrown()))
              .hasRootCauseMessage("risky");
          double sum = mesh.sum("whole", grid.all(), reads(u), k -> u.at(k));
          mesh.ready();
          for (int step = 0; step < 14; step++) {
            life.tick();
            compute(mesh, grid, u, sum);
          }
          return List.of(mesh.sum("after", grid.all(), reads(u), k -> u.at(k)));
        };
    List<Double> undisturbed = new Lives(program).end();
    Lives lives = new Lives(program);
    lives.dieAt(9);
    assertThat(lives.end()).isEqualTo(undisturbed);
  }

  private static double thrown() {
    throw new IllegalStateException("risky");
  }

  @Test
  void whatRanksRecordForThemselvesIsGivenAgainInEachLife() {
    Lives.Program program =
        (mesh, life) -> {
          Grid grid = mesh.grid("g", 6, 8);
          Field u = grid.field("u");
          Field copy = grid.field("copy");
          mesh.each(
              "start",
              grid.all(),
              writes(u, copy),
              k -> {
                u.set(k, 1);
                copy.set(k, 1);
              });
          mesh.ready();
          double mine = 1;
          for (int step = 0; step < 20; step++) {
            life.tick();
            double told = mesh.recordHere(() -> (double) clock.incrementAndGet());
            mesh.each("add", grid.all(), updates(u), k -> u.set(k, u.at(k) * .5 + told));
            mesh.each("copy", grid.all(), reads(u), writes(copy), k -> copy.set(k, u.at(k)));
            mine = mine * .5 + told;
          }
          double expected = mine;
          return List.of(
              mesh.max("differs", grid.all(), reads(copy), k -> Math.abs(copy.at(k) - expected)));
        };
    Lives lives = new Lives(program);
    for (int tick : List.of(8, 12, 17)) {
      lives.dieAt(2, tick);
    }
    assertThat(lives.end(2)).containsExactly(0.0);

    Lives other = new Lives(program);
    other.dieAt(2, 12);
    assertThatThrownBy(() -> other.end(1))
        .hasMessageContaining("2 ranks recorded values for themselves with recordHere()")
        .hasMessageContaining("(org.cairn.mesh.RecordTest.")
        .hasMessageContaining("(RecordTest.java:")
        .hasMessageContaining("there are 1 now");
  }

  /** What fails now and then: a file that may be missing. Who asks goes on with something else. */
  private List<Double> nowAndThen(Mesh mesh, Life life) {
    Grid grid = mesh.grid("g", 6, 8);
    Field u = grid.field("u");
    mesh.each("start", grid.cells(), writes(u), k -> u.set(k, 1));
    mesh.ready();
    double expected = 1;
    for (int step = 0; step < 20; step++) {
      life.tick();
      double told;
      try {
        told = mesh.record(this::everyThirdFails);
      } catch (RecordFailedException e) {
        assertThat(e).hasMessageContaining("could not be had: ").hasMessageContaining("missing");
        told = -7;
      }
      compute(mesh, grid, u, told);
      expected = expected * .5 + told;
    }
    double end = expected;
    return List.of(
        mesh.max("differs", grid.cells(), reads(u), k -> Math.abs(u.at(k) - end)),
        life.wentOn() ? 1.0 : 0.0);
  }

  private double everyThirdFails() {
    long now = clock.incrementAndGet();
    if (now % 3 == 0) {
      throw new IllegalStateException("file " + now + " is missing");
    }
    return now;
  }

  @Test
  void whatCouldNotBeHadIsToldToAllRanksAndAgain() {
    Lives lives = new Lives(this::nowAndThen);
    for (int tick : List.of(7, 11, 16)) {
      lives.dieAt(tick == 11 ? 2 : 1, tick);
    }
    assertThat(lives.end(3)).containsExactly(0.0, 1.0);
  }

  @Test
  void whatOneRankCouldNotHaveIsGivenAgain() {
    try (Mesh mesh = Mesh.open(new MemoryDirectories(), new SoloCommunicator(), Lives.often())) {
      assertThatThrownBy(
              () ->
                  mesh.<Long>recordHere(
                      () -> {
                        throw new IllegalStateException("no such sensor");
                      }))
          .isInstanceOf(RecordFailedException.class)
          .hasRootCauseMessage("no such sensor");
    }
    Journal journal = new Journal();
    assertThat(journal.appendGivenBy(() -> 5L)).isEmpty();
    assertThat(journal.appendGivenBy(this::alwaysFails)).isPresent();
    assertThat(journal.appendGivenBy(() -> 6L)).isEmpty();
    Journal again = new Journal();
    again.restore(journal.sealed().memory(), journal.tail().memory());
    assertThat(again.next()).isEqualTo(5L);
    assertThatThrownBy(again::next)
        .isInstanceOf(RecordFailedException.class)
        .hasMessageContaining("never there");
    assertThat(again.next()).isEqualTo(6L);
    assertThat(again.isAtEnd()).isTrue();
  }

  private Object alwaysFails() {
    throw new IllegalStateException("never there");
  }

  @Test
  void whatCannotBeRecordedIsRefused() {
    try (Mesh mesh = Mesh.open(new MemoryDirectories(), new SoloCommunicator(), Lives.often())) {
      assertThatThrownBy(() -> mesh.record(() -> List.of(1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("record() takes a double, long, int, boolean, String or byte[]");
      assertThatThrownBy(() -> mesh.<String>recordHere(() -> null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not null");
    }
  }

  // ---------------------------------------------------------------- beyond a bound

  /** A record that is longer than it may be plain is compressed, given again, and goes on. */
  @SeededTest(seeds = 3)
  void aLongRecordIsCompressedAndGivenAgain(Random random) {
    long seed = random.nextLong();
    Journal first = new Journal(300);
    append(first, new Random(seed), 200);
    assertThat(first.sealed().length()).isPositive();
    assertThat(first.tail().length()).isLessThan(400);

    Journal second = restored(first);
    requireSame(second, new Random(seed), 200);
    assertThat(second.isAtEnd()).isTrue();

    append(first, new Random(seed + 1), 50);
    append(second, new Random(seed + 1), 50);
    Journal third = restored(second);
    requireSame(third, new Random(seed), 200);
    assertThat(third.isAtEnd()).isFalse();
    requireSame(third, new Random(seed + 1), 50);
    assertThat(third.isAtEnd()).isTrue();
    assertThatThrownBy(third::next).isInstanceOf(ProgramChangedException.class);
  }

  /** It is told once, with what does without a record. */
  @Test
  void aLongRecordIsToldOnce() {
    try (LogLines log = new LogLines(Mesh.class.getName())) {
      Journal journal = new Journal(3 << 20);
      for (int n = 0; n < 800_000; n++) {
        journal.append(1.5);
      }
      assertThat(journal.sealed().length()).isPositive();
      assertThat(log.with("values recorded for a replay take more than 3 MiB"))
          .singleElement()
          .asString()
          .contains("compressed from now on", "mesh.here()");
    }
  }

  private static Journal restored(Journal saved) {
    Journal journal = new Journal(300);
    journal.restore(saved.sealed().memory(), saved.tail().memory());
    return journal;
  }

  private static void append(Journal journal, Random random, int count) {
    for (int n = 0; n < count; n++) {
      journal.append(value(random, n));
    }
  }

  private static void requireSame(Journal journal, Random random, int count) {
    for (int n = 0; n < count; n++) {
      assertThat(journal.next()).isEqualTo(value(random, n));
    }
  }

  private static Object value(Random random, int n) {
    return switch (n % 6) {
      case 0 -> random.nextDouble();
      case 1 -> random.nextLong();
      case 2 -> random.nextInt();
      case 3 -> random.nextBoolean();
      case 4 -> "é" + random.nextLong();
      default -> {
        byte[] bytes = new byte[random.nextInt(100)];
        random.nextBytes(bytes);
        yield bytes;
      }
    };
  }

  /** Noise becomes longer when it is compressed. */
  @SeededTest(seeds = 1)
  void aRecordOfNoiseIsCompressedToo(Random random) {
    Journal journal = new Journal(1 << 20);
    byte[] noise = new byte[8 << 20];
    random.nextBytes(noise);
    journal.append(noise);
    journal.append((Object) 7L);

    Journal again = new Journal();
    again.restore(journal.sealed().memory(), journal.tail().memory());
    assertThat(again.next()).isEqualTo(noise);
    assertThat(again.next()).isEqualTo(7L);
  }
}
