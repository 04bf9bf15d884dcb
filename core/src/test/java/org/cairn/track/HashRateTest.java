// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class HashRateTest {
  private static final long ALL = 512L << 20;
  private final HashRate rate = new HashRate();

  @Test
  void whatWasJustWrittenIsInACacheAndSaysNothing() {
    rate.observe(ALL / 10, ALL / 10 * 0.01, ALL);
    assertThat(rate.isKnown()).isFalse();
    rate.observe(ALL, ALL * 0.06, ALL);
    rate.observe(ALL / 10, ALL / 10 * 0.01, ALL);
    assertThat(rate.nanosPerByte()).isEqualTo(0.06, within(1e-9));
  }

  @Test
  void oneMeasureMayBeOfAProcessThatWasCold() {
    rate.observe(ALL, ALL * 0.24, ALL);
    assertThat(rate.leastNanosPerByte()).isLessThan(rate.nanosPerByte() / 2);
    rate.observe(ALL, ALL * 0.06, ALL);
    assertThat(rate.nanosPerByte()).isEqualTo(0.06, within(1e-9));
    assertThat(rate.leastNanosPerByte()).isEqualTo(rate.nanosPerByte());
  }

  @Test
  void oneSlowMeasureDoesNotCount() {
    rate.observe(ALL, ALL * 0.06, ALL);
    rate.observe(ALL, ALL * 0.9, ALL);
    assertThat(rate.nanosPerByte()).isLessThan(0.07);
  }
}
