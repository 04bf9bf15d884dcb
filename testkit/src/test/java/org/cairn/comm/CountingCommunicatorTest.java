// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.cairn.comm.Ranks.Program;
import org.cairn.testkit.comm.BaseCommunicatorTest;
import org.cairn.testkit.comm.CountingCommunicator;
import org.cairn.testkit.comm.Traffic;
import org.cairn.testkit.comm.Traffic.Load;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is counted keeps its promises; and how many messages collectives are made of. */
class CountingCommunicatorTest extends BaseCommunicatorTest {

  @Override
  protected void run(int ranks, Program program) {
    Traffic traffic = new Traffic(ranks);
    Ranks.run(ranks, inner -> program.run(new CountingCommunicator(inner, traffic)));
  }

  @Override
  protected int maximumRanks() {
    return 3;
  }

  /** The most that any rank sends or receives. */
  private static Load load(int ranks, Program program) {
    Traffic traffic = new Traffic(ranks);
    Ranks.run(ranks, inner -> program.run(new CountingCommunicator(inner, traffic)));
    return traffic.heaviest();
  }

  private static int levels(int ranks) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(ranks - 1);
  }

  /** Lengths first, then what they are the lengths of: one message in each round. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 7, 16, 33, 100})
  void anAllGatherIsNoRing(int ranks) {
    Load small = load(ranks, each -> each.allGather(new byte[5 + each.rank()]));
    assertThat(small.messages()).isEqualTo(2L * levels(ranks));

    Load equal = load(ranks, each -> each.allGather(new long[3], new long[3 * ranks]));
    assertThat(equal.messages()).as("agreed on before").isLessThanOrEqualTo(2L * levels(ranks));

    int[] counts = new int[ranks];
    Arrays.fill(counts, 3);
    Load counted = load(ranks, each -> each.allGather(new long[3], new long[3 * ranks], counts));
    assertThat(counted.messages()).isLessThanOrEqualTo(3L * levels(ranks));
  }

  /** No rank gets a byte twice, and what goes over the end is two messages. */
  @ParameterizedTest
  @ValueSource(ints = {3, 7, 16, 33})
  void noRingForLargePartsEither(int ranks) {
    int part = (8 << 20) / ranks;
    Load large =
        load(
            ranks,
            each ->
                each.allGather(
                    MemorySegment.ofArray(new byte[part]),
                    MemorySegment.ofArray(new byte[ranks * part])));
    assertThat(large.messages()).isLessThanOrEqualTo(3L * levels(ranks));
    assertThat(large.bytes())
        .isBetween((long) part * (ranks - 1), (long) part * (ranks - 1) + 64L * levels(ranks));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 7, 16, 33, 100})
  void scansAndLocationsTakeARoundForEachBit(int ranks) {
    Load scan = load(ranks, each -> each.scan(1L, Reduction.SUM));
    assertThat(scan.messages()).isEqualTo(levels(ranks));
    Load location = load(ranks, each -> each.locate(1.0, each.rank(), Reduction.MAX));
    assertThat(location.messages()).isLessThanOrEqualTo(levels(ranks));
  }
}
