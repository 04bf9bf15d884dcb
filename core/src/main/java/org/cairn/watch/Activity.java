// SPDX-License-Identifier: Apache-2.0
package org.cairn.watch;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
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

  /**
   * Why this rank left others in the middle of something; put into words when somebody asks, for
   * there may be no memory for them now.
   */
  private @Nullable Throwable breakdown;

  /** Whether somebody may still be blocked who should not be: there was no memory to end it. */
  private boolean unended;

  /** For a thread that begins to rest where memory has run out: the program's. */
  private final Rest spare = new Rest(false, true);

  private @Nullable Thread restingSparely;

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

  /**
   * This thread waits for others of this rank until what it gets is closed. Fails for nothing: a
   * rank that waits has to be known to wait.
   */
  public synchronized Rest rest() {
    Thread me = Thread.currentThread();
    waiting.remove(me);
    try {
      Rest rest = new Rest(!resting.contains(me), false);
      resting.add(me);
      return rest;
    } catch (OutOfMemoryError e) {
      restingSparely = resting.contains(me) ? null : me;
      return spare;
    }
  }

  /** The time in which a thread waits for others of its rank. */
  public final class Rest implements AutoCloseable {
    private final boolean outermost;
    private final boolean spare;

    private Rest(boolean outermost, boolean spare) {
      this.outermost = outermost;
      this.spare = spare;
    }

    @Override
    public void close() {
      synchronized (Activity.this) {
        if (outermost) {
          resting.remove(Thread.currentThread());
        }
        if (spare) {
          restingSparely = null;
        }
      }
    }
  }

  /**
   * Something that all ranks do together ended here with this failure. Unless it is one that the
   * others have seen too, they wait for this rank in vain: they are told, and it is over. Takes no
   * memory: that may be what has run out.
   */
  public synchronized void left(Throwable failure) {
    if (isOfThisRankAlone(failure)) {
      breakDown(failure);
    }
  }

  /**
   * The same of something where ranks agree on all that may go wrong: the rest is not agreed on.
   */
  public synchronized void leftUnagreed(Throwable failure) {
    boolean seen = failure instanceof RankLostException || failure instanceof StuckException;
    if (!seen && !(failure instanceof CancellationException)) {
      breakDown(failure);
    }
  }

  private void breakDown(Throwable failure) {
    if (!isEnded()) {
      breakdown = failure;
      unblockAll();
    }
  }

  /**
   * Errors first: of them no class has to be looked for. (Where a close fails for want of memory as
   * its block did, with the one error that the JVM has for that, the language makes it an illegal
   * argument.)
   */
  private static boolean isOfThisRankAlone(Throwable failure) {
    return failure instanceof Error
        || failure instanceof IllegalArgumentException
            && failure.getCause() instanceof OutOfMemoryError
        || failure instanceof CommunicationException
            && !(failure instanceof RankLostException)
            && !(failure instanceof StuckException);
  }

  private void unblockAll() {
    unended = true;
    try {
      blocked.forEach(Thread::interrupt);
      unended = false;
    } catch (OutOfMemoryError e) {
      // The watch tries again.
    }
  }

  /** Goes on with what there was no memory for. */
  synchronized void goOnEnding() {
    if (unended) {
      unblockAll();
    }
  }

  private static String reason(Throwable failure) {
    return shortened(failure.toString());
  }

  /** Why nothing can be done together any more, if it cannot. */
  private @Nullable String whyEnded() {
    if (end == null && breakdown != null) {
      end =
          "this rank has left the others in the middle of something: %s; end the program and start it again"
              .formatted(reason(breakdown));
    }
    return end;
  }

  private static String shortened(String text) {
    return text.length() > LONGEST_REASON ? text.substring(0, LONGEST_REASON) : text;
  }

  /** Whether nothing can be done together with the other ranks any more. */
  public synchronized boolean isEnded() {
    return end != null || breakdown != null;
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
    try {
      waiting.add(Thread.currentThread());
    } catch (OutOfMemoryError e) {
      // It looks again, and computes meanwhile: for that no rank need leave the others.
    }
  }

  /** This thread goes into a call that may wait; {@link #unblock} must follow. */
  synchronized void block() {
    refuseIfEnded();
    waiting.add(Thread.currentThread());
    blocked.add(Thread.currentThread());
  }

  synchronized void unblock() {
    Thread me = Thread.currentThread();
    waiting.remove(me);
    if (blocked.remove(me) && isEnded()) {
      Thread.interrupted(); // it was for the call
    }
  }

  /** Why a call failed: perhaps because it was ended. */
  synchronized RuntimeException reason(CommunicationException failure) {
    String why = whyEnded();
    return why == null ? failure : new StuckException(why);
  }

  private void refuseIfEnded() {
    String why = whyEnded();
    if (why != null) {
      throw new StuckException(why);
    }
  }

  // ---------------------------------------------------------------- what the watch asks

  /** Whether the rank computes, or got or sent a message since this was asked before. */
  synchronized boolean isSeen() {
    boolean moved = messages != seenMessages;
    seenMessages = messages;
    int rest = resting.size() + (restingSparely == null ? 0 : 1);
    return moved || waiting.size() + rest < atWork;
  }

  /** Why this rank has left the others in the middle of something, if it has. */
  synchronized Optional<String> breakdown() {
    return Optional.ofNullable(breakdown).map(Activity::reason);
  }

  /** The threads that wait, for other ranks or for each other. */
  synchronized Set<Thread> threads() {
    Set<Thread> all = new HashSet<>(waiting);
    all.addAll(resting);
    Optional.ofNullable(restingSparely).ifPresent(all::add);
    return all;
  }

  /** Lets every wait for other ranks fail, now and from now on. */
  synchronized void end(String why) {
    end = why;
    unblockAll();
  }
}
