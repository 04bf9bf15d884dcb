// SPDX-License-Identifier: Apache-2.0
package org.cairn.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.cairn.StuckException;
import org.junit.jupiter.api.Test;

class ActivityTest {
  private final Activity activity = new Activity();

  @Test
  void aProgramComputesUntilItLooksInVain() {
    assertThat(activity.isSeen()).isTrue();
    activity.waits();
    assertThat(activity.isSeen()).isFalse();
    activity.works();
    assertThat(activity.isSeen()).as("it began something").isTrue();
  }

  @Test
  void aMessageIsASignOfLifeOnce() {
    activity.progresses();
    activity.waits();
    assertThat(activity.isSeen()).isTrue();
    assertThat(activity.isSeen()).isFalse();
  }

  @Test
  void aProgramThatComputesCountsWhileATierWaits() throws Exception {
    inTask(() -> assertThat(activity.isSeen()).isTrue(), true);
  }

  @Test
  void whoRestsWhileATierWorksDoesNotWait() throws Exception {
    try (Activity.Rest _ = activity.rest()) {
      inTask(() -> assertThat(activity.isSeen()).isTrue(), false);
    }
  }

  @Test
  void whoRestsWhileATierWaitsWaits() throws Exception {
    try (Activity.Rest _ = activity.rest()) {
      inTask(() -> assertThat(activity.isSeen()).isFalse(), true);
      try (Activity.Rest _ = activity.rest()) {
        assertThat(activity.isSeen()).as("counted once").isFalse();
      }
      inTask(() -> assertThat(activity.isSeen()).as("one at work").isTrue(), false);
    }
    assertThat(activity.isSeen()).isTrue();
  }

  /** A look in vain, and then a wait for a tier: not two that wait. */
  @Test
  void whoRestsAfterALookInVainCountsOnce() throws Exception {
    activity.waits();
    try (Activity.Rest _ = activity.rest()) {
      inTask(() -> assertThat(activity.isSeen()).isTrue(), false);
    }
  }

  @Test
  void afterTheEndNobodyWaits() {
    activity.end("rank 3 is silent");
    assertThatThrownBy(activity::waits)
        .isInstanceOf(StuckException.class)
        .hasMessage("rank 3 is silent");
  }

  /** Checks while a task of another thread waits, or works. */
  private void inTask(Runnable check, boolean waiting) throws InterruptedException {
    Throwable[] failure = new Throwable[1];
    Thread thread =
        new Thread(
            activity.task(
                () -> {
                  if (waiting) {
                    activity.waits();
                  }
                  try {
                    check.run();
                  } catch (AssertionError e) {
                    failure[0] = e;
                  }
                }));
    thread.start();
    thread.join();
    assertThat(failure[0]).isNull();
  }
}
