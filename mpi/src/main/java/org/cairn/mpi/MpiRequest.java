// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Message;
import org.cairn.comm.Request;
import org.jspecify.annotations.Nullable;

/**
 * Something that was started and is asked about until it is over.
 *
 * <p>Many threads may test it; one at a time gets to ask MPI, and the others hear "not yet". Who
 * sees it {@link #DONE} also sees the outcome.
 */
abstract sealed class MpiRequest implements Request permits MpiSend, MpiReceive {
  /** MPI does not know of it yet. */
  static final int WAITING = 0;

  /** MPI is at work on it. */
  static final int STARTED = 1;

  /** A thread is asking MPI. */
  private static final int BUSY = 2;

  static final int DONE = 3;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(MpiRequest.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final MpiProcess process;
  private @Nullable Message message;
  private @Nullable CommunicationException failure;
  private volatile int state;

  MpiRequest(MpiProcess process) {
    this.process = process;
  }

  /** What this is, after "waiting for". */
  abstract String describe();

  /** Where the handle is, once MPI is at work. */
  abstract Slot slot();

  /** Called once, when MPI is done without complaint; what was sent or received. */
  abstract Message complete(Slot slot);

  /** Called once, when MPI complains. */
  CommunicationException explain(int code) {
    return new CommunicationException(describe() + " failed: " + process.explain(code));
  }

  /** Called once, when MPI no longer uses the memory. */
  abstract void release(Slot slot);

  @Override
  public final boolean test() {
    if (state == DONE) {
      result();
      return true;
    }
    process.receives.drive();
    if (state != STARTED || !STATE.compareAndSet(this, STARTED, BUSY)) {
      return false;
    }
    boolean done = false;
    try {
      done = ask();
    } finally {
      state = done ? DONE : STARTED;
    }
    if (done) {
      result();
    }
    return done;
  }

  @Override
  public final Message await() {
    Waiting waiting = process.waiting();
    for (int round = 0; !test(); round++) {
      if (Thread.currentThread().isInterrupted()) {
        throw new CommunicationException("interrupted while waiting for " + describe());
      }
      waiting.pause(round);
    }
    return result();
  }

  /** Whether it is over. */
  private boolean ask() {
    MpiFunctions mpi = MpiLibrary.mpi();
    Slot slot = slot();
    int code;
    process.enter();
    try {
      code = mpi.test(slot.handleAddress(), slot.flagAddress(), slot.statusAddress());
    } finally {
      process.leave();
    }
    if (code == 0 && slot.flag() == 0) {
      return false;
    }
    if (code != 0) {
      failure = explain(code);
    } else if (failure == null) {
      message = complete(slot);
    }
    release(slot);
    return true;
  }

  private Message result() {
    if (failure != null) {
      throw failure;
    }
    if (message == null) {
      throw new AssertionError("over, without an outcome: " + describe());
    }
    return message;
  }

  final boolean isDone() {
    return state == DONE;
  }

  /** MPI is at work from now on. */
  final void started() {
    state = STARTED;
  }

  /** Over, before MPI has got to know of it. */
  final void fail(CommunicationException why) {
    failure = why;
    state = DONE;
  }

  /** MPI is at work, but whatever it says, the outcome is this. */
  final void startedInVain(CommunicationException why) {
    failure = why;
    state = STARTED;
  }
}
