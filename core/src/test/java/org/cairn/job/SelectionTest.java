// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.cairn.Checkpoint;
import org.cairn.CheckpointBuilder;
import org.cairn.CheckpointFailedException;
import org.cairn.Checkpointer;
import org.cairn.Dataset;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.Part;
import org.cairn.RestartReport;
import org.cairn.Tiers;
import org.cairn.WhenBusy;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints of some datasets only, and of such that are known only when one is open. */
@Timeout(120)
class SelectionTest {
  private static final int LENGTH = 600;
  private static final double HOLE = -1;
  private static final double UNTOUCHED = -2;
  private static final List<String> FIELDS = List.of("a", "b", "c", "d");

  private final MemoryDirectories directories = new MemoryDirectories();
  private final MemoryStore shared = new MemoryStore();
  private Options options = SmallJob.OPTIONS.tiers(Tiers.none());

  private interface Work {
    void run(Checkpointer cairn, Communicator comm);
  }

  private void run(int ranks, Work work) {
    Ranks.run(
        ranks,
        rank -> "node" + rank,
        comm -> {
          Communicator chosen = options.asynchronous() ? comm : new SingleThreaded(comm);
          try (Checkpointer cairn = Checkpointer.open(directories, chosen, options)) {
            work.run(cairn, comm);
          }
        });
  }

  private static Part stretch(int from, int to) {
    return Part.of(new long[] {LENGTH}, new long[] {from}, new long[] {to - from});
  }

  private static Part share(Communicator comm) {
    return stretch(LENGTH * comm.rank() / comm.size(), LENGTH * (comm.rank() + 1) / comm.size());
  }

  private static double[] untouched(Part part) {
    double[] array = new double[(int) part.localElements()];
    Arrays.fill(array, UNTOUCHED);
    return array;
  }

  // ---------------------------------------------------------------- any set, any number

  /** What a step has put into its version. */
  private record Choice(long step, Set<String> fields, boolean late, int lateFrom, int lateTo) {
    static Choice of(long step, Random random) {
      Set<String> fields = new TreeSet<>();
      FIELDS.stream().filter(_ -> random.nextBoolean()).forEach(fields::add);
      int from = random.nextInt(LENGTH);
      return new Choice(
          step, fields, random.nextBoolean(), from, from + random.nextInt(LENGTH - from) + 1);
    }

    double element(String field, long index) {
      return field.equals("late") && (index < lateFrom || index >= lateTo)
          ? HOLE
          : field.hashCode() + index + (index % 5 == 0 ? 1000.0 * step : 0);
    }

    void write(String field, Part part, double[] memory) {
      Arrays.setAll(memory, i -> element(field, part.offset().getFirst() + i));
    }

    void check(String field, Part part, double[] memory) {
      for (int i = 0; i < memory.length; i++) {
        assertThat(memory[i])
            .as("%s[%d] of %s", field, i, this)
            .isEqualTo(element(field, part.offset().getFirst() + i));
      }
    }
  }

  /** One rank of a program that saves other fields at each step, and some elements late. */
  private static final class Program {
    private final Checkpointer cairn;
    private final Part share;
    private final LongCell step;
    private final double[][] fields = new double[FIELDS.size()][];

    Program(Checkpointer cairn, Communicator comm) {
      this.cairn = cairn;
      this.share = share(comm);
      this.step = cairn.protectEverywhere("step", 0L);
      for (int i = 0; i < fields.length; i++) {
        fields[i] = untouched(share);
        cairn.protect(FIELDS.get(i), fields[i]).part(share);
      }
    }

    void restart(Choice saved) {
      Part part = share.holes(HOLE);
      double[] late = untouched(part);
      cairn.protect("late", late).part(part);
      RestartReport report = cairn.restart();
      Set<String> absent = new TreeSet<>(FIELDS);
      absent.removeAll(saved.fields);
      if (saved.late) {
        saved.check("late", part, late);
      } else {
        absent.add("late");
        assertThat(late).containsOnly(UNTOUCHED);
      }
      assertThat(report.absent()).containsExactlyInAnyOrderElementsOf(absent);
      assertThat(step.get()).isEqualTo(saved.step);
      for (int i = 0; i < fields.length; i++) {
        if (absent.contains(FIELDS.get(i))) {
          assertThat(fields[i]).containsOnly(UNTOUCHED);
        } else {
          saved.check(FIELDS.get(i), part, fields[i]);
        }
      }
      cairn.unprotect("late");
    }

    Checkpoint take(Choice choice) {
      try (CheckpointBuilder checkpoint = cairn.begin()) {
        step.set(choice.step);
        checkpoint.add("step");
        for (String field : choice.fields) {
          double[] memory = fields[FIELDS.indexOf(field)];
          choice.write(field, share, memory);
          checkpoint.add(field);
          Arrays.fill(memory, Double.NaN); // it may change at once
        }
        if (choice.late) {
          checkpoint.add(late(choice));
        }
        Checkpoint taken = checkpoint.commitAdded();
        if (choice.late) {
          cairn.unprotect("late");
        }
        return taken;
      }
    }

    /** What this rank has of the late elements; perhaps nothing. */
    private Dataset late(Choice choice) {
      int first = Math.toIntExact(share.offset().getFirst());
      int end = Math.toIntExact(first + share.elements());
      int from = Math.clamp(choice.lateFrom, first, end);
      int to = Math.clamp(choice.lateTo, from, end);
      Part part = stretch(from, to).holes(HOLE);
      double[] memory = new double[to - from];
      choice.write("late", part, memory);
      return cairn.protect("late", memory).part(part);
    }
  }

  private Tiers tiers(int kind) {
    return switch (kind) {
      case 0 -> Tiers.none();
      case 1 -> Tiers.none().partner(1);
      case 2 -> Tiers.none().erasure(1);
      case 3 -> Tiers.none().shared(shared, 1);
      default -> Tiers.none().partner(1).erasure(1).shared(shared, 1);
    };
  }

  @SeededTest(seeds = 10)
  void aVersionHasWhatWasAddedOnAnyNumberOfRanks(Random random) {
    AtomicReference<Choice> saved = new AtomicReference<>();
    int ranks = 1 + random.nextInt(4);
    int next = random.nextInt(5);
    for (int life = 0; life < 4; life++) {
      int kind = next;
      next = random.nextInt(5);
      options = options.tiers(tiers(kind)).asynchronous(random.nextBoolean());
      Choice before = saved.get();
      List<Choice> choices =
          random
              .longs(1 + random.nextInt(4), 0, 1 << 30)
              .mapToObj(seed -> seed)
              .map(_ -> Choice.of(random.nextInt(1000), random))
              .toList();
      run(
          ranks,
          (cairn, comm) -> {
            Program program = new Program(cairn, comm);
            if (before != null) {
              program.restart(before);
            }
            for (Choice choice : choices) {
              Checkpoint taken = program.take(choice).await();
              taken.tiers().forEach(taken::await);
            }
            assertThat(cairn.datasets()).hasSize(1 + FIELDS.size());
          });
      saved.set(choices.getLast());
      // What is at the shared tier is found by who is told of it.
      if (ranks > 1 && (kind == 1 || kind == 2 || kind > 2 && next > 2)) {
        directories.lose(random.nextInt(ranks));
      }
      ranks = random.nextBoolean() ? ranks : 1 + random.nextInt(4);
    }
  }

  // ---------------------------------------------------------------- what does not go together

  private void refused(Work work, String... told) {
    AtomicReference<String> message = new AtomicReference<>();
    run(
        3,
        (cairn, comm) -> {
          LongCell step = cairn.protectEverywhere("step", 0L);
          cairn.protect("u", untouched(share(comm))).part(share(comm).holes(HOLE));
          if (cairn.restart().isRestored()) {
            assertThat(step.get()).isEqualTo(2);
            return;
          }
          step.set(1);
          cairn.checkpoint().await();
          assertThatThrownBy(() -> work.run(cairn, comm))
              .isInstanceOf(CheckpointFailedException.class)
              .hasMessageContaining("the one before is untouched")
              .satisfies(thrown -> message.set(thrown.getMessage()));
          step.set(2);
          cairn.checkpoint().await();
        });
    assertThat(message.get()).contains(told);
    run(3, (cairn, _) -> assertThat(cairn.versions()).hasSize(2));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPartThatOneRankLeavesOutIsRefusedOnAll(boolean async) {
    options = options.asynchronous(async);
    refused(
        (cairn, comm) -> {
          try (CheckpointBuilder checkpoint = cairn.begin()) {
            checkpoint.add("step");
            if (comm.rank() != 1) {
              checkpoint.add("u");
            }
            checkpoint.commitAdded().await();
          }
        },
        "rank 0 added array \"u\"",
        "rank 1 did not add its dataset \"u\"");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsTheSameEverywhereIsAddedEverywhere(boolean async) {
    options = options.asynchronous(async);
    refused(
        (cairn, comm) -> {
          try (CheckpointBuilder checkpoint = cairn.begin()) {
            checkpoint.add("u");
            if (comm.rank() == 2) {
              checkpoint.add("step");
            }
            checkpoint.commitAdded().await();
          }
        },
        "rank 2 added dataset \"step\"",
        "rank 0 did not add its dataset \"step\"");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void latePartsThatOverlapAreRefused(boolean async) {
    options = options.asynchronous(async);
    refused(
        (cairn, comm) -> {
          try (CheckpointBuilder checkpoint = cairn.begin()) {
            Part part = stretch(10 * comm.rank(), 10 * comm.rank() + 11).holes(HOLE);
            checkpoint.add(cairn.protect("late", untouched(part)).part(part));
            cairn.unprotect("late");
            checkpoint.commit().await();
          }
        },
        "ranks 0 and 1 both have [10:11] of array \"late\"");
  }

  @Test
  void aLoneProgramIsRefusedGapsAsWell() {
    run(
        1,
        (cairn, _) -> {
          CheckpointBuilder checkpoint = cairn.begin();
          cairn.protect("late", new double[5]).part(stretch(0, 5));
          assertThatThrownBy(checkpoint::commit)
              .isInstanceOf(CheckpointFailedException.class)
              .hasMessageContaining("array \"late\"");
          cairn.unprotect("late");
          cairn.protect("whole", new double[LENGTH]).part(stretch(0, LENGTH));
          assertThat(cairn.checkpoint().isDurable()).isTrue();
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRankThatCannotSaveItsPartKeepsNobody(boolean async) {
    options = options.asynchronous(async);
    run(
        3,
        (cairn, comm) -> {
          LongCell step = cairn.protectEverywhere("step", 0L);
          CheckpointBuilder checkpoint = cairn.begin();
          checkpoint.add("step");
          Part part = share(comm);
          double[] memory = comm.rank() == 1 ? new double[7] : untouched(part);
          Dataset late = cairn.protect("late", memory).part(part);
          if (comm.rank() == 1) {
            assertThatThrownBy(() -> checkpoint.add(late)).hasMessageContaining("late");
            checkpoint.abort();
          } else {
            checkpoint.add(late);
            assertThatThrownBy(() -> checkpoint.commitAdded().await())
                .hasMessageContaining("rank 1")
                .hasMessageContaining("late");
          }
          cairn.unprotect("late");
          step.set(5);
          cairn.checkpoint().await();
        });
  }

  @Test
  void aVersionMayHaveNothing() {
    run(
        2,
        (cairn, _) -> {
          cairn.protectEverywhere("step", 4L);
          cairn.begin().commitAdded().await();
        });
    for (int ranks : new int[] {2, 1}) {
      run(
          ranks,
          (cairn, _) -> {
            LongCell step = cairn.protectEverywhere("step", 5L);
            RestartReport report = cairn.restart();
            assertThat(report.isRestored()).isTrue();
            assertThat(report.absent()).containsExactly("step");
            assertThat(step.get()).isEqualTo(5);
          });
    }
  }

  /** The first version of another number lacks what the restored one lacks. */
  @Test
  void whatWasAbsentIsNotSavedBeforeTheProgramHasIt() {
    run(
        3,
        (cairn, _) -> {
          cairn.protectEverywhere("step", 1L);
          cairn.checkpoint();
        });
    for (int life = 0; life < 2; life++) {
      run(
          2,
          (cairn, comm) -> {
            cairn.protectEverywhere("step", 0L);
            cairn.protect("new", untouched(share(comm))).part(share(comm));
            assertThat(cairn.restart().absent()).containsExactly("new");
          });
    }
  }

  // ---------------------------------------------------------------- when it is due

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void itIsBegunOnAllRanksWhenItIsDue(int ranks) {
    options = options.every(Duration.ofNanos(1));
    run(
        ranks,
        (cairn, _) -> {
          LongCell step = cairn.protectEverywhere("step", 0L);
          int begun = 0;
          for (int i = 1; i <= 20; i++) {
            step.set(i);
            try (CheckpointBuilder due = cairn.beginIfDue().orElse(null)) {
              if (due != null) {
                begun++;
                assertThatThrownBy(cairn::beginIfDue).hasMessageContaining("begun before");
                due.commit();
              }
            }
          }
          assertThat(begun).isPositive();
          assertThat(cairn.versions().getFirst().id().sequence()).isEqualTo(begun);
        });
  }

  @Test
  void nothingIsBegunBeforeItIsDueOrWhileTheOneBeforeIsUnderWay() {
    options = options.every(Duration.ofHours(1));
    run(
        2,
        (cairn, _) -> {
          cairn.protectEverywhere("step", 0L);
          for (int i = 0; i < 100; i++) {
            assertThat(cairn.beginIfDue()).isEmpty();
          }
        });
    options = options.every(Duration.ofNanos(1)).asynchronous(true).whenBusy(WhenBusy.SKIP);
    run(
        2,
        (cairn, comm) -> {
          cairn.protectEverywhere("step", 0L);
          int begun = 0;
          for (int i = 0; i < 50; i++) {
            CheckpointBuilder due = cairn.beginIfDue().orElse(null);
            if (due != null) {
              begun++;
              due.commitAdded();
            }
          }
          assertThat(begun).isPositive();
          assertThat(comm.allReduce(begun, org.cairn.comm.Reduction.MAX)).isEqualTo(begun);
        });
  }
}
