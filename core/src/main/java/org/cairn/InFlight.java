// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import org.jspecify.annotations.Nullable;

/**
 * The checkpoint that is being made, the one that becomes durable in the background, and who was
 * told of its failure: a failure in the background is told once.
 */
final class InFlight {
  private final Turn turn;

  /** Before there was any, as if it had been skipped: it is done and has not failed. */
  private Checkpoint last = Checkpoint.skipped();

  /** What was begun, and neither ended nor aborted yet. */
  private @Nullable CheckpointBuilder building;

  InFlight(Turn turn) {
    this.turn = turn;
  }

  /** What is being made, if anything is. */
  @Nullable CheckpointBuilder building() {
    return building;
  }

  /** A checkpoint was begun. */
  void begun(CheckpointBuilder builder) {
    building = builder;
  }

  /** The one that was begun is given up. */
  void givenUp() {
    building = null;
  }

  /** The program has done its part; the rest goes on in the background. */
  void left(Checkpoint handle) {
    building = null;
    last = handle;
  }

  /** Whether the checkpoint before is not durable yet. */
  boolean isBusy() {
    return !last.isDone();
  }

  /** Waits until it is known what has become of the checkpoint before. */
  void await() {
    last.awaitEnd();
  }

  /** As {@link #await}, for calls that must not come while one is being made. */
  void awaitBeforeNext() {
    refuseWhileBuilding();
    await();
  }

  /** Refuses what must not come while a checkpoint is being made. */
  void refuseWhileBuilding() {
    if (building != null) {
      throw new IllegalStateException("the checkpoint begun before was neither ended nor aborted");
    }
  }

  // ---------------------------------------------------------------- telling of failures

  /** Whether the checkpoint before failed, and the program was not told on this rank. */
  boolean isUntold() {
    return last.hasFailed() && !last.isTold();
  }

  /** Tells of the failure of the checkpoint before if it is known, and nobody has been told. */
  void tell() {
    tell(onlyTold());
  }

  /** The same when everything is closed. */
  void tellAfterClosing() {
    tell("all is closed");
  }

  private void tell(String then) {
    if (last.hasFailed() && last.tell()) {
      throw last.failedBefore(then, true);
    }
  }

  /**
   * The checkpoint before failed and a rank was not told. All throw, also those that were:
   * otherwise calls of different ranks would no longer belong together.
   */
  CheckpointFailedException failedBefore() {
    return last.failedBefore(onlyTold(), last.tell());
  }

  /** A call that tells of a failure does nothing else. */
  private String onlyTold() {
    return turn.call() + " did nothing but tell this, call it again";
  }
}
