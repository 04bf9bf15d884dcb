// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where the sends to a rank and its receives meet. Each waits in the order in which it came: a
 * receive takes the earliest send that fits, a send the earliest receive.
 */
final class ThreadMailbox {
  private final Set<ThreadRequest> sends = new LinkedHashSet<>();
  private final Set<ThreadRequest> receives = new LinkedHashSet<>();

  /** Those that sleep until there is a message; each is in it once. */
  private final Set<Thread> lookouts = ConcurrentHashMap.newKeySet();

  /**
   * Delivers a message, or leaves it here.
   *
   * @param detached whether a message that stays is copied, so that its sender need not wait
   */
  void send(ThreadRequest send, boolean detached) {
    @Nullable ThreadTransfer transfer;
    synchronized (this) {
      Optional<ThreadRequest> receive = take(receives, waiting -> waiting.accepts(send));
      if (receive.isEmpty()) {
        if (detached) {
          send.detach();
        }
        sends.add(send);
        transfer = null;
      } else {
        transfer = ThreadTransfer.between(send, receive.get());
      }
    }
    if (transfer == null) {
      lookouts.forEach(LockSupport::unpark);
    } else {
      transfer.proceed(); // without the lock: copying may take long
    }
  }

  /** Takes a message, or waits here for one. */
  void receive(ThreadRequest receive) {
    ThreadTransfer transfer;
    synchronized (this) {
      Optional<ThreadRequest> send = take(sends, receive::accepts);
      if (send.isEmpty()) {
        receives.add(receive);
        return;
      }
      transfer = ThreadTransfer.between(send.get(), receive);
    }
    transfer.proceed();
  }

  private static Optional<ThreadRequest> take(
      Set<ThreadRequest> waiting, Predicate<ThreadRequest> fits) {
    for (Iterator<ThreadRequest> all = waiting.iterator(); all.hasNext(); ) {
      ThreadRequest one = all.next();
      if (fits.test(one)) {
        all.remove();
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }

  /**
   * From now on this thread, which looks by {@link #peek}, is woken by every message that stays.
   */
  void enterLookout(Thread thread) {
    lookouts.add(thread);
  }

  void leaveLookout(Thread thread) {
    lookouts.remove(thread);
  }

  /** The first message that a receive would take. Who waits asks all the time: no garbage. */
  synchronized Optional<Message> peek(int from, int tag) {
    if (sends.isEmpty()) {
      return Optional.empty();
    }
    for (ThreadRequest send : sends) {
      if (ThreadRequest.accepts(from, tag, send)) {
        return Optional.of(send.message());
      }
    }
    return Optional.empty();
  }
}
