// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WaitLimitTest {
  @Test
  void times() {
    assertThat(WaitLimit.parse("X", "")).isEqualTo(Duration.ofHours(1));
    assertThat(WaitLimit.parse("X", "90")).isEqualTo(Duration.ofSeconds(90));
    assertThat(WaitLimit.parse("X", "90s")).isEqualTo(Duration.ofSeconds(90));
    assertThat(WaitLimit.parse("X", "15 min")).isEqualTo(Duration.ofMinutes(15));
    assertThat(WaitLimit.parse("X", "2h")).isEqualTo(Duration.ofHours(2));
    assertThat(WaitLimit.parse("X", "never")).isZero();
  }

  @Test
  void whatIsNoTimeIsRefusedWithItsPlace() {
    assertThatThrownBy(() -> WaitLimit.parse("CAIRN_WAIT_AT_MOST", "soon"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("CAIRN_WAIT_AT_MOST: \"soon\"")
        .hasMessageContaining("15min");
  }
}
