// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StretchesTest {
  private final Stretches stretches = new Stretches();

  @Test
  void whatWasAddedIsMetAndNothingElse() {
    stretches.add(10, 20);
    stretches.add(40, 50);
    assertThat(stretches.meet(0, 10)).isFalse();
    assertThat(stretches.meet(0, 11)).isTrue();
    assertThat(stretches.meet(12, 13)).isTrue();
    assertThat(stretches.meet(20, 40)).isFalse();
    assertThat(stretches.meet(19, 41)).isTrue();
    assertThat(stretches.meet(50, 60)).isFalse();
  }

  @Test
  void stretchesThatMeetBecomeOne() {
    stretches.add(10, 20);
    stretches.add(30, 40);
    stretches.add(60, 70);
    stretches.add(15, 35);
    stretches.add(12, 18);
    assertThat(stretches.meet(20, 30)).isTrue();
    assertThat(stretches.meet(40, 60)).isFalse();
    stretches.add(0, 100);
    assertThat(stretches.meet(99, 200)).isTrue();
    assertThat(stretches.meet(100, 200)).isFalse();
  }

  @Test
  void whatIsTakenOutIsMetNoMore() {
    stretches.add(10, 20);
    stretches.add(30, 40);
    stretches.add(50, 60);
    stretches.remove(15, 52);
    assertThat(stretches.meet(15, 52)).isFalse();
    assertThat(stretches.meet(14, 15)).isTrue();
    assertThat(stretches.meet(52, 53)).isTrue();
    stretches.remove(0, 100);
    assertThat(stretches.meet(0, 100)).isFalse();
    stretches.add(0, 100);
    stretches.remove(40, 60);
    assertThat(stretches.meet(39, 40)).isTrue();
    assertThat(stretches.meet(40, 60)).isFalse();
    assertThat(stretches.meet(60, 61)).isTrue();
  }
}
