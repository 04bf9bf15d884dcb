// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.job.DeltaCost.Cost;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One dirty block costs a tier the same, however large the state is. */
@Tag("slow")
class DeltaCostTest {
  private static final Logger LOG = LoggerFactory.getLogger(DeltaCostTest.class);
  private static final int SMALL = DeltaCost.SMALL;
  private static final int LARGE = 32 << 20;
  private static final int CHECKPOINTS = 68;

  /** Of the partner tier, whose containers write maps as others do. */
  private static final int FEW = 16;

  /** A whole index takes a digest a block. */
  private static long mapBytes(int bytes) {
    return 16L * bytes / DeltaCost.BLOCK;
  }

  private static List<Cost> shared(int bytes) throws IOException {
    return shared(bytes, 2);
  }

  private static List<Cost> shared(int bytes, int retain) throws IOException {
    return DeltaCost.measure(
        TierKind.SHARED,
        tiers -> tiers.sharedGroup(2).sharedRetain(retain).leaseRest(Duration.ofHours(1)),
        bytes,
        CHECKPOINTS);
  }

  @Test
  void ofTheSharedTier() throws IOException {
    List<Cost> small = shared(SMALL);
    List<Cost> large = shared(LARGE);
    assertThat(wholeMaps(large, LARGE)).isEqualTo(wholeMaps(small, SMALL));
    compare("shared read", small, large, cost -> cost.shared().read());
    assertThat(mean(large, LARGE, cost -> cost.shared().read()))
        .as("manifests, and the ends of segments that are not known yet")
        .isLessThan(32_000);
    compare("shared written", small, large, cost -> cost.shared().written());
    compare("local read", small, large, cost -> cost.local().read());
    for (int number : wholeMaps(large, LARGE)) {
      assertThat(large.get(number).shared().written())
          .as("checkpoint %d, which writes the map", number)
          .isLessThan((long) (1.1 * (mapBytes(LARGE) + mapBytes(SMALL))));
    }
  }

  /** However few versions are kept: what is linked to is no version's. */
  @Test
  void ofTheSharedTierWhateverItKeeps() throws IOException {
    List<Cost> one = shared(SMALL, 1);
    List<Cost> three = shared(SMALL, 3);
    assertThat(wholeMaps(one, SMALL)).hasSize(1).isEqualTo(wholeMaps(three, SMALL));
    double written = mean(one, SMALL, cost -> cost.shared().written());
    assertThat(mean(three, SMALL, cost -> cost.shared().written()))
        .as("bytes written with three versions kept in place of one")
        .isBetween(0.9 * written, 1.1 * written)
        .isLessThan(mapBytes(SMALL) / 4.0);
  }

  /** Containers of the ranks and copies of them, together. */
  @Test
  void ofThePartnerTier() throws IOException {
    List<Cost> small = withoutMaps(SMALL);
    List<Cost> large = withoutMaps(LARGE);
    compare("partner read", small, large, cost -> cost.local().read());
    compare("partner written", small, large, cost -> cost.local().written());
  }

  /** What is dirty still lies in memory: however much it is, it is not read back. */
  @Test
  void dirtyBlocksAreNotReadBack() throws IOException {
    int dirty = SMALL / DeltaCost.BLOCK / 10;
    long bytes = (long) dirty * DeltaCost.BLOCK * DeltaCost.RANKS;
    assertThat(localReads(TierKind.PARTNER, tiers -> tiers.partner(1), dirty))
        .as("partner, of %d dirty bytes", bytes)
        .isLessThan(bytes / 10);
    assertThat(
            localReads(
                TierKind.SHARED,
                tiers -> tiers.sharedGroup(2).sharedRetain(2).leaseRest(Duration.ofHours(1)),
                dirty))
        .as("shared, of %d dirty bytes", bytes)
        .isLessThan(bytes / 10);
  }

  private static double localReads(TierKind tier, UnaryOperator<Tiers> tiers, int dirty)
      throws IOException {
    double mean =
        DeltaCost.measure(tier, tiers, SMALL, 5, dirty).stream()
            .skip(1)
            .mapToLong(cost -> cost.local().read())
            .average()
            .orElseThrow();
    LOG.info("{} reads {} bytes from containers for {} dirty blocks", tier, (long) mean, dirty);
    return mean;
  }

  private static List<Cost> withoutMaps(int bytes) throws IOException {
    List<Cost> costs = DeltaCost.measure(TierKind.PARTNER, tiers -> tiers.partner(1), bytes, FEW);
    List<Cost> ordinary =
        costs.stream().filter(cost -> cost.local().written() < mapBytes(SMALL) / 2).toList();
    assertThat(ordinary)
        .as("the first writes all; then each rank and each copy writes a map, once in 64")
        .hasSizeGreaterThanOrEqualTo(FEW - 1 - 4);
    return ordinary;
  }

  /** The checkpoints that write a whole map, apart from the first, which brings everything. */
  private static List<Integer> wholeMaps(List<Cost> costs, int bytes) {
    List<Integer> found =
        IntStream.range(1, CHECKPOINTS)
            .filter(i -> costs.get(i).shared().written() > mapBytes(bytes))
            .boxed()
            .toList();
    assertThat(found).as("at most one of 64").hasSizeLessThanOrEqualTo(CHECKPOINTS / 64);
    return found;
  }

  /** Compares what checkpoints cost that write no map, neither here nor in the container. */
  private static void compare(
      String what, List<Cost> small, List<Cost> large, ToLongFunction<Cost> bytes) {
    double one = mean(small, SMALL, bytes);
    double other = mean(large, LARGE, bytes);
    LOG.info("{} bytes a checkpoint: {} of 2 MiB, {} of 32 MiB", what, (long) one, (long) other);
    assertThat(other).as(what).isBetween(0.9 * one, 1.1 * one).isLessThan(mapBytes(LARGE) / 8);
  }

  private static double mean(List<Cost> costs, int size, ToLongFunction<Cost> bytes) {
    return costs.stream()
        .skip(1)
        .filter(cost -> cost.shared().written() <= mapBytes(size))
        .mapToLong(bytes)
        .average()
        .orElseThrow();
  }
}
