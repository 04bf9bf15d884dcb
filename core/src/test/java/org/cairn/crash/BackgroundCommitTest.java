// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.cairn.Checkpoint;
import org.cairn.CheckpointBuilder;
import org.cairn.CheckpointFailedException;
import org.cairn.Checkpointer;
import org.cairn.CorruptContainerException;
import org.cairn.HashAlgorithm;
import org.cairn.Options;
import org.cairn.Strategy;
import org.cairn.WhenBusy;
import org.cairn.container.BlockScan;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.StoreOperation;
import org.cairn.testkit.store.StoreOperation.Kind;
import org.cairn.testkit.store.Survival;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checkpoints that become durable while the program goes on. */
// In a thread of its own: a checkpoint does not listen to interrupts, so nothing else ends a test
// that waits before a closed gate.
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackgroundCommitTest {
  private static final int BUFFER = 2 << 20;
  private static final Duration A_WHILE = Duration.ofMillis(150);

  /** With one thread there are three buffers, however little staging memory is asked for. */
  private static final int LEAST_STAGING = 3 * BUFFER;

  private static final Options OPTIONS =
      Options.defaults().threads(1).buffer(BUFFER).staging(1).asynchronous(true);

  private final CrashingStore store = new CrashingStore(1);
  private final Gate gate = new Gate();

  @BeforeEach
  void guard() {
    store.onOperation(gate);
  }

  @AfterEach
  void letGo() {
    gate.open();
  }

  private static byte[] noise(int bytes) {
    byte[] noise = new byte[bytes];
    new Random(bytes).nextBytes(noise);
    return noise;
  }

  private static byte[] restarted(Store disk, int length) {
    byte[] found = new byte[length];
    try (Checkpointer cairn = Checkpointer.open(disk, OPTIONS)) {
      cairn.protect("state", found);
      cairn.restart();
    }
    return found;
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void savesWhatWasThereAtTheCall(Strategy strategy) throws IOException {
    byte[] state = noise(LEAST_STAGING - BUFFER);
    byte[] saved = state.clone();
    try (Checkpointer cairn = Checkpointer.open(store, OPTIONS.strategy(strategy))) {
      cairn.protect("state", state);
      cairn.restart();
      gate.close();
      Checkpoint taken = cairn.checkpoint();
      Arrays.fill(state, (byte) 7);
      await().until(gate::isHolding);
      assertThat(taken.isDurable()).isFalse();
      assertThat(taken.failure()).isEmpty();
      gate.open();
      assertThat(taken.await().isDurable()).isTrue();
    }
    assertThat(restarted(store.survivor(Survival.LOSE_ALL), saved.length)).isEqualTo(saved);
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void savesADatasetAsItWasWhenItWasAdded(Strategy strategy) throws IOException {
    byte[] state = noise(1 << 20);
    byte[] saved = state.clone();
    try (Checkpointer cairn = Checkpointer.open(store, OPTIONS.strategy(strategy))) {
      cairn.protect("state", state);
      cairn.restart();
      try (CheckpointBuilder builder = cairn.begin()) {
        builder.add("state");
        Arrays.fill(state, (byte) 7);
        builder.commit();
      }
    }
    assertThat(restarted(store.survivor(Survival.LOSE_ALL), saved.length)).isEqualTo(saved);
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void waitsForRoomWhenStagingMemoryIsFull(Strategy strategy) throws Exception {
    byte[] state = noise(5 * LEAST_STAGING);
    byte[] saved = state.clone();
    try (Checkpointer cairn = Checkpointer.open(store, OPTIONS.strategy(strategy))) {
      cairn.protect("state", state);
      cairn.restart();
      gate.close();
      CompletableFuture<Checkpoint> call = CompletableFuture.supplyAsync(cairn::checkpoint);
      await().until(gate::isHolding);
      await().during(A_WHILE).until(() -> !call.isDone());
      gate.open();
      call.get().await();
      Arrays.fill(state, (byte) 7);
    }
    assertThat(store.trace().stream().filter(op -> op.kind() == Kind.WRITE))
        .extracting(StoreOperation::length)
        .allMatch(length -> length <= BUFFER);
    assertThat(restarted(store.survivor(Survival.LOSE_ALL), saved.length)).isEqualTo(saved);
  }

  @Test
  void skipsWhileOneIsOnTheWayIfAskedTo() {
    byte[] state = noise(100_000);
    Options options = OPTIONS.whenBusy(WhenBusy.SKIP).every(Duration.ofNanos(1));
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      cairn.protect("state", state);
      cairn.restart();
      gate.close();
      Checkpoint first = cairn.checkpoint();
      Checkpoint second = cairn.checkpoint();
      assertThat(second.isSkipped()).isTrue();
      assertThat(second.isDurable()).isFalse();
      assertThat(second.await()).isSameAs(second);
      assertThatThrownBy(second::version).isInstanceOf(IllegalStateException.class);
      assertThat(cairn.checkpointIfDue()).isEmpty();
      gate.open();
      first.await();
      assertThat(cairn.checkpoint().isSkipped()).isFalse();
    }
  }

  @Test
  void waitsWhileOneIsOnTheWayOtherwise() throws Exception {
    byte[] state = noise(100_000);
    try (Checkpointer cairn = Checkpointer.open(store, OPTIONS)) {
      cairn.protect("state", state);
      cairn.restart();
      gate.close();
      Checkpoint first = cairn.checkpoint();
      CompletableFuture<Checkpoint> call = CompletableFuture.supplyAsync(cairn::checkpoint);
      await().during(A_WHILE).until(() -> !call.isDone());
      assertThat(first.isDurable()).isFalse();
      gate.open();
      Checkpoint second = call.get();
      assertThat(first.isDurable()).isTrue();
      assertThat(second.version()).isGreaterThan(first.version());
    }
  }

  /** What a program may do after a checkpoint failed behind its back. */
  private enum NextCall {
    CHECKPOINT(Checkpointer::checkpoint),
    ASYNCHRONOUS(Checkpointer::checkpointAsync),
    IF_DUE(Checkpointer::checkpointIfDue),
    BEGIN(cairn -> cairn.begin().abort()),
    RESTART(Checkpointer::restart),
    CLOSE(Checkpointer::close);

    private final Consumer<Checkpointer> call;

    NextCall(Consumer<Checkpointer> call) {
      this.call = call;
    }
  }

  @ParameterizedTest
  @EnumSource(NextCall.class)
  void whoWasToldByTheHandleIsNotToldAgain(NextCall next) throws IOException {
    byte[] state = noise(100_000);
    Checkpointer cairn = Checkpointer.open(store, OPTIONS.every(Duration.ofNanos(1)));
    cairn.protect("state", state);
    cairn.restart();
    cairn.checkpoint().await();
    state[5]++;
    store.failAt(1);
    Checkpoint failing = cairn.checkpoint();
    assertThatThrownBy(failing::await)
        .isInstanceOf(CheckpointFailedException.class)
        .hasMessageContaining(failing.version().toString());
    byte[] saved = state.clone();
    assertThatCode(() -> next.call.accept(cairn)).doesNotThrowAnyException();
    boolean savedAgain = next.ordinal() <= NextCall.IF_DUE.ordinal();
    saved[5] -= (byte) (savedAgain ? 0 : 1);
    cairn.close();
    assertThatThrownBy(failing::await).as("a handle answers again").hasMessageContaining("failed");
    assertThat(restarted(store.survivor(Survival.LOSE_ALL), saved.length)).isEqualTo(saved);
  }

  @ParameterizedTest
  @EnumSource(NextCall.class)
  void reportsAFailureOnceAtTheNextCall(NextCall next) throws IOException {
    byte[] state = noise(100_000);
    byte[] saved = state.clone();
    Checkpointer cairn = Checkpointer.open(store, OPTIONS.every(Duration.ofNanos(1)));
    cairn.protect("state", state);
    cairn.restart();
    cairn.checkpoint().await();
    state[5]++;
    store.failAt(1);
    Checkpoint failing = cairn.checkpoint();
    await().until(() -> failing.failure().isPresent());
    assertThat(failing.isDurable()).isFalse();
    assertThat(failing.stats()).isEmpty();
    assertThat(cairn.versions()).hasSize(1);

    assertThatThrownBy(() -> next.call.accept(cairn))
        .isInstanceOf(CheckpointFailedException.class)
        .hasMessageContaining(failing.version().toString())
        .hasMessageContaining(
            next == NextCall.CLOSE ? "all is closed" : "did nothing but tell this, call it again")
        .hasRootCauseInstanceOf(IOException.class);
    if (next != NextCall.CLOSE) {
      assertThatCode(() -> next.call.accept(cairn)).as("once").doesNotThrowAnyException();
    }
    cairn.close();
    byte[] found = restarted(store.survivor(Survival.LOSE_ALL), saved.length);
    boolean savedAgain = next.ordinal() <= NextCall.IF_DUE.ordinal();
    saved[5] += (byte) (savedAgain ? 1 : 0);
    assertThat(found).isEqualTo(saved);
  }

  @Test
  void closingWaits() throws Exception {
    byte[] state = noise(100_000);
    Checkpointer cairn = Checkpointer.open(store, OPTIONS);
    cairn.protect("state", state);
    cairn.restart();
    gate.close();
    Checkpoint taken = cairn.checkpoint();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(cairn::close);
    await().during(A_WHILE).until(() -> !closing.isDone());
    gate.open();
    closing.get();
    assertThat(taken.isDurable()).isTrue();
    assertThat(restarted(store.survivor(Survival.LOSE_ALL), state.length)).isEqualTo(state);
  }

  @Test
  void synchronousStepByStepReturnsWhenDurable() {
    byte[] state = noise(100_000);
    try (Checkpointer cairn = Checkpointer.open(store, OPTIONS.asynchronous(false))) {
      cairn.protect("state", state);
      cairn.restart();
      try (CheckpointBuilder builder = cairn.begin()) {
        assertThat(builder.add("state").commit().isDurable()).isTrue();
      }
      store.failAt(1);
      state[5]++;
      try (CheckpointBuilder builder = cairn.begin()) {
        assertThatThrownBy(builder::commit).isInstanceOf(CheckpointFailedException.class);
      }
      assertThat(cairn.checkpoint().isDurable()).as("reported once").isTrue();
    }
  }

  /** A real file: the channels of the JDK close themselves when their thread is interrupted. */
  @Test
  void interruptsDoNoHarm(@TempDir Path directory) throws IOException {
    byte[] state = noise(5 * LEAST_STAGING);
    try {
      Thread.currentThread().interrupt();
      DirectoryStore files = DirectoryStore.open(directory, true);
      try (Checkpointer cairn = Checkpointer.open(files, OPTIONS.threads(2))) {
        cairn.protect("state", state);
        cairn.restart();
        cairn.checkpoint().await();
        state[9]++;
        cairn.checkpointAsync();
        state[10]++;
        cairn.checkpoint().await();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
      }
      assertThat(restarted(files, state.length)).isEqualTo(state);
      assertThat(Thread.interrupted()).as("still interrupted").isTrue();
    } finally {
      Thread.interrupted();
    }
  }

  /**
   * The program changes its arrays all the time, the crew hashes, the writer writes, and somebody
   * reads the file meanwhile. Every version is what the program had when it asked for it.
   */
  @SeededTest(seeds = 3)
  void programHashingWritingAndReadingAtOnce(Random random) throws Exception {
    Map<VersionId, byte[]> saved = new ConcurrentHashMap<>();
    AtomicBoolean done = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    byte[] state = noise(3 << 20);
    Options options = OPTIONS.threads(2).blockSize(1024).retain(3);
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      cairn.protect("state", state);
      cairn.restart();
      Thread reader = Thread.ofPlatform().start(() -> readMeanwhile(saved, done, failure));
      for (int i = 0; i < 60; i++) {
        byte[] now = state.clone();
        Checkpoint taken = cairn.checkpoint();
        saved.put(taken.version(), now);
        for (int j = random.nextInt(200); j >= 0; j--) {
          state[random.nextInt(state.length)]++;
        }
      }
      done.set(true);
      reader.join();
      assertThat(failure.get()).isNull();
    }
    try (ContainerReader reader = ContainerReader.open(store, Containers.NAME)) {
      assertThat(reader.versions()).hasSize(3);
      for (VersionInfo version : reader.versions()) {
        assertThat(mismatches(reader.view(version.id()), saved.get(version.id()))).isEmpty();
      }
    }
  }

  private void readMeanwhile(
      Map<VersionId, byte[]> saved, AtomicBoolean done, AtomicReference<Throwable> failure) {
    try {
      while (!done.get()) {
        try (ContainerReader reader = ContainerReader.open(store, Containers.NAME)) {
          for (VersionInfo version : reader.versions()) {
            readOne(reader, version.id(), saved);
          }
        }
      }
    } catch (Throwable e) {
      failure.set(e);
    }
  }

  /** What is read is right, or the version has been dropped meanwhile. */
  private void readOne(ContainerReader reader, VersionId id, Map<VersionId, byte[]> saved)
      throws IOException {
    byte[] expected = saved.get(id);
    if (expected == null) {
      return; // durable before the program has written down what it saved
    }
    List<String> wrong;
    try {
      wrong = mismatches(reader.view(id), expected);
    } catch (CorruptContainerException | IllegalArgumentException e) {
      wrong = List.of(String.valueOf(e.getMessage()));
    }
    if (!wrong.isEmpty()) {
      try (ContainerReader again = ContainerReader.open(store, Containers.NAME)) {
        assertThat(again.versions()).as("%s", wrong).noneMatch(version -> version.id().equals(id));
      }
    }
  }

  private static List<String> mismatches(VersionView view, byte[] expected) throws IOException {
    Snapshot.Content content =
        new Snapshot.Content(Variable.Kind.BYTES, expected, 1024, HashAlgorithm.XXH3_128);
    try (Workers alone = new Workers(1, "reader")) {
      return BlockScan.run(
              view,
              view.datasets(),
              alone,
              (dataset, block, bytes) ->
                  Containers.compare(
                      view, new Snapshot(Map.of("state", content)), dataset, block, bytes),
              false,
              progress -> {})
          .stream()
          .map(VersionSource.Damage::what)
          .toList();
    }
  }
}
