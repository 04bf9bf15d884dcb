// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ConcurrentModificationException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.cairn.store.MemoryStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A program that writes to protected memory while a checkpoint is taken. */
@Timeout(120)
class MovingMemoryTest {
  /** Many more than are needed: nearly every checkpoint meets a change. */
  private static final int ATTEMPTS = 2_000;

  @ParameterizedTest
  @EnumSource(
      value = Codec.class,
      names = {"NONE", "LZ4"})
  void whatChangesWhileItIsSavedIsNoVersion(Codec codec) throws Exception {
    MemoryStore store = new MemoryStore();
    Options options =
        Options.defaults().blockSize(4096).threads(1).strategy(Strategy.DIFFERENTIAL).retain(3);
    long[] u = new Random(1).longs(1 << 17).toArray();
    int refused = 0;
    int taken = 0;
    AtomicBoolean over = new AtomicBoolean();
    Thread mutator = Thread.ofPlatform().daemon().unstarted(() -> change(u, over));
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      cairn.protect("u", u).codec(codec);
      cairn.checkpoint();
      mutator.start();
      for (int i = 0; i < ATTEMPTS && (refused < 3 || taken < 1); i++) {
        try {
          cairn.checkpoint();
          taken++;
        } catch (CheckpointFailedException e) {
          assertThat(e).hasRootCauseInstanceOf(ConcurrentModificationException.class);
          assertThat(e.getMessage()).contains("block ", "\"u\"", "changed while it was saved");
          refused++;
          Thread.sleep(refused % 3); // now and then it should come through
        }
        over.set(refused >= 3);
      }
      over.set(true);
      mutator.join();
      cairn.checkpoint();
    }
    assertThat(refused).as("nothing was noticed").isPositive();
    long[] expected = u.clone();
    long[] again = new long[u.length];
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      cairn.protect("u", again).codec(codec);
      RestartReport report = cairn.restart();
      assertThat(report.problems()).isEmpty();
    }
    assertThat(again).isEqualTo(expected);
  }

  /**
   * Of what was never saved nothing is compared with what was; it is looked at twice all the same.
   */
  @Test
  void whatChangesWhileItIsSavedForTheFirstTimeIsNoVersion() throws Exception {
    Options options = Options.defaults().blockSize(4096).threads(1);
    long[] u = new Random(1).longs(1 << 17).toArray();
    AtomicBoolean over = new AtomicBoolean();
    Thread mutator = Thread.ofPlatform().daemon().unstarted(() -> change(u, over));
    mutator.start();
    int refused = 0;
    for (int i = 0; i < ATTEMPTS && refused < 3; i++) {
      MemoryStore store = new MemoryStore();
      try (Checkpointer cairn = Checkpointer.open(store, options)) {
        cairn.protect("u", u);
        cairn.checkpoint();
      } catch (CheckpointFailedException e) {
        assertThat(e).hasRootCauseInstanceOf(ConcurrentModificationException.class);
        assertThat(e.getMessage()).contains("block ", "\"u\"", "changed while it was saved");
        refused++;
        continue;
      }
      try (Checkpointer cairn = Checkpointer.open(store, options)) {
        cairn.protect("u", new long[u.length]);
        assertThat(cairn.restart().problems()).isEmpty();
      }
    }
    over.set(true);
    mutator.join();
    assertThat(refused).as("nothing was noticed").isPositive();
  }

  private static void change(long[] u, AtomicBoolean over) {
    long n = 0;
    while (!over.get()) {
      for (int i = 0; i < u.length; i += 61) {
        u[i] = ++n;
      }
    }
  }
}
