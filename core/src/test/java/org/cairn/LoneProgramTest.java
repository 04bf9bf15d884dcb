// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program of one rank goes the way of a job of many, and does not pay for the others. */
class LoneProgramTest {
  private final MemoryStore store = new MemoryStore();
  private final MemoryStore shared = new MemoryStore();

  private Options options(boolean withTier) {
    return withTier ? Options.defaults().tiers(Tiers.none().shared(shared, 1)) : Options.defaults();
  }

  private static boolean isAgreementThread(Thread thread) {
    return thread.getName().equals("cairn-agreement");
  }

  private static boolean hasAgreementThread() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(LoneProgramTest::isAgreementThread);
  }

  /** With a tier there is one: so this would be seen. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nobodyToAgreeWithNeedsNoThreadForIt(boolean withTier) {
    try (Checkpointer cairn = Checkpointer.open(store, options(withTier))) {
      cairn.protect("u", new double[10]);
      cairn.checkpoint();
      assertThat(hasAgreementThread()).isEqualTo(withTier);
    }
  }

  private String log() throws IOException {
    try (StoreFile file = store.open("events.jsonl", Store.Access.READ)) {
      byte[] bytes = new byte[(int) file.size()];
      file.read(0, MemorySegment.ofArray(bytes));
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatTheProgramCannotSaveIsAFailureInTheLog(boolean withTier) throws IOException {
    try (Checkpointer cairn = Checkpointer.open(store, options(withTier))) {
      Optional<byte[]> state = Optional.empty();
      cairn.protectOpaque("state", state::orElseThrow, loaded -> {});
      assertThatThrownBy(cairn::checkpoint).isInstanceOf(RuntimeException.class);
      cairn.unprotect("state");
      cairn.protect("u", new double[10]);
      cairn.checkpoint();
    }
    assertThat(log()).contains("\"checkpointFailed\"").doesNotContain("checkpointAborted");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSingleRankIsToldToProtectFirst(boolean withTier) {
    try (Checkpointer cairn = Checkpointer.open(store, options(withTier))) {
      cairn.protect("u", new double[10]);
      cairn.checkpoint();
    }
    try (Checkpointer cairn = Checkpointer.open(store, options(withTier))) {
      assertThatThrownBy(cairn::restart)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("call protect() first");
    }
  }

  @Test
  void goesOnWithOrWithoutTiers() {
    double[] u = new double[10];
    try (Checkpointer cairn = Checkpointer.open(store, options(true))) {
      cairn.protect("u", u);
      u[3] = 7;
      cairn.checkpoint();
    }
    u[3] = 0;
    try (Checkpointer cairn = Checkpointer.open(store, options(false))) {
      cairn.protect("u", u);
      RestartReport report = cairn.restart();
      assertThat(report.isRestored()).isTrue();
      assertThat(u[3]).isEqualTo(7);
    }
  }
}
