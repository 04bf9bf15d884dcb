// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoundsTest {
  @Test
  void subjectsAlternateAndWarmUpDoesNotCount() throws IOException {
    List<String> order = new ArrayList<>();
    int[] calls = {0};
    Map<String, Series> series =
        new Rounds()
            .add(
                "baseline",
                () -> {
                  order.add("b");
                  return 10;
                })
            .add(
                "measured",
                () -> {
                  order.add("m");
                  return calls[0]++;
                })
            .run(1, 3);
    assertThat(String.join("", order)).isEqualTo("mbbmmbbm");
    assertThat(series.get("baseline")).isEqualTo(Series.of(10, 10, 10));
    assertThat(series.get("measured")).isEqualTo(Series.of(1, 2, 3));
  }
}
