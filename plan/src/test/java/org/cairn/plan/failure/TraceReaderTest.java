// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class TraceReaderTest {
  private static final Path HOSTILE = Lanl.resource("hostile.csv");

  @Test
  void excerptHoldsToTheDigits() {
    assertDigits(Lanl.excerpt());
    assertThat(TraceReader.systems(Lanl.excerpt())).containsExactly("18", "20");
  }

  @Test
  void wholeReleaseHoldsToTheDigits() {
    assertDigits(Lanl.whole());
  }

  private static void assertDigits(Path file) {
    TraceReader.Reading eighteen = TraceReader.reading(file, "18");
    Trace trace = eighteen.trace();
    assertThat(trace.failures()).hasSize(3997);
    assertThat(trace.meanGap() / 3600).isCloseTo(7.3349, within(5e-5));
    assertThat(trace.nodes()).isEqualTo(1024);
    assertThat(trace.failures().getFirst().time()).isZero();
    assertThat(trace.name()).isEqualTo("LANL system 18");
    assertThat(eighteen.skipped()).isZero();
    assertThat(eighteen.unnamed()).isZero();
    Trace twenty = TraceReader.read(file, "20");
    assertThat(twenty.failures()).hasSize(2478);
    assertThat(twenty.meanGap() / 3600).isCloseTo(13.1669, within(5e-5));
    assertThat(twenty.nodes()).isEqualTo(512);
  }

  @Test
  void wholeReleaseHasAllSystems() {
    Path file = Lanl.whole();
    List<Trace> traces = TraceReader.read(file);
    assertThat(traces).hasSize(23).hasSameSizeAs(TraceReader.systems(file));
    assertThat(traces.stream().mapToInt(trace -> trace.failures().size()).sum()).isEqualTo(23739);
    assertThat(traces.getFirst().name()).isEqualTo("LANL system 2");
  }

  @Test
  void nodesOfTheReleaseFitTheirMachines() {
    Path file = Lanl.whole();
    assertThat(nodesSeen(TraceReader.read(file, "16"))).hasSize(16).contains(0, 15);
    assertThat(nodesSeen(TraceReader.read(file, "19"))).hasSize(928).contains(0, 1023);
    // Numbers 129 to 255 on 128 nodes: the machine is 128 to 255.
    assertThat(nodesSeen(TraceReader.read(file, "14"))).hasSize(58).contains(1, 127);
    // One is called 578 on 256 nodes, so numbers cannot be kept.
    assertThat(nodesSeen(TraceReader.read(file, "11"))).hasSize(126).contains(0, 125);
    assertThat(TraceReader.read(file, "11").nodes()).isEqualTo(256);
    TraceReader.Reading seventeen = TraceReader.reading(file, "17");
    assertThat(seventeen.unnamed()).isEqualTo(126);
    assertThat(seventeen.trace().nodes()).isEqualTo(1);
  }

  private static List<Integer> nodesSeen(Trace trace) {
    return trace.failures().stream().map(Failure::node).distinct().sorted().toList();
  }

  @Test
  void hostileFileIsReadByName() {
    TraceReader.Reading reading = TraceReader.reading(HOSTILE, "7");
    assertThat(reading.skipped()).isEqualTo(2);
    assertThat(reading.unnamed()).isEqualTo(1);
    // 10, 11 and 12 of a machine of 4 lie at 1, 2, 3; the unnamed one takes the place left.
    assertThat(reading.trace().failures())
        .containsExactly(
            new Failure(0, 2, Double.NaN, Cause.SOFTWARE),
            new Failure(88200, 3, Double.NaN, Cause.SOFTWARE),
            new Failure(88200, 1),
            new Failure(88200, 0));
    assertThat(reading.trace().gaps()).containsExactly(88200, 0, 0);
  }

  @Test
  void clocksThatChangeDoNotChangeGaps() {
    // In the night of 4/1/2001 American clocks jumped from 2:00 to 3:00.
    assertThat(TraceReader.read(HOSTILE, "8").gaps()).containsExactly(3660);
  }

  @Test
  void aBadSystemHarmsNoOther() {
    assertThat(TraceReader.systems(HOSTILE)).containsExactly("7", "8", "9", "10");
    // Line 3 holds a line end, so this row begins in line 13 of the file.
    assertThatThrownBy(() -> TraceReader.read(HOSTILE, "9"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            HOSTILE + ", line 13: \"31/1/2001 3:00\" is not a date such as 6/21/2005 10:54");
    assertThatThrownBy(() -> TraceReader.read(HOSTILE, "10"))
        .hasMessage(HOSTILE + ": system 10 has no failures: none of its 1 rows has a time");
    assertThatThrownBy(() -> TraceReader.read(HOSTILE, "11"))
        .hasMessage(HOSTILE + " has no system \"11\"; it has 7, 8, 9, 10");
  }
}
