// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.cairn.bench.aggregate.Ratios.Ratio;
import org.cairn.frame.FrameOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RatiosTest {
  @TempDir Path temp;

  private static Ratio ratio(FrameOrder order, int group, int passes, double ratio) {
    return new Ratio("s", order, group, Ratios.BLOCK, passes, 1, ratio);
  }

  @Test
  void improvementsAreOverTheAgnosticOrderWithOnePassAndTheSameGroup() {
    List<Ratios.Improvement> improvements =
        Ratios.improvements(
            List.of(
                ratio(FrameOrder.AGNOSTIC, 1, 1, 2),
                ratio(FrameOrder.AGNOSTIC, 1, 2, 9),
                ratio(FrameOrder.AGNOSTIC, 32, 1, 4),
                ratio(FrameOrder.AWARE, 1, 2, 3),
                ratio(FrameOrder.AWARE, 32, 2, 5),
                ratio(FrameOrder.AWARE_BLOCK, 1, 2, 2),
                ratio(FrameOrder.AWARE_BLOCK, 32, 2, 5)));

    assertThat(improvements)
        .containsExactly(
            new Ratios.Improvement(
                "s", FrameOrder.AWARE_BLOCK, new Ratios.Gain(25, 32), new Ratios.Gain(0, 1)),
            new Ratios.Improvement(
                "s", FrameOrder.AWARE, new Ratios.Gain(50, 1), new Ratios.Gain(25, 32)));
  }

  @Test
  void tablesThatAllHaveAreStoredOnceInAGroup() throws IOException {
    CheckpointSet files = new GeneratedSets(temp).write("tables", 4, 8192, 1, 3).getFirst();
    try (LoadedSet set = LoadedSet.of(files)) {
      List<Ratio> grid = Ratios.grid(set);
      double alone = aware(grid, 1);
      assertThat(aware(grid, 4)).isGreaterThan(2 * alone);
    }
  }

  private static double aware(List<Ratio> grid, int group) {
    return grid.stream()
        .filter(one -> one.order() == FrameOrder.AWARE && one.passes() == 2)
        .filter(one -> one.group() == group)
        .findFirst()
        .orElseThrow()
        .ratio();
  }

  @Test
  void noiseIsNoise() throws IOException {
    byte[] noise = new GeneratedSets(temp).write("noise", 1, 8192, 1, 3).getFirst().concatenated();

    assertThat(Rivals.gzip(noise, noise.length)).isGreaterThanOrEqualTo(noise.length);
    byte[] compressed = Rivals.zstd(noise);
    byte[] back = new byte[noise.length];
    Rivals.expand(compressed, back);
    assertThat(back).isEqualTo(noise);
  }
}
