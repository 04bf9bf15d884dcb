// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import org.cairn.Checkpointer;
import org.cairn.Part;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program that was changed comes back on another number of ranks, or divided otherwise. */
@Timeout(120)
class ChangedOnOtherRanksTest {
  private static final int ALL = 24;

  @TempDir Path directory;

  private interface Work {
    void run(Checkpointer cairn, Communicator comm);
  }

  private void run(int ranks, Work work) {
    Ranks.run(
        ranks,
        comm -> {
          try (Checkpointer cairn =
              Checkpointer.open(directory, comm, SmallJob.OPTIONS.tiers(Tiers.none()))) {
            work.run(cairn, comm);
          }
        });
  }

  /** A stretch of a line, with a ghost on either side. */
  private static Part stretch(Communicator comm) {
    int from = ALL * comm.rank() / comm.size();
    int to = ALL * (comm.rank() + 1) / comm.size();
    return Part.of(new long[] {ALL}, new long[] {from}, new long[] {to - from}).halo(1);
  }

  private static int first(Part part) {
    return Math.toIntExact(part.offset().getFirst());
  }

  /** Ghosts are no numbers, and must not come back as such. */
  private void saveFloats(int ranks, float scale) {
    run(
        ranks,
        (cairn, comm) -> {
          Part part = stretch(comm);
          float[] u = new float[(int) part.localElements()];
          Arrays.fill(u, Float.NaN);
          for (int i = 1; i < u.length - 1; i++) {
            u[i] = (first(part) + i - 1 + 0.1f) * scale;
          }
          cairn.protect("u", u).part(part);
          cairn.protect("table", new float[] {1.5f, -0.0f}).everywhere();
          cairn.protect("items", new float[] {comm.rank(), comm.rank() + 0.25f}).bag(1);
          cairn.checkpoint();
        });
  }

  private void comesBackAsDoubles(int ranks) {
    run(
        ranks,
        (cairn, comm) -> {
          Part part = stretch(comm);
          double[] v = new double[(int) part.localElements()];
          Arrays.fill(v, 1e300); // beyond the line it stays
          double[] table = new double[2];
          double[][] items = {{}};
          cairn.protect("v", v).part(part);
          cairn.protect("table", table).everywhere();
          cairn
              .protect(
                  "items",
                  double[].class,
                  () -> items[0],
                  size -> items[0] = new double[Math.toIntExact(size)])
              .bag(1);
          RestartReport report =
              cairn.restart(
                  RestartRequest.newest().rename("u", "v").converting("v", "table", "items"));
          for (int i = 0; i < v.length; i++) {
            int at = first(part) + i - 1;
            assertThat(v[i])
                .as("element %d", at)
                .isEqualTo(at < 0 || at >= ALL ? 1e300 : (double) (at + 0.1f));
          }
          assertThat(table).containsExactly(1.5, -0.0);
          assertThat(items[0]).isNotEmpty();
          assertThat(report.changed())
              .contains(
                  "\"u\" is \"v\" now, double in place of float",
                  "\"table\" is double in place of float",
                  "\"items\" is double in place of float");
        });
  }

  @Test
  void floatsBecomeDoublesOnAnotherNumber() {
    saveFloats(3, 1);
    comesBackAsDoubles(2);
  }

  @Test
  void floatsBecomeDoublesOnAsManyRanksAndGhostsComeFromOwners() {
    saveFloats(3, 1);
    comesBackAsDoubles(3);
  }

  /** A rank that had nothing of an array lacks it no more than the others do. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void aDefaultIsForWhatNobodySaved(int ranks) {
    Part whole = Part.of(new long[] {3}, new long[] {0}, new long[] {3});
    run(
        2,
        (cairn, comm) -> {
          if (comm.rank() == 0) {
            cairn.protect("u", new double[] {1, 2, 3}).part(whole);
          }
          cairn.checkpoint();
        });
    run(
        ranks,
        (cairn, comm) -> {
          double[] u = new double[3];
          double[] v = new double[3];
          if (comm.rank() == 1) {
            cairn.protect("u", u).part(whole);
            cairn.protect("v", v).part(whole);
          }
          RestartReport report =
              cairn.restart(RestartRequest.newest().orElse("u", 0.5).orElse("v", 0.5));
          if (comm.rank() == 1) {
            assertThat(u).containsExactly(1, 2, 3);
            assertThat(v).containsExactly(0.5, 0.5, 0.5);
            assertThat(report.restored()).containsExactly("u");
            assertThat(report.absent()).isEmpty();
            assertThat(report.changed()).containsExactly("\"v\" was not saved, its default is 0.5");
          }
        });
  }

  @Test
  void anotherTypeIsRefusedAndTheRemedyNamed() {
    saveFloats(3, 1);
    assertThatThrownBy(
            () ->
                run(
                    2,
                    (cairn, comm) -> {
                      Part part = stretch(comm);
                      cairn.protect("u", new double[(int) part.localElements()]).part(part);
                      cairn.restart(RestartRequest.newest().dropping("table", "items"));
                    }))
        .hasStackTraceContaining("RestartRequest.converting(\"u\")");
  }

  @Test
  void whatIsTooLargeForAFloatIsRefusedOnAllRanks() {
    run(
        3,
        (cairn, comm) -> {
          Part part = stretch(comm);
          double[] u = new double[(int) part.localElements()];
          Arrays.fill(u, comm.rank() == 2 ? 1e39 : 1);
          cairn.protect("u", u).part(part);
          cairn.checkpoint();
        });
    int[] refused = new int[2];
    assertThatThrownBy(
            () ->
                run(
                    2,
                    (cairn, comm) -> {
                      Part part = stretch(comm);
                      cairn.protect("u", new float[(int) part.localElements()]).part(part);
                      try {
                        cairn.restart(RestartRequest.newest().converting("u"));
                      } catch (RuntimeException e) {
                        refused[comm.rank()]++;
                        throw e;
                      }
                    }))
        .hasStackTraceContaining("1.0E39 at [16] of array \"u\"")
        .hasStackTraceContaining("too large for a float");
    assertThat(refused).containsExactly(1, 1);
  }

  @Test
  void anItemThatIsTooLargeForAFloatIsNamedByWhoSavedIt() {
    run(
        3,
        (cairn, comm) -> {
          double[] items = new double[6];
          items[5] = comm.rank() == 1 ? 1e39 : 0;
          cairn.protect("items", items).bag(2);
          cairn.checkpoint();
        });
    float[][] items = {{}};
    assertThatThrownBy(
            () ->
                run(
                    1,
                    (cairn, _) -> {
                      cairn
                          .protect(
                              "items",
                              float[].class,
                              () -> items[0],
                              size -> items[0] = new float[Math.toIntExact(size)])
                          .bag(2);
                      cairn.restart(RestartRequest.newest().converting("items"));
                    }))
        .hasStackTraceContaining("1.0E39 in item 2 of rank 1");
  }

  @Test
  void partsThatOverlapAreRefusedBeforeAnythingIsFilled() {
    saveFloats(3, 1);
    float[][] memory = new float[2][13];
    assertThatThrownBy(
            () ->
                run(
                    2,
                    (cairn, comm) -> {
                      float[] u = memory[comm.rank()];
                      cairn
                          .protect("u", u)
                          .part(
                              Part.of(
                                  new long[] {ALL},
                                  new long[] {11L * comm.rank()},
                                  new long[] {13}));
                      cairn.restart(RestartRequest.newest().dropping("table", "items"));
                    }))
        .hasStackTraceContaining("ranks 0 and 1 both have [11:13] of array \"u\"");
    assertThat(memory).isDeepEqualTo(new float[2][13]);
    comesBackAsDoubles(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void elementsThatAreInNoPartNowAreTold(int ranks) {
    saveFloats(3, 1);
    long each = ALL / ranks;
    run(
        ranks,
        (cairn, comm) -> {
          Part all =
              Part.of(new long[] {ALL}, new long[] {each * comm.rank()}, new long[] {each - 2});
          if (comm.rank() > 0) {
            cairn.protect("u", new float[(int) each - 2]).part(all.holes(0));
          }
          RestartReport report = cairn.restart(RestartRequest.newest().dropping("table", "items"));
          assertThat(report.changed())
              .containsExactly(
                  "array \"u\" has holes: %d of the 24 elements that were saved are in no part now"
                      .formatted(each + 2 * (ranks - 1)));
        });
  }

  /** A rank knows its datasets by other names, and refusals name the array. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void anArrayIsDroppedByItsName(int ranks) {
    run(
        2,
        (cairn, comm) -> {
          cairn.protectEverywhere("step", 7L);
          cairn
              .protect("brick" + comm.rank(), new double[4])
              .partOf("u", Part.of(new long[] {8}, new long[] {4L * comm.rank()}, new long[] {4}));
          cairn.checkpoint();
        });
    run(
        ranks,
        (cairn, _) -> {
          cairn.protectEverywhere("step", 0L);
          RestartReport report = cairn.restart(RestartRequest.newest().dropping("u"));
          assertThat(report.ignored()).isEmpty();
          assertThat(cairn.checkpoint().isDurable()).isTrue();
        });
  }

  @Test
  void aProtectAfterTheRestartHasNoGhostsToOffer() {
    saveFloats(3, 1);
    assertThatThrownBy(
            () ->
                run(
                    3,
                    (cairn, comm) -> {
                      cairn.restart();
                      Part part = stretch(comm);
                      cairn.protect("u", new float[(int) part.localElements()]).part(part);
                    }))
        .hasStackTraceContaining("protect it before");
  }

  /** An array, a native segment, rows: an allocator puts other memory in the place of each. */
  private static final class Replaced {
    private double[] u;
    private MemorySegment native64;
    private Arena arena = Arena.ofShared();
    private float[][] rows;

    Replaced(Part part, Part wide) {
      u = new double[(int) part.localElements()];
      native64 = arena.allocate(part.localElements());
      rows = new float[Math.toIntExact(wide.localShape().get(0))][3];
    }

    void protect(Checkpointer cairn, Part part, Part wide) {
      cairn.protect("u", double[].class, () -> u, n -> u = new double[(int) n]).part(part);
      cairn.protect("bytes", MemorySegment.class, () -> native64, this::replace).part(part);
      cairn
          .protect("rows", float[][].class, () -> rows, (n, m) -> rows = new float[n][m])
          .part(wide);
    }

    private MemorySegment replace(long bytes) {
      arena.close();
      arena = Arena.ofShared();
      native64 = arena.allocate(bytes);
      return native64;
    }

    void fill(int value) {
      Arrays.fill(u, value);
      native64.fill((byte) value);
      for (float[] row : rows) {
        Arrays.fill(row, value);
      }
    }

    void check(int first, int inner, int last) {
      double[] expected = new double[u.length];
      Arrays.fill(expected, inner);
      expected[0] = first;
      expected[u.length - 1] = last;
      assertThat(u).isEqualTo(expected);
      for (int i = 0; i < u.length; i++) {
        assertThat(native64.get(ValueLayout.JAVA_BYTE, i)).isEqualTo((byte) expected[i]);
        assertThat(rows[i]).containsOnly((float) expected[i]);
      }
    }
  }

  private static Part stretchOfRows(Communicator comm) {
    Part part = stretch(comm);
    return Part.of(
            new long[] {ALL, 3},
            new long[] {first(part), 0},
            new long[] {part.extent().getFirst(), 3})
        .halo(1, 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void whatTheProgramPutBeyondTheEndStaysWhereAnAllocatorReplacesTheMemory(int ranks) {
    run(
        2,
        (cairn, comm) -> {
          Replaced all = new Replaced(stretch(comm), stretchOfRows(comm));
          all.protect(cairn, stretch(comm), stretchOfRows(comm));
          all.fill(3);
          cairn.checkpoint();
        });
    run(
        ranks,
        (cairn, comm) -> {
          Replaced all = new Replaced(stretch(comm), stretchOfRows(comm));
          all.protect(cairn, stretch(comm), stretchOfRows(comm));
          all.fill(8);
          cairn.restart();
          all.check(comm.rank() == 0 ? 8 : 3, 3, comm.rank() == ranks - 1 ? 8 : 3);
        });
  }
}
