// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Random;
import org.cairn.CheckpointFailedException;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.StoreOperation;
import org.junit.jupiter.api.Test;

/** Checkpoints so large that they are forced while they are written. */
class EarlyForceTest {
  private static final int BYTES = 40 << 20;

  private static byte[] state(long seed) {
    byte[] state = new byte[BYTES];
    new Random(seed).nextBytes(state);
    return state;
  }

  private static void assertHolds(CrashingStore store, byte[] expected) {
    byte[] restored = new byte[BYTES];
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults())) {
      cairn.protect("state", restored);
      assertThat(cairn.restart().isRestored()).isTrue();
    }
    assertThat(restored).isEqualTo(expected);
  }

  @Test
  void aFailedEarlyForceLosesNothing() throws IOException {
    CrashingStore store = new CrashingStore(1);
    byte[] state = state(1);
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults())) {
      cairn.protect("state", state);
      cairn.checkpoint();
      byte[] saved = state.clone();
      System.arraycopy(state(2), 0, state, 0, BYTES);
      int before = forces(store);
      store.failForce(1);
      assertThatThrownBy(cairn::checkpoint).isInstanceOf(CheckpointFailedException.class);
      assertThat(forces(store) - before).as("no superblock was written and forced").isLessThan(3);
      assertHolds(store.survivor(7), saved);
      cairn.checkpoint();
      assertHolds(store.survivor(8), state);
    }
  }

  private static int forces(CrashingStore store) {
    return (int)
        store.trace().stream()
            .filter(operation -> operation.kind() == StoreOperation.Kind.FORCE)
            .count();
  }
}
