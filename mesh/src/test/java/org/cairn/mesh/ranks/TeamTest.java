// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Parts are done once each, however long nobody had anything to do. */
class TeamTest {
  private static final int ROUNDS = 20_000;

  private static void requireRounds(Team team, int rounds, boolean wakes) {
    AtomicIntegerArray done = new AtomicIntegerArray(team.threads());
    for (int round = 0; round < rounds; round++) {
      team.run(wakes, done::incrementAndGet);
      for (int part = 0; part < team.threads(); part++) {
        assertThat(done.get(part)).isEqualTo(round + 1);
      }
    }
  }

  @Test
  void allPartsAreDoneWhenItReturns() {
    for (int threads = 1; threads <= 3; threads++) {
      try (Team team = new Team(threads)) {
        requireRounds(team, ROUNDS / (threads * threads), true);
        requireRounds(team, ROUNDS / (threads * threads), false);
      }
    }
  }

  /** Work comes when helpers sleep, or are about to. */
  @Test
  void sleepersAreWoken() {
    try (Team team = new Team(3)) {
      for (int time = 0; time < 50; time++) {
        LockSupport.parkNanos(time * 10_000L);
        requireRounds(team, 3, time % 3 > 0);
      }
    }
  }

  @Test
  void aPartThatFailsIsToldAndTheOthersAreDone() {
    try (Team team = new Team(2)) {
      for (int failing = 0; failing < 2; failing++) {
        int bad = failing;
        AtomicIntegerArray done = new AtomicIntegerArray(2);
        assertThatThrownBy(
                () ->
                    team.run(
                        bad == 0,
                        part -> {
                          if (part == bad) {
                            throw new IllegalStateException("part " + part);
                          }
                          done.incrementAndGet(part);
                        }))
            .hasMessage("part " + bad);
        assertThat(done.get(1 - bad)).isEqualTo(1);
        requireRounds(team, 2, bad == 0);
      }
    }
  }

  /** Nobody waits for a helper that has no core, or sleeps and is not woken. */
  @Test
  void theCallerDoesWhatNobodyHasBegun() {
    try (Team team = new Team(2)) {
      LockSupport.parkNanos(50_000_000); // it has long been asleep
      Thread[] by = new Thread[2];
      team.run(false, part -> by[part] = Thread.currentThread());
      assertThat(by).containsOnly(Thread.currentThread());
      team.run(
          true,
          part -> {
            by[part] = Thread.currentThread();
            while (part == 0 && by[1] == null) {
              Thread.onSpinWait(); // until the helper was woken and has come
            }
          });
    }
  }
}
