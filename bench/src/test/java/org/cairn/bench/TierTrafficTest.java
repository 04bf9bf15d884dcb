// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TierTrafficTest {
  @TempDir Path temp;

  @Test
  void littleMoreIsSentThanHasChanged() throws Exception {
    assertThat(TierTraffic.measure(temp, 4, 8 << 20))
        .hasSize(3)
        .allMatch(TierTraffic.Sent::passed)
        .allMatch(traffic -> traffic.sent() >= traffic.copies() * traffic.dirty());
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void tooMuchTrafficIsAMiss() {
    assertThat(new TierTraffic.Sent("", 1000, 2210, 2, 10).passed()).isTrue();
    assertThat(new TierTraffic.Sent("", 1000, 2211, 2, 10).passed()).isFalse();
    assertThat(new TierTraffic.Sent("", 1000, 2200, 2, 10).ratio()).isEqualTo(1.1);
  }
}
