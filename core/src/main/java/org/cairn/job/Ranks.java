// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.Optional;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.tier.AgreedFailureException;
import org.cairn.tier.Agreement;
import org.cairn.tier.Objections;
import org.cairn.watch.Activity;
import org.jspecify.annotations.Nullable;

/** The ranks of a job, as one of them speaks with the others where the program calls. */
final class Ranks {
  private final Communicator control;
  private final Activity activity;
  private volatile boolean abandoned;

  Ranks(Communicator control, Activity activity) {
    this.control = control;
    this.activity = activity;
  }

  /** Refuses on all ranks if they were told different things; collective. */
  static void refuseDifferentSettings(Communicator comm, String mine) throws IOException {
    refuseDifferent(comm, "settings", mine, "give all ranks the same");
  }

  /**
   * Refuses on all ranks if they would not do the same; collective.
   *
   * @param what that differs then
   * @param mine how it is on this rank
   * @param remedy what a person can do
   */
  static void refuseDifferent(Communicator comm, String what, String mine, String remedy)
      throws IOException {
    byte[] announced = comm.announce(RecordWriter.onHeap().putText(mine).toArray(), 0);
    String first = RecordReader.of(announced, "rank 0").getText();
    Objections others =
        Objections.gather(
            comm,
            mine.equals(first)
                ? Optional.empty()
                : Optional.of("rank %d: %s".formatted(comm.rank(), mine)));
    if (!others.isEmpty()) {
      throw new AgreedFailureException(
          "ranks have different %s; rank 0: %s; %s; %s".formatted(what, first, others, remedy));
    }
  }

  /** What is said here. */
  Communicator comm() {
    return control;
  }

  /** Who of this rank waits for others. */
  Activity activity() {
    return activity;
  }

  /** The number of this rank. */
  int rank() {
    return control.rank();
  }

  /** How many ranks there are. */
  int size() {
    return control.size();
  }

  /** Whether what this rank does concerns no other. */
  boolean isOnlyOne() {
    return size() == 1;
  }

  /** What all ranks do at the same time. */
  interface Together<T, E extends Exception> {
    T run() throws E;
  }

  /** Whoever leaves the others in the middle of something tells them. */
  <T, E extends Exception> T together(Together<T, E> work) throws E {
    try {
      return work.run();
    } catch (RuntimeException | Error e) {
      leave(e);
      throw e;
    }
  }

  /**
   * A rank that has nobody to leave can try again. One that closes while others do not has cut off
   * what was under way itself: they need not end for that.
   */
  void leave(Throwable failure) {
    if (!isOnlyOne() && !abandoned) {
      activity.left(failure);
    }
  }

  /** From now on this rank closes, whatever others do. */
  void abandon() {
    abandoned = true;
  }

  /** Whether this rank closes while others may not. */
  boolean areAbandoned() {
    return abandoned;
  }

  /** Returns if no rank failed; otherwise all ranks throw; collective. */
  void agree(@Nullable Throwable mine) throws AgreedFailureException {
    Agreement.reach(control, mine);
  }

  /** Whether it is so on any rank; collective. */
  boolean isAnywhere(boolean here) {
    return together(() -> control.allReduce(here ? 1L : 0L, Reduction.MAX) != 0);
  }

  /**
   * Refuses on all ranks what one of them must not do, before anything is changed; collective.
   *
   * @param mine why this rank must not; null if it may
   * @throws IllegalStateException if any rank must not
   */
  void refuseTogether(@Nullable IllegalStateException mine) {
    try {
      agree(mine);
    } catch (AgreedFailureException e) {
      throw new IllegalStateException(e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      leave(e);
      throw e;
    }
  }
}
