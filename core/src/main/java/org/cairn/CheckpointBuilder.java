// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.cairn.checkpoint.CheckpointRun;
import org.cairn.checkpoint.Gate;
import org.cairn.version.DatasetSpec;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint that is completed step by step, for programs whose data become final at different
 * times: what has been added may change again at once. All ranks begin one together; from then on
 * each adds, commits or gives up when it likes, and hears of the others when it has done so.
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
  private final Gate gate;

  /** What is in it, as it was then, by name. */
  private final Map<String, DatasetSpec> added = new LinkedHashMap<>();

  private boolean ended;

  /** Why something could not be added; others should hear that rather than that it was aborted. */
  private @Nullable Throwable failure;

  /**
   * A checkpoint in the making.
   *
   * @param gate where it waits before it becomes durable
   * @param onFailure is told why this rank gives up, before it does
   */
  CheckpointBuilder(
      Taking owner,
      CheckpointRun run,
      Checkpoint handle,
      boolean asynchronous,
      Gate gate,
      Consumer<Throwable> onFailure) {
    this.gate = gate;
    this.owner = owner;
    this.onFailure = onFailure;
    this.run = run;
    this.handle = handle;
    this.asynchronous = asynchronous;
  }

  /**
   * Saves datasets as they are now. Also such that were protected after {@code begin}, or are
   * divided otherwise since: ranks look at that when all have committed.
   *
   * @throws IllegalArgumentException if one of them is not protected
   * @throws IllegalStateException if one of them was added before
   */
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
      if (added.containsKey(dataset.name())) {
        throw new IllegalStateException("dataset \"" + dataset.name() + "\" was added before");
      }
      if (!gate.isClosed()) {
        owner.requireAgreedDivision(dataset); // nobody will look at it again
      }
      images.add(dataset.image());
    }
    // Only now: what could not be looked at must not count as saved.
    for (Dataset.Image image : images) {
      added.put(image.spec().name(), image.spec());
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

  /**
   * Makes a version durable of what was added, and of nothing else: as {@link #commit}, but
   * datasets that are protected and were not added are not in it. A restart from this version
   * leaves them as they are, and {@link RestartReport#absent} names them; a later checkpoint that
   * has them saves all of them.
   *
   * <p>Of what ranks have together, the parts of an array or what is the same everywhere, all ranks
   * add theirs or none does.
   *
   * @throws CheckpointFailedException if it failed before this returned; on all ranks alike, if one
   *     has added what another has left out
   */
  public Checkpoint commitAdded() {
    try (Turn.Held _ = owner.turn().takeEvenClosed("commitAdded()")) {
      ensureOpen();
      return finishInTurn();
    }
  }

  Checkpoint commitInTurn() {
    return commitWithoutInTurn(Set.of());
  }

  /** Adds the rest, but for some. */
  Checkpoint commitWithoutInTurn(Set<String> leftOut) {
    ensureOpen();
    Set<String> others = new HashSet<>(leftOut);
    others.addAll(added.keySet());
    addInTurn(owner.without(others));
    return finishInTurn();
  }

  private Checkpoint finishInTurn() {
    finishRun();
    ended = true;
    return owner.finish(handle, asynchronous);
  }

  /** If that fails the checkpoint has not ended, and whoever wanted it can still abort it. */
  private void finishRun() {
    try {
      owner.tellSelection(added, gate);
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
      try {
        endRun();
      } finally {
        owner.abort(handle, asynchronous);
      }
    }
  }

  /** Aborts and waits for no other rank: the program closes. */
  void abandonInTurn() {
    if (!ended) {
      try {
        endRun();
      } finally {
        owner.abandon(handle);
      }
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
