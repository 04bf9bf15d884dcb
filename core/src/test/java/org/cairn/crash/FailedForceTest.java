// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.cairn.CheckpointFailedException;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.RestartRequest;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.SimulatedCrash;
import org.cairn.testkit.store.Survival;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * After a failed force nobody knows what is durable, and no later force tells. The container
 * refuses everything until it is opened again; the checkpointer does so by itself; nothing is lost.
 */
class FailedForceTest {
  private static final int BYTES = 50_000;
  private static final Options OPTIONS = Options.defaults().threads(1).buffer(2 << 20);

  private final CrashingStore store = new CrashingStore(4711);
  private final byte[] state = new byte[BYTES];

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void containerRefusesEverythingUntilItIsOpenedAgain(int force) throws IOException {
    try (Container container = TestRun.open(store, Containers.NAME, 2)) {
      VersionInfo first = container.begin(Instant.now()).publish();
      Commit second = container.begin(Instant.now());
      store.failForce(force);
      assertThatThrownBy(second::publish).isInstanceOf(IOException.class);
      second.abort();
      assertThat(container.isBroken()).isTrue();
      assertRefused(() -> container.begin(Instant.now()));
      assertRefused(() -> container.view(first));
      assertRefused(() -> container.continueFrom(first));
    }
    try (Container container = TestRun.open(store, Containers.NAME, 2)) {
      assertThat(container.isBroken()).isFalse();
      assertThat(container.begin(Instant.now()).publish().id().epoch()).isEqualTo(2);
    }
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("must be opened again")
        .hasCauseInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void checkpointerOpensAgainByItself(int force) throws IOException {
    try (Checkpointer cairn = open(store)) {
      checkpoint(cairn, 1);
      store.failForce(force);
      assertThatThrownBy(() -> checkpoint(cairn, 2)).isInstanceOf(CheckpointFailedException.class);
      checkpoint(cairn, 3);
      assertThat(cairn.versions().getFirst().id().epoch()).isEqualTo(1);
    }
    assertThat(restarted(store.survivor(Survival.LOSE_ALL))).isEqualTo(3);
  }

  @Test
  void checkpointerTriesAgainUntilItCanOpen() throws IOException {
    try (Checkpointer cairn = open(store)) {
      checkpoint(cairn, 1);
      store.failForce(1);
      assertThatThrownBy(() -> checkpoint(cairn, 2)).isInstanceOf(CheckpointFailedException.class);
      for (int attempt = 0; attempt < 3; attempt++) {
        store.failForce(1 + attempt);
        assertThatThrownBy(() -> checkpoint(cairn, 3))
            .isInstanceOf(CheckpointFailedException.class)
            .hasMessageContaining("cannot start");
      }
      checkpoint(cairn, 4);
    }
    assertThat(restarted(store.survivor(Survival.LOSE_ALL))).isEqualTo(4);
  }

  @Test
  void checkpointerThatCouldNotOpenAgainCanBeClosed() {
    Checkpointer cairn = open(store);
    checkpoint(cairn, 1);
    store.failForce(1);
    assertThatThrownBy(() -> checkpoint(cairn, 2)).isInstanceOf(CheckpointFailedException.class);
    store.failForce(1);
    assertThatThrownBy(() -> checkpoint(cairn, 3)).isInstanceOf(CheckpointFailedException.class);
    cairn.close();
    try (Checkpointer next = open(store)) {
      next.restart();
      assertThat(state[0]).isEqualTo((byte) 1);
    }
  }

  @Test
  void containerWhoseCreationFailedIsCreatedAgain() throws IOException {
    for (int force = 1; force <= 4; force++) {
      CrashingStore fresh = new CrashingStore(force);
      fresh.failForce(force);
      try (Checkpointer cairn = open(fresh)) {
        assertThatThrownBy(cairn::restart).isInstanceOf(CheckpointFailedException.class);
      }
      try (Checkpointer cairn = open(fresh)) {
        checkpoint(cairn, 1);
      }
      assertThat(restarted(fresh.survivor(Survival.LOSE_ALL))).isEqualTo(1);
    }
  }

  /** A restart from an older version still holds when the container had to be opened again. */
  @Test
  void staysOnTheCourseThatARestartSet() {
    try (Checkpointer cairn = open(store)) {
      checkpoint(cairn, 1);
      checkpoint(cairn, 2);
      VersionInfo first = cairn.versions().getLast();
      cairn.restart(RestartRequest.newest().version(first.id()));
      store.failForce(1);
      assertThatThrownBy(() -> checkpoint(cairn, 3)).isInstanceOf(CheckpointFailedException.class);
      checkpoint(cairn, 4);
      assertThat(cairn.versions()).hasSize(2).last().isEqualTo(first);
    }
  }

  /** The force of a superblock fails, the program goes on, and dies at any operation after. */
  @SeededTest(seeds = 4)
  void nothingIsLostIfTheProgramDiesLater(Random random) throws IOException {
    boolean ended = false;
    for (int operation = 1; !ended; operation++) {
      CrashingStore disk = new CrashingStore(random.nextLong());
      int force = 1 + random.nextInt(2);
      Set<Integer> possible = new TreeSet<>(force == 1 ? List.of(1) : List.of(1, 2));
      ended = goOnAfterFailure(disk, force, operation, possible);
      for (int i = 0; i < 12; i++) {
        CrashingStore survivor = i == 0 ? disk.afterKill() : disk.survivor(random);
        assertThat(restarted(survivor)).as("%s at %d", survivor, operation).isIn(possible);
      }
    }
  }

  private boolean goOnAfterFailure(
      CrashingStore disk, int force, int operation, Set<Integer> possible) {
    Checkpointer cairn = open(disk);
    try {
      checkpoint(cairn, 1);
      disk.failForce(force);
      assertThatThrownBy(() -> checkpoint(cairn, 2)).isInstanceOf(CheckpointFailedException.class);
      long before = disk.operations();
      disk.crashAt(operation);
      boolean done = checkpointOrDie(cairn, 3);
      if (done) {
        possible.clear();
      }
      if (done || superblocksSince(disk, before) > 2) {
        possible.add(3);
      }
      return done;
    } finally {
      closeQuietly(cairn);
    }
  }

  /** Opening writes two: the one that was found, and the new epoch. The third is the commit's. */
  private static long superblocksSince(CrashingStore disk, long before) {
    return disk.trace().stream().skip(before).filter(Containers::isSuperblockWrite).count();
  }

  private boolean checkpointOrDie(Checkpointer cairn, int value) {
    try {
      checkpoint(cairn, value);
      return true;
    } catch (SimulatedCrash | CheckpointFailedException e) {
      return false;
    }
  }

  private static void closeQuietly(Checkpointer cairn) {
    try {
      cairn.close();
    } catch (CheckpointFailedException | SimulatedCrash e) {
      // The process is dead: nobody hears it, and it logs nothing any more.
    }
  }

  private Checkpointer open(CrashingStore disk) {
    Checkpointer cairn = Checkpointer.open(disk, OPTIONS);
    cairn.protect("state", state);
    return cairn;
  }

  private void checkpoint(Checkpointer cairn, int value) {
    Arrays.fill(state, (byte) value);
    cairn.checkpoint();
  }

  /** The value that a new process finds; all of the state must have it. */
  private int restarted(CrashingStore disk) {
    byte[] found = new byte[BYTES];
    try (Checkpointer cairn = Checkpointer.open(disk, OPTIONS)) {
      cairn.protect("state", found);
      cairn.restart();
    }
    for (byte octet : found) {
      assertThat(octet).isEqualTo(found[0]);
    }
    return found[0];
  }
}
