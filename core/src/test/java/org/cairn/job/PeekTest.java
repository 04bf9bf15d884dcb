// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.ElementType;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.Part;
import org.cairn.RestartReport;
import org.cairn.RestartReport.Content;
import org.cairn.RestartRequest;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A program looks at what it will find, and goes on with that or with something older. */
@Timeout(120)
class PeekTest {
  private static final Options OPTIONS = SmallJob.OPTIONS.tiers(Tiers.none()).retain(5);
  private static final RestartRequest NEWEST = RestartRequest.newest();
  private static final int LENGTH = 1000;

  @TempDir Path directory;

  private interface Work {
    void run(Program program);
  }

  /** One rank; what it has says by itself of which step it is. */
  private static final class Program {
    final Checkpointer cairn;
    final int ranks;
    final LongCell step;
    final double[] u;

    Program(Checkpointer cairn, Communicator comm) {
      this.cairn = cairn;
      this.ranks = comm.size();
      this.step = cairn.protectEverywhere("step", 0L);
      int from = LENGTH * comm.rank() / ranks;
      int to = LENGTH * (comm.rank() + 1) / ranks;
      this.u = new double[to - from];
      cairn.protect("u", u).part(Part.of(longs(LENGTH), longs(from), longs(to - from)));
    }

    private static long[] longs(long one) {
      return new long[] {one};
    }

    void take() {
      step.increment();
      Arrays.fill(u, value(step.get()));
      cairn.checkpoint();
    }

    static double value(long step) {
      return Math.E + step;
    }

    VersionId peek(long expected) {
      RestartReport report = cairn.peek(NEWEST, "step");
      assertThat(report.restored()).containsExactly("step");
      assertThat(step.get()).isEqualTo(expected);
      return report.version().orElseThrow();
    }

    void restart(RestartRequest request, long expected) {
      assertThat(cairn.restart(request).isRestored()).isTrue();
      assertThat(step.get()).isEqualTo(expected);
      assertThat(u).containsOnly(value(expected));
    }
  }

  private void run(int ranks, Work work) {
    Ranks.run(
        ranks,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directory, comm, OPTIONS)) {
            work.run(new Program(cairn, comm));
          }
        });
  }

  private void save(int ranks, int steps) {
    run(
        ranks,
        program -> {
          for (int i = 0; i < steps; i++) {
            program.take();
          }
        });
  }

  /** Damages u where it is of one step, in the container of one rank. */
  private void damage(int rank, long step) throws IOException {
    Path file;
    try (Stream<Path> files = Files.walk(directory)) {
      file = files.filter(one -> one.endsWith("rank" + rank + ".cairn")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(file);
    byte[] element =
        ByteBuffer.allocate(8)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putDouble(Program.value(step))
            .array();
    int at = 8192;
    while (!Arrays.equals(bytes, at, at + 8, element, 0, 8)) {
      at += 8;
    }
    bytes[at] ^= 1;
    Files.write(file, bytes);
  }

  // ---------------------------------------------------------------- looking

  @ParameterizedTest
  @CsvSource({"1,1", "3,3", "3,2", "1,4"})
  void itTellsOfAllThatThereIs(int before, int now) {
    Ranks.run(
        before,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directory, comm, OPTIONS)) {
            Program program = new Program(cairn, comm);
            cairn.protect("id", new long[2 * (comm.rank() + 1)]).bag(2);
            cairn.protect("mine", new int[] {1, 2, 3});
            if (comm.rank() == 0) {
              cairn.protect("first", new byte[5]);
            }
            program.take();
          }
        });
    List<Long> items = List.of(before * (before + 1L) / 2, 2L);
    run(
        now,
        program -> {
          RestartReport report = program.cairn.peek(NEWEST);
          assertThat(report.version().orElseThrow().ranks()).isEqualTo(before);
          assertThat(report.restored()).isEmpty();
          assertThat(program.step.get()).isZero();
          assertThat(report.contents())
              .containsExactly(
                  new Content("first", Content.Kind.ALONE, ElementType.BYTE, List.of(5L)),
                  new Content("id", Content.Kind.BAG, ElementType.LONG, items),
                  new Content(
                      "mine",
                      Content.Kind.ALONE,
                      ElementType.INT,
                      before == 1 ? List.of(3L) : List.of()),
                  new Content("step", Content.Kind.EVERYWHERE, ElementType.LONG, List.of(1L)),
                  new Content("u", Content.Kind.ARRAY, ElementType.DOUBLE, List.of(1000L)));
          assertThat(report.content("u")).isPresent();
          assertThat(report.content("v")).isEmpty();
          assertThat(program.cairn.peek(NEWEST.rename("u", "w")).content("w")).isPresent();
        });
  }

  @ParameterizedTest
  @CsvSource({"1", "3"})
  void whereThereIsNothingItSaysSo(int ranks) {
    run(
        ranks,
        program -> {
          assertThat(program.cairn.peek(NEWEST, "step").isRestored()).isFalse();
          assertThat(program.cairn.restart().isRestored()).isFalse();
          program.take();
          VersionId taken = program.cairn.versions().getFirst().id();
          assertThat(program.cairn.peek(NEWEST.before(taken)).problems().getFirst())
              .contains("no version before " + taken.exact());
          assertThat(program.cairn.peek(RestartRequest.beginAnew()).isRestored()).isFalse();
        });
  }

  // ---------------------------------------------------------------- going on with it

  @ParameterizedTest
  @CsvSource({"1,1", "3,3", "3,2", "1,4"})
  void theRestComesFromTheSameVersion(int before, int now) {
    save(before, 3);
    run(
        now,
        program -> {
          VersionId found = program.peek(3);
          assertThat(program.cairn.peek(NEWEST.before(found), "step").isRestored()).isTrue();
          assertThat(program.step.get()).isEqualTo(2);
          program.peek(3); // nothing of that has left anything behind
          program.restart(NEWEST.asPeeked(found), 3);
          program.take();
        });
    run(now, program -> program.restart(NEWEST, 4));
  }

  @ParameterizedTest
  @CsvSource({"1,1", "3,3", "3,2", "1,4"})
  void anOlderOneTakesThePlaceOfOneThatCannotBeUsed(int before, int now) {
    save(before, 3);
    run(
        now,
        program -> {
          VersionId third = program.peek(3);
          VersionId second =
              program.cairn.peek(NEWEST.before(third), "step").version().orElseThrow();
          program.restart(NEWEST.before(second), 1);
          program.take();
          program.take();
        });
    // What was left behind stays behind, and the run goes on from where it was.
    run(now, program -> program.restart(NEWEST, 3));
    run(now, program -> assertThat(program.cairn.peek(NEWEST).problems()).isEmpty());
  }

  /** As if it were damaged: nobody chose, so what is newer is there for the next start. */
  @Test
  void untilItHasAVersionOfItsOwnNothingIsLeftBehind() {
    save(2, 3);
    run(2, program -> program.restart(NEWEST.before(program.peek(3)), 2));
    run(2, program -> program.restart(NEWEST.asPeeked(program.peek(3)), 3));
    run(2, program -> program.restart(NEWEST, 3));
  }

  @ParameterizedTest
  @CsvSource({"1,1", "2,2", "2,3"})
  void whatTurnsOutDamagedIsRefusedAndAnOlderOneRestored(int before, int now) throws IOException {
    save(before, 3);
    damage(before - 1, 3);
    run(
        now,
        program -> {
          VersionId found = program.peek(3);
          assertThatThrownBy(() -> program.cairn.restart(NEWEST.asPeeked(found)))
              .hasMessageContaining(
                  "no version %s as peeked at can be restored".formatted(found.exact()));
          assertThatThrownBy(() -> program.cairn.restart(NEWEST.asPeeked(found).orBeginAnew()))
              .hasMessageContaining("can be restored");
          program.restart(NEWEST.before(found), 2);
        });
  }

  @ParameterizedTest
  @CsvSource({"1,1", "2,2", "2,3"})
  void whereThereIsNoOlderOneAProgramMayBeginAnew(int before, int now) {
    save(before, 1);
    run(
        now,
        program -> {
          VersionId found = program.peek(1);
          assertThatThrownBy(() -> program.cairn.restart(NEWEST.before(found)))
              .hasMessageContaining("no version before " + found.exact());
          RestartReport report = program.cairn.restart(NEWEST.before(found).orBeginAnew());
          assertThat(report.isRestored()).isFalse();
          program.take();
        });
    run(now, program -> program.restart(NEWEST, 2));
  }
}
