// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.bench.scale.ScaleRun.Phase;
import org.cairn.supply.Supply;
import org.cairn.testkit.comm.Traffic;
import org.cairn.testkit.random.OnlyThorough;
import org.cairn.testkit.random.Thorough;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What opening, restarting, flushing and closing cost each rank of a large job. A ring, a rank that
 * hears all others one by one, or something that every rank tells every other would show here.
 */
@Tag("slow")
class ScaleTest {
  /** Messages of a rank beside those that do not grow: times the logarithm of the ranks. */
  private static final Map<Phase, Integer> MESSAGES_PER_LEVEL =
      new EnumMap<>(
          Map.of(
              Phase.OPEN, 20,
              Phase.BEGIN, 18,
              Phase.FIRST_CHECKPOINT, 11,
              Phase.CHECKPOINT, 2,
              Phase.FLUSH, 9,
              Phase.CLOSE, 12,
              Phase.REOPEN, 20,
              Phase.RESTART, 22, // two of them for what the version has, which the report says
              Phase.REOPEN_LOSS, 20,
              Phase.RESTART_LOSS, 24));

  /** What goes to the members of a group, which does not grow. */
  private static final int GROUP_MESSAGES = 8;

  /** Of native memory. */
  private static final long LARGE = 64 << 10;

  private static final double BYTES_OF_FOUR_TIMES_THE_RANKS = 4.5;

  /** What was measured already. */
  private static final Map<Integer, Map<Phase, Traffic.Load>> KNOWN = new HashMap<>();

  private static Map<Phase, Traffic.Load> loads(int ranks) {
    return KNOWN.computeIfAbsent(ranks, ScaleTest::measure);
  }

  private static Map<Phase, Traffic.Load> measure(int ranks) {
    Map<Phase, Traffic.Load> loads = new EnumMap<>(Phase.class);
    new ScaleRun(ranks, Set.of(), loads::put).run();
    assertThat(loads).containsOnlyKeys(Phase.values());
    return loads;
  }

  private static long bytes(Map<Phase, Traffic.Load> loads, Phase phase) {
    return Objects.requireNonNull(loads.get(phase)).bytes();
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 64})
  void messagesGrowWithTheLogarithmOfTheRanks(int ranks) {
    messagesAreBounded(ranks);
  }

  @Test
  @OnlyThorough
  void soTheyDoInALargeJob() {
    messagesAreBounded(256);
  }

  private static void messagesAreBounded(int ranks) {
    int levels = Integer.numberOfTrailingZeros(ranks);
    loads(ranks)
        .forEach(
            (phase, load) ->
                assertThat(load.messages())
                    .as("%s on %d ranks", phase, ranks)
                    .isLessThanOrEqualTo(
                        GROUP_MESSAGES
                            + (long) MESSAGES_PER_LEVEL.getOrDefault(phase, 0) * levels));
  }

  @Test
  @Thorough
  void bytesGrowNoFasterThanTheRanks() {
    int ranks = Boolean.getBoolean(Thorough.PROPERTY) ? 32 : 16;
    Map<Phase, Traffic.Load> few = loads(ranks);
    Map<Phase, Traffic.Load> many = loads(4 * ranks);
    many.forEach(
        (phase, load) ->
            assertThat((double) load.bytes())
                .as(
                    "%s: %s on %d ranks, %s on four times as many",
                    phase, few.get(phase), ranks, load)
                .isLessThanOrEqualTo(BYTES_OF_FOUR_TIMES_THE_RANKS * bytes(few, phase)));
    assertThat(bytes(many, Phase.RESTART))
        .as("what was found when the job was opened is not told again")
        .isLessThan(bytes(many, Phase.REOPEN) / 4);
  }

  /** To close shared native memory costs a handshake of all threads of all ranks. */
  @Test
  void ranksWithLittleStateTakeLittleNativeMemory() {
    AtomicLong large = new AtomicLong();
    Supply.controlledBy(
        (kind, amount) -> {
          if (kind == Supply.Kind.NATIVE_MEMORY && amount > LARGE) {
            large.incrementAndGet();
          }
        });
    try {
      new ScaleRun(16, Set.of(), (phase, load) -> {}).run();
    } finally {
      Supply.uncontrolled();
    }
    assertThat(large.get()).as("staging buffers, one or two for each rank").isBetween(16L, 32L);
  }
}
