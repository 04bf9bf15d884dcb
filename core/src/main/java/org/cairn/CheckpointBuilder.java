// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.cairn.checkpoint.CheckpointRun;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint that is completed step by step, for programs whose data become final at different
 * times: what has been added may change again at once.
 *
 * <pre>{@code
 * try (CheckpointBuilder checkpoint = cairn.begin()) {
 *   checkpoint.add(velocity);       // final now, about to be overwritten
 *   updatePressure();
 *   checkpoint.commit();            // adds the rest
 * }
 * }</pre>
 *
 * <p>Closing without {@link #commit} aborts.
 */
public final class CheckpointBuilder implements AutoCloseable {
  private final Taking owner;
  private final CheckpointRun run;
  private final Checkpoint handle;
  private final boolean asynchronous;
  private final Consumer<Throwable> onFailure;
  private final Set<String> added = new HashSet<>();
  private boolean ended;

  /** Why something could not be added; others should hear that rather than that it was aborted. */
  private @Nullable Throwable failure;

  /**
   * A checkpoint in the making.
   *
   * @param onFailure is told why this rank gives up, before it does
   */
  CheckpointBuilder(
      Taking owner,
      CheckpointRun run,
      Checkpoint handle,
      boolean asynchronous,
      Consumer<Throwable> onFailure) {
    this.owner = owner;
    this.onFailure = onFailure;
    this.run = run;
    this.handle = handle;
    this.asynchronous = asynchronous;
  }

  /** Saves datasets as they are now. */
  public CheckpointBuilder add(Dataset... datasets) {
    try (Turn.Held _ = owner.turn().takeEvenClosed("add()")) {
      addInTurn(List.of(datasets));
      return this;
    }
  }

  private void addInTurn(List<Dataset> datasets) {
    ensureOpen();
    try {
      addAll(datasets);
    } catch (RuntimeException | Error e) {
      failure = e;
      throw e;
    }
  }

  private void addAll(List<Dataset> datasets) {
    List<Dataset.Image> images = new ArrayList<>();
    for (Dataset dataset : datasets) {
      if (owner.dataset(dataset.name()) != dataset) {
        throw new IllegalArgumentException(
            "dataset \"" + dataset.name() + "\" is not protected by this Checkpointer");
      }
      if (added.contains(dataset.name())) {
        throw new IllegalStateException("dataset \"" + dataset.name() + "\" was added before");
      }
      owner.requireAgreedDivision(dataset);
      images.add(dataset.image());
    }
    // Only now: what could not be looked at must not count as saved.
    for (Dataset dataset : datasets) {
      added.add(dataset.name());
    }
    run.add(images);
  }

  /** Saves datasets as they are now, by name. */
  public CheckpointBuilder add(String... names) {
    for (String name : names) {
      add(owner.dataset(name));
    }
    return this;
  }

  /**
   * Adds the datasets that have not been added, and makes the version durable: in the background if
   * checkpoints are asynchronous.
   *
   * @throws CheckpointFailedException if it failed before this returned
   */
  public Checkpoint commit() {
    try (Turn.Held _ = owner.turn().takeEvenClosed("commit()")) {
      return commitInTurn();
    }
  }

  Checkpoint commitInTurn() {
    ensureOpen();
    addInTurn(owner.without(added));
    finishRun();
    ended = true;
    return owner.finish(handle, asynchronous);
  }

  /** If that fails the checkpoint has not ended, and whoever wanted it can still abort it. */
  private void finishRun() {
    try {
      run.finish();
    } catch (RuntimeException | Error e) {
      failure = e;
      throw e;
    }
  }

  /** Leaves everything as it was before {@code begin}. */
  public void abort() {
    try (Turn.Held _ = owner.turn().takeEvenClosed("abort()")) {
      abortInTurn();
    }
  }

  void abortInTurn() {
    if (!ended) {
      endRun();
      owner.abort(handle, asynchronous);
    }
  }

  /** Aborts and waits for no other rank: the program closes. */
  void abandonInTurn() {
    if (!ended) {
      endRun();
      owner.abandon(handle);
    }
  }

  private void endRun() {
    ended = true;
    if (failure != null) {
      onFailure.accept(failure);
    }
    run.abort();
  }

  private void ensureOpen() {
    if (ended) {
      throw new IllegalStateException("this checkpoint has ended");
    }
  }

  @Override
  public void close() {
    abort();
  }
}
