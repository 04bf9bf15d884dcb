// SPDX-License-Identifier: Apache-2.0
package org.cairn.watch;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.cairn.StuckException;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.RankLostException;
import org.jspecify.annotations.Nullable;

/**
 * Whether this rank is at work or waits for others.
 *
 * <p>At work is whoever is not known to wait: the program, which counts from the beginning, and
 * each task that Cairn runs beside it. A thread <em>waits</em> from a look for a message that found
 * none until it finds or starts one, and <em>rests</em> while it waits for another thread of this
 * rank. The rank computes unless all of them wait or rest: in doubt it computes, and nobody is
 * ended.
 *
 * <p>Assumption: the program calls Cairn from one thread at a time.
 */
public final class Activity {
  private static final int LONGEST_REASON = 300;

  private int atWork = 1;
  private final Set<Thread> waiting = new HashSet<>();
  private final Set<Thread> resting = new HashSet<>();

  /** Those of the waiting that are inside a call that only an interrupt ends. */
  private final Set<Thread> blocked = new HashSet<>();

  private long messages;
  private long seenMessages;
  private @Nullable String end;

  /** Why this rank left others in the middle of something. */
  private @Nullable String breakdown;

  /** Of a rank that nobody watches, unless a communicator has it. */
  public Activity() {}

  /** What is known of the users of a communicator; of one that is not watched, nothing. */
  public static Activity of(Communicator comm) {
    return comm instanceof WatchedCommunicator watched ? watched.activity() : new Activity();
  }

  // ---------------------------------------------------------------- what Cairn tells

  /** The same task, known to be at work while it runs. */
  public Runnable task(Runnable work) {
    return () -> {
      count(1);
      try {
        work.run();
      } finally {
        count(-1);
      }
    };
  }

  private synchronized void count(int change) {
    atWork += change;
    waiting.remove(Thread.currentThread());
  }

  /** This thread waits for others of this rank until what it gets is closed. */
  public synchronized Rest rest() {
    Thread me = Thread.currentThread();
    waiting.remove(me);
    return new Rest(resting.add(me));
  }

  /** The time in which a thread waits for others of its rank. */
  public final class Rest implements AutoCloseable {
    private final boolean outermost;

    private Rest(boolean outermost) {
      this.outermost = outermost;
    }

    @Override
    public void close() {
      synchronized (Activity.this) {
        if (outermost) {
          resting.remove(Thread.currentThread());
        }
      }
    }
  }

  /**
   * Something that all ranks do together ended here with this failure. Unless it is one that the
   * others have seen too, they wait for this rank in vain: they are told, and it is over.
   */
  public synchronized void left(Throwable failure) {
    boolean seen = failure instanceof RankLostException || failure instanceof StuckException;
    boolean alone = failure instanceof Error || failure instanceof CommunicationException;
    if (alone && !seen && end == null) {
      breakdown = shortened(failure.toString());
      end(
          "this rank has left the others in the middle of something: %s; end the program and start it again"
              .formatted(breakdown));
    }
  }

  private static String shortened(String text) {
    return text.length() > LONGEST_REASON ? text.substring(0, LONGEST_REASON) : text;
  }

  /** Whether nothing can be done together with the other ranks any more. */
  public synchronized boolean isEnded() {
    return end != null;
  }

  // ---------------------------------------------------------------- what communicators tell

  /** This thread begins something. */
  synchronized void works() {
    waiting.remove(Thread.currentThread());
  }

  /** A message of this thread is complete. */
  synchronized void progresses() {
    messages++;
    waiting.remove(Thread.currentThread());
  }

  /**
   * This thread looked for a message, and there was none.
   *
   * @throws StuckException if there is none to be expected any more
   */
  synchronized void waits() {
    refuseIfEnded();
    waiting.add(Thread.currentThread());
  }

  /** This thread goes into a call that may wait; {@link #unblock} must follow. */
  synchronized void block() {
    waits();
    blocked.add(Thread.currentThread());
  }

  synchronized void unblock() {
    Thread me = Thread.currentThread();
    waiting.remove(me);
    if (blocked.remove(me) && end != null) {
      Thread.interrupted(); // it was for the call
    }
  }

  /** Why a call failed: perhaps because it was ended. */
  synchronized RuntimeException reason(CommunicationException failure) {
    return end == null ? failure : new StuckException(end);
  }

  private void refuseIfEnded() {
    if (end != null) {
      throw new StuckException(end);
    }
  }

  // ---------------------------------------------------------------- what the watch asks

  /** Whether the rank computes, or got or sent a message since this was asked before. */
  synchronized boolean isSeen() {
    boolean moved = messages != seenMessages;
    seenMessages = messages;
    return moved || waiting.size() + resting.size() < atWork;
  }

  /** Why this rank has left the others in the middle of something, if it has. */
  synchronized Optional<String> breakdown() {
    return Optional.ofNullable(breakdown);
  }

  /** The threads that wait, for other ranks or for each other. */
  synchronized Set<Thread> threads() {
    Set<Thread> all = new HashSet<>(waiting);
    all.addAll(resting);
    return all;
  }

  /** Lets every wait for other ranks fail, now and from now on. */
  synchronized void end(String why) {
    end = why;
    blocked.forEach(Thread::interrupt);
  }
}
