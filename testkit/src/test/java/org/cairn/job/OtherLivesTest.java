// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.restart.RestartRequest;
import org.cairn.store.MemoryStore;
import org.junit.jupiter.api.Test;

class OtherLivesTest {
  private static final String FIRST = "rank0.cairn";
  private static final Options PRUNING = Options.defaults().pruneOthersAfter(Duration.ofDays(1));

  private final MemoryStore store = new MemoryStore();

  private void start(Options options, RestartRequest request, boolean saves) {
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      cairn.protect("number", 7L);
      cairn.restart(request);
      if (saves) {
        cairn.checkpoint();
      }
    }
  }

  @Test
  void whatIsPastGoesOnlyIfTheProgramAllowsIt() throws IOException {
    start(Options.defaults(), RestartRequest.newest(), true);
    start(PRUNING, RestartRequest.beginAnew(), true);
    assertThat(store.exists(FIRST)).as("young, and not past before this start").isTrue();
    start(Options.defaults(), RestartRequest.newest(), true);
    assertThat(store.exists(FIRST)).as("past, but nobody allowed it").isTrue();
    start(PRUNING, RestartRequest.newest(), false);
    assertThat(store.exists(FIRST)).as("past, and allowed").isFalse();
    start(Options.defaults(), RestartRequest.newest(), true);
  }

  @Test
  void whatIsOldGoesThoughItIsNotPast() throws IOException {
    start(Options.defaults(), RestartRequest.newest(), true);
    Options impatient = Options.defaults().pruneOthersAfter(Duration.ofNanos(1));
    start(impatient, RestartRequest.beginAnew(), true);
    assertThat(store.exists(FIRST)).isFalse();
    start(Options.defaults(), RestartRequest.newest(), false);
  }
}
