// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class HashRatesTest {
  private static final StudiedHash XXH3 = StudiedHash.parse("xxh3-128");
  private static final StudiedHash MD5 = StudiedHash.parse("md5");

  /** A place that remembers what it was asked for; a device computes MD5 alone. */
  private static final class FakePlace implements Place {
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private final boolean device;

    FakePlace(boolean device) {
      this.device = device;
    }

    @Override
    public String name() {
      return device ? "a device, resident" : "a kind of memory";
    }

    @Override
    public boolean usesThreads() {
      return !device;
    }

    @Override
    public boolean computes(StudiedHash hash) {
      return !device || hash == MD5;
    }

    @Override
    public long bytes() {
      return 1 << 20;
    }

    @Override
    public void hash(StudiedHash hash, int block, int thread, int threads) {
      asked.add(hash + " " + block + " " + thread + " of " + threads);
    }
  }

  @Test
  void measuresWhatEachPlaceComputes() throws InterruptedException {
    FakePlace device = new FakePlace(true);
    FakePlace memory = new FakePlace(false);
    List<HashRates.Setting> settings =
        HashRates.settings(
            List.of(XXH3, MD5), List.of(device, memory), List.of(1, 2), List.of(64, 1 << 20));
    assertThat(settings).hasSize(2 + 2 * 2 * 2);
    List<Integer> progress = new ArrayList<>();
    List<HashRates.Measured> measured = HashRates.measure(settings, 1, 2, progress::add);
    assertThat(measured).extracting(HashRates.Measured::setting).isEqualTo(settings);
    assertThat(measured.getFirst().rate().byClock()).isPositive();
    assertThat(measured.getFirst().rate().byProcessor()).isNaN();
    assertThat(measured.getLast().rate().byProcessor()).isPositive();
    assertThat(progress).hasSize(HashRates.passes(settings, 2)).endsWith(30);
    assertThat(device.asked).contains("md5 64 0 of 1", "md5 1048576 0 of 1");
    assertThat(device.asked).noneMatch(asked -> asked.startsWith("xxh3"));
    assertThat(memory.asked).contains("xxh3-128 64 0 of 1", "xxh3-128 64 1 of 2");
  }

  /** Threads share all of the memory, and each byte is hashed by one. */
  @Test
  void threadsShareTheMemory() {
    double[] memory = new double[(5 << 20) / 8 + 100];
    Place place = Place.of("double[]", MemorySegment.ofArray(memory));
    assertThat(place.bytes()).isEqualTo(8L * memory.length);
    for (int thread = 0; thread < 3; thread++) {
      place.hash(XXH3, 4096, thread, 3);
    }
    assertThat(memory[memory.length - 1]).isNotZero();
  }

  @Test
  void whatFailsIsNotMeasured() {
    assertThatThrownBy(
            () ->
                Rate.of(
                    1,
                    2,
                    (thread, _) -> {
                      if (thread == 1) {
                        throw new IllegalArgumentException("lost");
                      }
                    }))
        .hasMessageContaining("failed")
        .hasRootCauseMessage("lost");
  }
}
