// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.progress;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ProgressTest {
  @Test
  @SuppressWarnings("NullAway") // of the context nothing is asked
  void whoStandsStillIsInterruptedAndFails() {
    Progress progress = new Progress(Duration.ofMillis(1));
    progress.beforeEach(null);
    assertThatThrownBy(() -> new CountDownLatch(1).await())
        .isInstanceOf(InterruptedException.class);
    assertThatThrownBy(() -> progress.afterEach(null)).hasMessage("nothing happened for PT0.001S");
  }
}
