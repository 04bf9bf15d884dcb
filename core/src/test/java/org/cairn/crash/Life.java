// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.cairn.Checkpoint;
import org.cairn.CheckpointBuilder;
import org.cairn.CheckpointFailedException;
import org.cairn.CheckpointStats;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.Strategy;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.SimulatedCrash;
import org.cairn.version.VersionId;

/**
 * One life of a program: it opens its container, restarts, and takes checkpoints until it dies or
 * ends. Keeps the {@link History} up to date, so that afterwards it says what must be found.
 */
final class Life {
  private static final int MOST_BYTES = 60_000;

  private final CrashingStore store;
  private final History history;
  private final Random random;
  private final Options options;
  private final Program program;

  /** The operations of the store before the checkpoint in flight. */
  private long before;

  private Optional<Checkpoint> inBackground = Optional.empty();
  private boolean diedPublishing;

  Life(CrashingStore store, History history, Random random) {
    this.store = store;
    this.history = history;
    this.random = random;
    this.options = options(random);
    this.program = new Program(random, MOST_BYTES, random.nextBoolean() ? 8 : 0);
  }

  static Options options(Random random) {
    Strategy[] strategies = Strategy.values();
    return Options.defaults()
        .retain(1 + random.nextInt(3))
        .threads(1 + random.nextInt(2))
        .buffer(2 << 20)
        .strategy(strategies[random.nextInt(strategies.length)])
        .asynchronous(random.nextBoolean());
  }

  CrashingStore store() {
    return store;
  }

  History history() {
    return history;
  }

  /** Whether it died when the last superblock was written, but its force had not ended. */
  boolean diedPublishing() {
    return diedPublishing;
  }

  /**
   * Lives: as many checkpoints as it likes, unless the store crashes.
   *
   * @return whether it lived to its end
   */
  boolean live(int checkpoints) throws IOException {
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      restart(cairn);
      for (int i = 0; i < checkpoints; i++) {
        program.work(cairn);
        if (random.nextInt(6) == 0) {
          giveUp(cairn);
        }
        checkpoint(cairn);
        settle();
      }
      return true;
    } catch (SimulatedCrash | CheckpointFailedException e) {
      if (!store.hasCrashed()) {
        throw e;
      }
      return false;
    } finally {
      judgeBackground();
    }
  }

  /** Opens the container and restarts, then goes on for one checkpoint of a single change. */
  void recover() throws IOException {
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      restart(cairn);
      Snapshot base = history.certain();
      program.touch();
      checkpoint(cairn);
      awaitBackground();
      Containers.verify(store, history::state);
      assertThat(program.snapshot().dirtyBlocks(base)).isLessThanOrEqualTo(1);
    }
  }

  private void restart(Checkpointer cairn) throws IOException {
    History seen = history.copy();
    seen.shows(cairn.versions());
    program.expect(seen.expected(), cairn);
    RestartReport report = cairn.restart();
    // Not before: only a restart makes sure that what is visible is durable.
    history.shows(cairn.versions());
    // A crash may tear the superblock that was on its way, and nothing else.
    assertThat(report.problems())
        .hasSizeLessThanOrEqualTo(1)
        .allMatch(Containers.TORN.asMatchPredicate());
    assertThat(report.version())
        .isEqualTo(history.isEmpty() ? Optional.empty() : Optional.of(history.newest().id()));
    List.copyOf(report.isRestored() ? report.absent() : program.names())
        .forEach(name -> program.drop(name, cairn));
    assertThat(program.snapshot().sameBytes(history.certain()))
        .as("restarted %s, saved %s", program.snapshot(), history.certain())
        .isTrue();
  }

  private void giveUp(Checkpointer cairn) {
    try (CheckpointBuilder builder = cairn.begin()) {
      if (!program.names().isEmpty()) {
        builder.add(program.any().name());
      }
    }
  }

  private void checkpoint(Checkpointer cairn) {
    awaitBackground();
    before = store.operations();
    Snapshot state = program.snapshot();
    try {
      Checkpoint taken = take(cairn);
      history.use(taken.version(), state);
      inBackground = Optional.of(taken);
      // What was saved is what was there when the call came, even if it is overwritten at once.
      program.scribble();
      program.overwrite(state);
    } catch (CheckpointFailedException e) {
      VersionId id = idIn(e);
      history.use(id, state);
      judgeCrash(id);
      throw e;
    }
  }

  private Checkpoint take(Checkpointer cairn) {
    return switch (random.nextInt(4)) {
      case 0 -> stepByStep(cairn);
      case 1 -> cairn.checkpointAsync();
      default -> cairn.checkpoint();
    };
  }

  private Checkpoint stepByStep(Checkpointer cairn) {
    try (CheckpointBuilder builder = cairn.begin()) {
      if (!program.names().isEmpty()) {
        builder.add(program.any().name());
      }
      return builder.commit();
    }
  }

  private static VersionId idIn(CheckpointFailedException e) {
    return e.version().orElseThrow(() -> new AssertionError("names no version", e));
  }

  /** Sometimes waits for the checkpoint in the background, and sometimes goes on. */
  private void settle() {
    if (random.nextInt(3) != 0) {
      awaitBackground();
    }
  }

  private void awaitBackground() {
    if (inBackground.isPresent()) {
      Checkpoint taken = inBackground.get();
      taken.await();
      inBackground = Optional.empty();
      Snapshot base = history.certain();
      history.becameDurable(taken.version(), options.retain());
      checkStats(taken.stats().orElseThrow(), history.certain(), base);
    }
  }

  private static void checkStats(CheckpointStats stats, Snapshot now, Snapshot base) {
    assertThat(stats.blocks()).isEqualTo(now.blocks());
    if (!stats.full()) {
      assertThat(stats.dirtyBlocks()).as("dirty blocks").isEqualTo(now.dirtyBlocks(base));
    }
  }

  /** The life has ended, one way or the other, and with it the checkpoint in the background. */
  private void judgeBackground() {
    if (inBackground.isPresent()) {
      Checkpoint taken = inBackground.get();
      inBackground = Optional.empty();
      if (taken.isDurable()) {
        history.becameDurable(taken.version(), options.retain());
      } else {
        judgeCrash(taken.version());
      }
    }
  }

  /** A checkpoint did not come back: it is durable if, and only if, its last force ended. */
  private void judgeCrash(VersionId id) {
    switch (Containers.publication(store, before)) {
      case NOT_BEGUN -> {}
      case BEGUN -> {
        history.mayBeDurable(id, options.retain());
        diedPublishing = true;
      }
      case ENDED -> history.becameDurable(id, options.retain());
    }
  }
}
