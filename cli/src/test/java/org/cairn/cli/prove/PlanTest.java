// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.Tiers;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Where programs are killed, and what they lose. */
class PlanTest {
  private static final Losses ALONE = Losses.of(1, Tiers.none().toString());

  private static Seen seen(int rank, String json) {
    return new Seen(rank, Path.of("rank" + rank), JsonMapper.shared().readTree(json));
  }

  @SeededTest(seeds = 20)
  void theSameSeedPlansTheSame(long seed) {
    Losses losses = Losses.of(4, Tiers.none().partner(1).erasure(2).toString());

    List<Strike> plan = Strike.plan(seed, 10, losses);

    assertThat(plan).isEqualTo(Strike.plan(seed, 10, losses)).hasSizeBetween(1, 2);
    assertThat(plan.getFirst().place().after()).isBetween(1, 9);
    assertThat(plan).allMatch(strike -> strike.rank() < 4);
  }

  @SeededTest(seeds = 20)
  void seedsThatFollowEachOtherTakeAllKinds(long seed) {
    Set<Place.Kind> kinds = new HashSet<>();
    for (int i = 0; i < 3; i++) {
      kinds.add(Strike.plan(seed + i, 10, ALONE).getFirst().place().kind());
    }
    assertThat(kinds).hasSize(3);
  }

  @SeededTest(seeds = 5)
  void thereIsSomethingToRestore(long seed) {
    Strike only = Strike.plan(seed, 1, ALONE).getFirst();

    assertThat(only.place().kind()).isEqualTo(Place.Kind.SHORTLY_AFTER);
    assertThat(only.place().after()).isEqualTo(1);
  }

  @Test
  void tiersSayWhatMayBeLost() {
    assertThat(ALONE.byTier()).isEmpty();
    assertThat(Losses.of(4, Tiers.none().toString()).byTier()).isEmpty();
    assertThat(Losses.of(4, Tiers.none().partner(1).toString()).byTier())
        .containsOnlyKeys("partner")
        .containsEntry("partner", 1);
    assertThat(Losses.of(8, Tiers.none().erasure(1).group(8, 3).toString()).byTier())
        .containsEntry("erasure", 3);
    assertThat(Losses.of(3, Tiers.none().erasure(1).toString()).byTier())
        .containsEntry("erasure", 1);
    assertThat(Losses.of(5, Tiers.none().shared(new MemoryStore(), 2).toString()).byTier())
        .containsEntry("shared", 5);
  }

  @Test
  void nothingIsLostThatATierDoesNotHaveOfAllRanks() {
    Losses.Loss loss = new Losses.Loss("partner", new TreeSet<>(Set.of(1)));
    String tier = "{\"event\":\"tier\",\"tier\":\"partner\",\"version\":\"1.%d\"}";
    Seen first = seen(0, tier.formatted(2));

    assertThat(loss.isBearable(2, List.of(first))).isFalse();
    assertThat(loss.isBearable(2, List.of(first, seen(1, tier.formatted(3))))).isFalse();
    assertThat(loss.isBearable(2, List.of(first, seen(1, tier.formatted(2))))).isTrue();
    assertThat(Losses.Loss.NONE.isBearable(1, List.of(first))).isFalse();
  }

  @Test
  void theLogTellsWhenAPlaceIsReached() {
    Seen restart = seen(0, "{\"event\":\"restart\",\"version\":\"1.1\"}");
    Seen began = seen(0, "{\"event\":\"checkpointBegan\",\"time\":\"2026-01-01T00:00:00.010Z\"}");
    Seen durable = seen(0, "{\"event\":\"checkpoint\",\"time\":\"2026-01-01T00:00:00.030Z\"}");
    Seen next = seen(0, "{\"event\":\"checkpointBegan\",\"time\":\"2026-01-01T00:00:00.130Z\"}");
    Place in = new Place(Place.Kind.IN, 1, .5);
    Place between = new Place(Place.Kind.BETWEEN, 1, .5);
    Place atOnce = new Place(Place.Kind.SHORTLY_AFTER, 0, .5);

    assertThat(in.isReached(List.of(began, durable))).isFalse();
    assertThat(in.isReached(List.of(began, durable, next))).isTrue();
    assertThat(between.isReached(List.of(began))).isFalse();
    assertThat(between.isReached(List.of(began, durable))).isTrue();
    assertThat(atOnce.isReached(List.of())).isFalse();
    assertThat(atOnce.isReached(List.of(restart))).isTrue();

    Rhythm rhythm = Rhythm.of(List.of(began, durable, next));
    assertThat(rhythm).isEqualTo(new Rhythm(1, Duration.ofMillis(20), Duration.ofMillis(100)));
    assertThat(in.wait(rhythm)).isEqualTo(Duration.ofMillis(10));
    assertThat(between.wait(rhythm)).isEqualTo(Duration.ofMillis(50));
    assertThat(atOnce.wait(rhythm)).isLessThan(Duration.ofMillis(5));
  }
}
