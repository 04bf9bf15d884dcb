// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.Survival;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that come while another is going on, from another thread or from inside. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CallsTest {
  private final CrashingStore store = new CrashingStore(1);
  private final SampleState state = new SampleState();

  private Checkpointer open() {
    Checkpointer cairn = Checkpointer.open(store, SampleState.options());
    state.protect(cairn);
    cairn.restart();
    return cairn;
  }

  /** A function of the program that stands still until it is told to go on. */
  private static final class Pause {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch left = new CountDownLatch(1);

    byte[] save() {
      stop();
      return new byte[1];
    }

    void stop() {
      reached.countDown();
      await(left);
    }

    void awaitReached() {
      await(reached);
    }

    void goOn() {
      left.countDown();
    }

    private static void await(CountDownLatch latch) {
      try {
        assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** What may be going on when another thread closes. */
  private enum Call {
    CHECKPOINT("checkpoint()", Checkpointer::checkpoint),
    ASYNCHRONOUS("checkpointAsync()", cairn -> cairn.checkpointAsync().await()),
    ADD(
        "add()",
        cairn -> {
          try (CheckpointBuilder builder = cairn.begin()) {
            builder.add("pause").commit();
          }
        }),
    RESTART("restart()", Checkpointer::restart);

    private final String name;
    private final Consumer<Checkpointer> call;

    Call(String name, Consumer<Checkpointer> call) {
      this.name = name;
      this.call = call;
    }
  }

  @ParameterizedTest
  @EnumSource(Call.class)
  void closingDuringACallIsRefusedAndHarmsNobody(Call call) throws Exception {
    Pause pause = new Pause();
    boolean[] armed = {false};
    Checkpointer cairn = open();
    cairn.protectOpaque(
        "pause",
        () -> armed[0] && call != Call.RESTART ? pause.save() : new byte[1],
        saved -> pause.stop());
    state.become(1);
    cairn.checkpoint();
    armed[0] = true;
    CompletableFuture<Void> going = CompletableFuture.runAsync(() -> call.call.accept(cairn));
    pause.awaitReached();
    for (Runnable other :
        new Runnable[] {
          cairn::close, cairn::checkpoint, cairn::restart, () -> cairn.protect("x", 1L)
        }) {
      assertThatThrownBy(other::run)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll(
              "was called by thread", Thread.currentThread().getName(), call.name, "is going on");
    }
    pause.goOn();
    going.get(30, TimeUnit.SECONDS);
    armed[0] = false;
    cairn.checkpoint();
    cairn.close();
    assertThat(state.restore(store).isRestored()).isTrue();
    assertThat(state.isWhole()).isTrue();
  }

  @Test
  void anotherThreadMayCloseBetweenTwoCalls() throws Exception {
    Checkpointer cairn = open();
    state.become(1);
    cairn.checkpointAsync();
    inAnotherThread(cairn::close);
    assertThatThrownBy(cairn::checkpoint)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> cairn.protect("x", 1L)).hasMessageContaining("closed");
    assertThatCode(cairn::close).as("once more").doesNotThrowAnyException();
    assertRestored(1);
  }

  @Test
  void anotherThreadMayCloseWhileACheckpointIsTakenStepByStep() throws Exception {
    Checkpointer cairn = open();
    state.become(1);
    cairn.checkpoint();
    state.become(2);
    try (CheckpointBuilder builder = cairn.begin()) {
      builder.add("field");
      inAnotherThread(cairn::close);
      assertThatThrownBy(() -> builder.add("text"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("has ended");
      assertThatThrownBy(builder::commit).isInstanceOf(IllegalStateException.class);
    }
    assertRestored(1);
  }

  @Test
  void afterTheLastCallAllOthersAreRefused() {
    Checkpointer cairn = open();
    cairn.close();
    Runnable[] calls = {
      cairn::checkpoint,
      cairn::checkpointAsync,
      cairn::checkpointIfDue,
      cairn::begin,
      cairn::restart,
      cairn::versions,
      cairn::usage,
      () -> cairn.protect("late", new long[1]),
      () -> cairn.unprotect("late"),
      () -> cairn.flush(TierKind.LOCAL),
    };
    for (Runnable call : calls) {
      assertThatThrownBy(call::run)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("this Checkpointer is closed");
    }
    assertThatCode(cairn::close).doesNotThrowAnyException();
  }

  /** All of them return when all is closed, and not before. */
  @Test
  void manyMayCloseAtOnce() throws Exception {
    CountDownLatch closing = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Checkpointer cairn = open();
    state.become(1);
    cairn.checkpoint();
    store.onOperation(
        operation -> {
          closing.countDown();
          Pause.await(goOn);
        });
    state.become(2);
    cairn.checkpointAsync();
    Pause.await(closing);
    CompletableFuture<?>[] all = new CompletableFuture<?>[4];
    for (int i = 0; i < all.length; i++) {
      all[i] = CompletableFuture.runAsync(cairn::close, task -> new Thread(task).start());
    }
    assertThat(CompletableFuture.anyOf(all)).isNotDone();
    goOn.countDown();
    CompletableFuture.allOf(all).get(30, TimeUnit.SECONDS);
    store.onOperation(operation -> {});
    assertRestored(2);
  }

  @Test
  void functionsThatAreCalledCannotCloseNorBeginAnything() {
    Checkpointer cairn = open();
    Runnable[] calls = {
      cairn::close, cairn::checkpoint, cairn::checkpointAsync, cairn::begin, cairn::restart,
    };
    cairn.protectOpaque(
        "nosy",
        () -> {
          for (Runnable call : calls) {
            assertThatThrownBy(call::run)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("checkpoint() is going on, by a function that it calls");
          }
          return new byte[1];
        },
        saved -> {
          for (Runnable call : calls) {
            assertThatThrownBy(call::run)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("restart() is going on, by a function that it calls");
          }
        });
    state.become(1);
    cairn.checkpoint();
    cairn.restart();
    cairn.close();
    assertRestored(1);
  }

  /** {@code System.exit} waits for its hooks: a hook that closes must not wait for the caller. */
  @Test
  void whoWaitsForAThreadThatClosesGoesOn() throws Exception {
    Checkpointer cairn = open();
    cairn.protectOpaque(
        "exit",
        () -> {
          assertThatThrownBy(() -> inAnotherThread(cairn::close))
              .hasCauseInstanceOf(IllegalStateException.class);
          return new byte[1];
        },
        saved -> {});
    state.become(1);
    cairn.checkpoint();
    cairn.close();
    assertRestored(1);
  }

  private static void inAnotherThread(Runnable task)
      throws ExecutionException, InterruptedException {
    CompletableFuture.runAsync(task).get();
  }

  private void assertRestored(long number) {
    try {
      SampleState found = new SampleState();
      CrashingStore survivor = store.survivor(Survival.LOSE_ALL);
      try (Checkpointer cairn = Checkpointer.open(survivor, SampleState.options())) {
        found.protect(cairn);
        RestartReport report = cairn.restart();
        assertThat(report.problems()).isEmpty();
      }
      assertThat(found.number()).isEqualTo(number);
      assertThat(found.isWhole()).isTrue();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
