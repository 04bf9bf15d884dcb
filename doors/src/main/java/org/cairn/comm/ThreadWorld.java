// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What the ranks of one {@link Ranks#run} know of each other: who has ended, and who failed first.
 *
 * <p>Whoever waits is listed in {@link #sleepers} before it looks at these facts for the last time,
 * with the rank it waits for; whoever changes them wakes those afterwards whom it concerns. So
 * nobody sleeps on past the end of a rank, and the end of a rank does not wake all others.
 */
final class ThreadWorld {

  /** How a rank failed. */
  record Loss(int rank, Throwable cause) {}

  private final List<String> domains;
  private final Set<Integer> ended = ConcurrentHashMap.newKeySet();
  private final Map<Thread, Integer> sleepers = new ConcurrentHashMap<>();
  private final AtomicReference<@Nullable Loss> first = new AtomicReference<>();

  ThreadWorld(List<String> domains) {
    this.domains = List.copyOf(domains);
  }

  int size() {
    return domains.size();
  }

  String domain(int rank) {
    return domains.get(rank);
  }

  /** The rank came to the end of its program. */
  void end(int rank) {
    ended.add(rank);
    sleepers.forEach(
        (thread, awaited) -> {
          if (awaited == rank) {
            LockSupport.unpark(thread);
          }
        });
  }

  /** The rank failed. All others fail with it. */
  void lose(int rank, Throwable cause) {
    first.compareAndSet(null, new Loss(rank, cause));
    sleepers.keySet().forEach(LockSupport::unpark);
  }

  boolean hasEnded(int rank) {
    return ended.contains(rank);
  }

  /** The failure that came first. */
  Optional<Loss> loss() {
    return Optional.ofNullable(first.get());
  }

  /**
   * This thread is going to sleep.
   *
   * @param awaited the rank it waits for, or {@link Communicator#ANY_SOURCE}
   */
  void enterSleep(Thread thread, int awaited) {
    sleepers.put(thread, awaited);
  }

  void leaveSleep(Thread thread) {
    sleepers.remove(thread);
  }
}
