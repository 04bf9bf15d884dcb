// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.Checkpoint;
import org.cairn.CheckpointBuilder;
import org.cairn.CheckpointFailedException;
import org.cairn.CheckpointStats;
import org.cairn.Checkpointer;
import org.cairn.DatasetMismatchException;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.Strategy;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.SimulatedCrash;
import org.cairn.testkit.store.Survival;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;

/**
 * One random sequence of everything a user and a disk can do, each step checked against the {@link
 * History}. After a step either nothing runs in the background, or one checkpoint does.
 */
final class ModelRun implements AutoCloseable {
  private static final int MOST_BYTES = 120_000;
  private static final long REGION = 64 << 10;

  /** Records of the map log are not moved: each of up to 128 may hold a region of its own. */
  private static final long PINNED = 128 * REGION;

  private static final long NEVER = Long.MAX_VALUE;

  private final Random random;
  private final int offHeap;
  private CrashingStore store;
  private History history = new History();
  private Options options;
  private Program program;
  private Checkpointer cairn;
  private Optional<Pending> pending = Optional.empty();

  /** Datasets that were added to the last checkpoint early, as they were then. */
  private final Map<String, Snapshot.Content> added = new TreeMap<>();

  /** Whether the last checkpoint has those only. */
  private boolean onlyAdded;

  private final ArrayDeque<Long> lives = new ArrayDeque<>();
  private long largestState;
  private boolean mayBeBroken;
  private String step = "open";

  /** A checkpoint that was taken, durable or not. */
  private record Pending(Checkpoint handle, Snapshot state) {}

  ModelRun(Random random) {
    this(random, 0);
  }

  /** The same, with some more arrays of ten outside of the Java heap, where they can be tracked. */
  ModelRun(Random random, int offHeap) {
    this.random = random;
    this.offHeap = offHeap;
    this.store = new CrashingStore(random.nextLong());
    this.options = options();
    this.program = new Program(random, MOST_BYTES, offHeap);
    this.cairn = Checkpointer.open(store, options);
    cairn.restart();
  }

  private Options verifying() {
    return Options.defaults().verifyEvery(1 + random.nextInt(9));
  }

  private Options options() {
    Strategy[] strategies = Strategy.values();
    Options any = offHeap == 0 ? Options.defaults() : verifying();
    return any.retain(1 + random.nextInt(4))
        .threads(1 + random.nextInt(2))
        .buffer(2 << 20)
        .strategy(strategies[random.nextInt(strategies.length)])
        .asynchronous(random.nextBoolean());
  }

  void run(int steps) throws IOException {
    for (int i = 0; i < steps; i++) {
      try {
        doSomething();
        check();
      } catch (IOException | RuntimeException | AssertionError e) {
        throw new AssertionError("step " + i + ", " + step + ", " + history, e);
      }
    }
  }

  private void doSomething() throws IOException {
    program.work(cairn);
    switch (random.nextInt(20)) {
      case 0 -> reopen();
      case 1 -> restartNewest();
      case 2 -> restartOlder();
      case 3 -> restartOne();
      case 4 -> giveUp();
      case 5, 6 -> failAnOperation();
      case 7 -> failForce();
      case 8 -> fillDisk();
      case 9 -> crashBetween();
      case 10, 11, 12 -> crashDuring();
      case 13 -> {} // only changes
      default -> checkpoint();
    }
  }

  // ---------------------------------------------------------------- steps

  private void checkpoint() {
    step = "checkpoint";
    take();
    if (random.nextInt(3) != 0) {
      awaitPending();
    }
  }

  private void take() {
    awaitPending();
    added.clear();
    onlyAdded = false;
    mayBeBroken = false;
    Checkpoint handle = takeAnyhow();
    Snapshot state = taken();
    history.use(handle.version(), state);
    pending = Optional.of(new Pending(handle, state));
    // What was saved is what was there when the call came, even if it is overwritten at once.
    Snapshot now = program.snapshot();
    program.scribble();
    program.overwrite(now);
  }

  /** What the checkpoint just taken has saved, or would have. */
  private Snapshot taken() {
    Map<String, Snapshot.Content> contents =
        onlyAdded ? new TreeMap<>() : new TreeMap<>(program.snapshot().datasets());
    contents.putAll(added);
    return new Snapshot(contents);
  }

  /** Adds a dataset, changes it, and commits, perhaps that alone: saved is what it was then. */
  private Checkpoint stepByStep() {
    try (CheckpointBuilder builder = cairn.begin()) {
      // A version of what was added alone may have left a restarted program without any data.
      for (int i = random.nextInt(3); i > 0 && !program.names().isEmpty(); i--) {
        Variable variable = program.any();
        if (added.putIfAbsent(variable.name(), variable.content()) == null) {
          builder.add(variable.name());
          program.touch();
        }
      }
      onlyAdded = random.nextInt(3) == 0;
      return onlyAdded ? builder.commitAdded() : builder.commit();
    }
  }

  private void awaitPending() {
    if (pending.isPresent()) {
      Pending taken = pending.get();
      pending = Optional.empty();
      taken.handle.await();
      becameDurable(taken);
    }
  }

  private void becameDurable(Pending taken) {
    Snapshot base = history.base();
    history.becameDurable(taken.handle.version(), options.retain());
    CheckpointStats stats = taken.handle.stats().orElseThrow();
    assertThat(stats.blocks()).isEqualTo(taken.state.blocks());
    assertThat(stats.protectedBytes()).isEqualTo(taken.state.bytes());
    if (!stats.full()) {
      assertThat(stats.dirtyBlocks()).as("dirty blocks").isEqualTo(taken.state.dirtyBlocks(base));
    }
    largestState = Math.max(largestState, taken.state.bytes());
  }

  private void giveUp() {
    step = "abort";
    awaitPending();
    try (CheckpointBuilder builder = cairn.begin()) {
      if (random.nextBoolean() && !program.names().isEmpty()) {
        builder.add(program.any().name());
      }
    }
  }

  private void reopen() throws IOException {
    step = "reopen";
    close();
    options = options();
    cairn = Checkpointer.open(store, options);
    mayBeBroken = false;
    history.shows(cairn.versions());
    if (random.nextBoolean() && history.isEmpty()) {
      program.moveTo(cairn);
      cairn.restart();
    } else {
      startAnew();
    }
  }

  /** A new process that knows what was saved, and restarts. */
  private void startAnew() throws IOException {
    program = new Program(random, MOST_BYTES, offHeap);
    program.expect(history.expected(), cairn);
    restart(RestartRequest.newest(), history.durable().isEmpty() ? null : history.newest());
    assertThat(program.snapshot().sameBytes(history.certain())).isTrue();
  }

  private void restartNewest() throws IOException {
    step = "restart";
    awaitPending();
    restart(RestartRequest.newest(), history.isEmpty() ? null : history.newest());
  }

  private void restartOlder() throws IOException {
    step = "restart from an older version";
    awaitPending();
    if (!history.isEmpty()) {
      History.Version version = anyVersion();
      restart(RestartRequest.newest().version(version.id()), version);
    }
  }

  private void restartOne() throws IOException {
    step = "restart one dataset";
    awaitPending();
    if (!history.isEmpty() && !program.names().isEmpty()) {
      History.Version version = anyVersion();
      restart(RestartRequest.newest().version(version.id()).only(program.any().name()), version);
    }
  }

  private History.Version anyVersion() {
    List<History.Version> versions = history.durable();
    return versions.get(random.nextInt(versions.size()));
  }

  private void restart(RestartRequest request, History.Version version) {
    Snapshot before = program.snapshot();
    Snapshot saved = version == null ? Snapshot.EMPTY : version.state();
    if (mustMismatch(request, saved)) {
      assertThatThrownBy(() -> cairn.restart(request)).isInstanceOf(DatasetMismatchException.class);
      assertThat(program.snapshot().sameBytes(before)).as("a refused restart").isTrue();
      return;
    }
    Set<String> left = leftBy(request, saved);
    boolean dropping = random.nextInt(4) == 0;
    RestartReport report = cairn.restart(dropping ? request.dropping(left) : request);
    assertThat(report.version()).isEqualTo(Optional.ofNullable(version).map(History.Version::id));
    for (String name : before.names()) {
      boolean wanted = isWanted(request, name) && saved.datasets().containsKey(name);
      Snapshot.Content expected = wanted ? saved.content(name) : before.content(name);
      assertThat(program.variable(name).content().sameBytes(expected)).as(name).isTrue();
    }
    if (version != null && request.only().isEmpty()) {
      history.continueFrom(version.id());
      if (!dropping) {
        claim(left, saved);
      }
    }
  }

  /** What a version has that the program does not. */
  private Set<String> leftBy(RestartRequest request, Snapshot saved) {
    Set<String> left = new TreeSet<>(saved.datasets().keySet());
    left.removeAll(program.names());
    return request.only().isEmpty() ? left : Set.of();
  }

  /** No checkpoint is taken before all that a restart has left is protected or given up. */
  private void claim(Set<String> left, Snapshot saved) {
    for (String name : List.copyOf(left)) {
      List<VersionInfo> before = cairn.versions();
      assertThatThrownBy(this::takeAnyhow)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(left.toString());
      assertThat(cairn.versions()).isEqualTo(before);
      left.remove(name);
      if (random.nextInt(3) == 0) {
        cairn.unprotect(name);
      } else {
        Variable late = program.claim(name, saved.content(name), cairn);
        assertThat(late.content().sameBytes(saved.content(name))).as(name).isTrue();
      }
    }
  }

  private Checkpoint takeAnyhow() {
    return switch (random.nextInt(3)) {
      case 0 -> stepByStep();
      case 1 -> cairn.checkpointAsync();
      default -> cairn.checkpoint();
    };
  }

  private boolean mustMismatch(RestartRequest request, Snapshot saved) {
    return program.names().stream()
        .filter(name -> isWanted(request, name) && saved.datasets().containsKey(name))
        .map(program::variable)
        .anyMatch(
            variable ->
                !variable.isResizable()
                    && variable.bytes().length != saved.content(variable.name()).bytes().length);
  }

  private static boolean isWanted(RestartRequest request, String name) {
    return request.wants(name);
  }

  // ---------------------------------------------------------------- faults

  private void failAnOperation() throws IOException {
    step = "failing operation";
    awaitPending();
    store.failAt(1 + random.nextInt(9));
    takeInVain();
    store.failAt(NEVER);
  }

  private void failForce() throws IOException {
    step = "failing force";
    awaitPending();
    store.failForce(1 + random.nextInt(2));
    takeInVain();
    store.failForce(NEVER);
  }

  private void fillDisk() throws IOException {
    step = "full disk";
    awaitPending();
    store.fillDiskAfter(random.nextInt(MOST_BYTES));
    takeInVain();
    store.emptyDisk();
  }

  /** Takes a checkpoint that probably fails; if it does, nothing has changed. */
  private void takeInVain() throws IOException {
    try {
      take();
      awaitInVain();
    } catch (CheckpointFailedException e) {
      mayBeBroken = true;
      Optional<VersionId> id = e.version();
      if (id.isPresent()) {
        history.use(id.get(), taken());
        becameDoubtful(id.get());
      } else {
        assertThat(e).hasMessageContaining("cannot start");
      }
    }
  }

  private void awaitInVain() throws IOException {
    Pending taken = pending.orElseThrow();
    cairn.usage(); // waits for what is in the background
    if (taken.handle.failure().isEmpty()) {
      awaitPending();
      return;
    }
    pending = Optional.empty();
    mayBeBroken = true;
    VersionId id = taken.handle.version();
    assertThatThrownBy(random.nextBoolean() ? taken.handle::await : cairn::checkpoint)
        .as("told by the handle, or by the next call")
        .isInstanceOf(CheckpointFailedException.class)
        .hasMessageContaining("checkpoint " + id + " failed");
    becameDoubtful(id);
  }

  /** A version whose superblock is visible, though its force failed, may be durable or not. */
  private void becameDoubtful(VersionId id) throws IOException {
    try (ContainerReader reader = ContainerReader.open(store, Containers.NAME)) {
      List<VersionInfo> versions = reader.versions();
      if (!versions.isEmpty() && versions.getFirst().id().equals(id)) {
        history.mayBeDurable(id, options.retain());
        resolveDoubt();
      }
    }
  }

  private void resolveDoubt() throws IOException {
    store.failAt(NEVER);
    store.failForce(NEVER);
    store.emptyDisk();
    if (random.nextBoolean()) {
      step += ", crash";
      comeBack();
    } else {
      step += ", go on";
      // The checkpointer opens the container again, and believes what it sees.
      history = history.confirmed();
      take();
      awaitPending();
    }
  }

  private void crashBetween() throws IOException {
    step = "crash";
    awaitPending();
    comeBack();
  }

  private void crashDuring() throws IOException {
    step = "crash during checkpoint";
    awaitPending();
    if (mayBeBroken) {
      // The next checkpoint opens the container again, which is tried at every operation elsewhere.
      take();
      awaitPending();
    }
    long before = store.operations();
    store.crashAt(1 + random.nextInt(14));
    try {
      take();
      awaitPending();
    } catch (CheckpointFailedException e) {
      assertThat(store.hasCrashed()).isTrue();
      VersionId id = e.version().orElseThrow();
      if (!history.knows(id)) {
        history.use(id, taken());
      }
      switch (Containers.publication(store, before)) {
        case NOT_BEGUN -> {}
        case BEGUN -> history.mayBeDurable(id, options.retain());
        case ENDED -> history.becameDurable(id, options.retain());
      }
    }
    comeBack();
  }

  /** The machine or the process dies; a new one finds what is left. */
  private void comeBack() throws IOException {
    store.crash();
    pending = Optional.empty();
    closeQuietly();
    store =
        switch (random.nextInt(4)) {
          case 0 -> store.survivor(Survival.LOSE_ALL);
          case 1 -> store.survivor(Survival.KEEP_ALL);
          case 2 -> store.afterKill();
          default -> store.survivor(random);
        };
    options = options();
    cairn = Checkpointer.open(store, options);
    mayBeBroken = false;
    history.shows(cairn.versions());
    startAnew();
  }

  private void closeQuietly() {
    try {
      cairn.close();
    } catch (CheckpointFailedException | SimulatedCrash e) {
      // The process is dead: nobody hears it, and it logs nothing any more.
    }
  }

  // ---------------------------------------------------------------- checks

  private void check() throws IOException {
    if (pending.isPresent()) {
      checkMeanwhile();
      return;
    }
    List<VersionInfo> shown = Containers.verify(store, history::state);
    history.copy().shows(shown);
    assertThat(cairn.versions()).isEqualTo(shown);
    checkSpace();
  }

  /** A version that the checkpoint in the background drops may vanish while it is read. */
  private void checkMeanwhile() throws IOException {
    try {
      Containers.verify(store, history::state);
    } catch (AssertionError e) {
      awaitPending();
      Containers.verify(store, history::state);
    }
  }

  private void checkSpace() throws IOException {
    Container.Usage usage = cairn.usage();
    try (ContainerReader reader = ContainerReader.open(store, Containers.NAME)) {
      assertThat(usage.liveBytes())
          .as("live bytes as counted, and as they are")
          .isBetween(reader.liveBytes() - 8192, reader.liveBytes() + (256 << 10));
    }
    lives.addLast(usage.liveBytes());
    if (lives.size() > 33) {
      lives.removeFirst();
    }
    long most = Collections.max(lives);
    assertThat(usage.fileBytes())
        .as("%s, lately up to %d live, states of up to %d", usage, most, largestState)
        .isLessThanOrEqualTo(2 * most + 2 * largestState + PINNED);
  }

  /** Whatever has happened, after some calm checkpoints the file is as short as it should be. */
  void calmDown() throws IOException {
    step = "calm";
    for (int i = 0; i < 40; i++) {
      program.touch();
      take();
      awaitPending();
    }
    Container.Usage usage = cairn.usage();
    try (ContainerReader reader = ContainerReader.open(store, Containers.NAME)) {
      assertThat(reader.fileBytes())
          .as("the file is not longer than its owner thinks")
          .isLessThanOrEqualTo(usage.fileBytes() + REGION);
    }
    assertThat(usage.fileBytes())
        .as("%s", usage)
        .isLessThanOrEqualTo(2 * usage.liveBytes() + 2 * history.base().bytes() + PINNED);
  }

  @Override
  public void close() {
    awaitPending();
    cairn.close();
  }
}
