// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Optional;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.RestartRequest;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.store.AskingStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A restart that fails leaves everything as it was: the run goes on, and no lock stays behind. */
@Timeout(60)
class FailedRestartTest {
  private final MemoryStore disk = new MemoryStore();
  private final double[] u = new double[100];

  /** The call of the store that fails. */
  private Optional<String> denied = Optional.empty();

  private void ask(String call, @Nullable Object about) throws IOException {
    if (denied.filter(call::equals).isPresent()) {
      throw new IOException("denied: " + call);
    }
  }

  private Checkpointer open() {
    Checkpointer cairn = Checkpointer.open(new AskingStore(disk, this::ask), Options.defaults());
    cairn.protect("u", u);
    return cairn;
  }

  /** A run that has saved 1, has gone on to 2, and cannot begin anew. */
  private Checkpointer afterFailure(String call) {
    Checkpointer cairn = open();
    u[0] = 1;
    cairn.checkpoint();
    u[0] = 2;
    denied = Optional.of(call);
    assertThatThrownBy(() -> cairn.restart(RestartRequest.beginAnew()))
        .hasMessageContaining("denied: " + call);
    denied = Optional.empty();
    assertThat(u[0]).isEqualTo(2);
    return cairn;
  }

  private double restored() {
    try (Checkpointer next = open()) {
      u[0] = 0;
      next.restart();
      return u[0];
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"rename", "force", "write", "lock"})
  void aRunThatCouldNotBeginAnewGoesOn(String call) {
    try (Checkpointer cairn = afterFailure(call)) {
      cairn.checkpoint();
    }
    assertThat(restored()).isEqualTo(2);
  }

  @Test
  void whatWasOnlyReadAfterwardsIsLetGoOf() {
    try (Checkpointer cairn = afterFailure("rename")) {
      cairn.restart(RestartRequest.newest().only("u"));
      assertThat(u[0]).isEqualTo(1);
    }
    assertThat(restored()).as("by another process").isEqualTo(1);
  }

  @Test
  void afterwardsItCanBeginAnew() {
    try (Checkpointer cairn = afterFailure("rename")) {
      cairn.restart(RestartRequest.beginAnew());
      u[0] = 3;
      cairn.checkpoint();
    }
    assertThat(restored()).isEqualTo(3);
  }

  /** The name of the container is free then, and the lock of it is this process's own. */
  @Test
  void itBeginsAnewAlsoIfItsContainerWasDeleted() throws IOException {
    try (Checkpointer cairn = open()) {
      u[0] = 1;
      cairn.checkpoint();
      disk.delete(Checkpointer.containerName(0));
      cairn.restart(RestartRequest.beginAnew());
      u[0] = 4;
      cairn.checkpoint();
    }
    assertThat(restored()).isEqualTo(4);
  }

  /** A run that has saved nothing begins again in the container that it has open. */
  @Test
  void whatNeverSavedBeginsAgainInItsOwnContainer() {
    try (Checkpointer cairn = open()) {
      cairn.restart();
      cairn.restart();
      u[0] = 5;
      cairn.checkpoint();
    }
    assertThat(restored()).isEqualTo(5);
  }
}
