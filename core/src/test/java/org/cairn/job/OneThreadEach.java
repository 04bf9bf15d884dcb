// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.cairn.comm.Communicator;
import org.cairn.comm.ForwardingCommunicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;
import org.jspecify.annotations.Nullable;

/**
 * A transport of which each communicator serves one thread at a time, and different ones different
 * threads. It insists on that, and tells who came.
 */
final class OneThreadEach extends ForwardingCommunicator {

  /** What happened, over all communicators of all ranks. */
  static final class Log {
    final Set<String> threads = Collections.synchronizedSet(new TreeSet<>());
    final Set<String> overlaps = Collections.synchronizedSet(new TreeSet<>());
  }

  private final Log log;
  private final AtomicReference<@Nullable Thread> inside = new AtomicReference<>();

  OneThreadEach(Communicator inner, Log log) {
    super(inner);
    this.log = log;
  }

  private <T> T alone(Supplier<T> call) {
    Thread me = Thread.currentThread();
    log.threads.add(me.getName());
    Thread other = inside.compareAndExchange(null, me);
    if (other != null) {
      log.overlaps.add(me.getName() + " while " + other.getName());
      throw new AssertionError(me + " comes while " + other + " is in a call");
    }
    try {
      return call.get();
    } finally {
      inside.set(null);
    }
  }

  @Override
  public boolean isConcurrent() {
    return false;
  }

  @Override
  public boolean isIndependent() {
    return true;
  }

  @Override
  public Request startSend(MemorySegment data, int to, int tag) {
    return alone(() -> new Guarded(inner().startSend(data, to, tag)));
  }

  @Override
  public Request startReceive(MemorySegment target, int from, int tag) {
    return alone(() -> new Guarded(inner().startReceive(target, from, tag)));
  }

  @Override
  public Optional<Message> poll(int from, int tag) {
    return alone(() -> inner().poll(from, tag));
  }

  @Override
  public Message probe(int from, int tag) {
    return alone(() -> inner().probe(from, tag));
  }

  @Override
  public Communicator split(int color, int key) {
    return alone(() -> new OneThreadEach(inner().split(color, key), log));
  }

  @Override
  public Communicator duplicate() {
    return alone(() -> new OneThreadEach(inner().duplicate(), log));
  }

  private final class Guarded implements Request {
    private final Request request;

    Guarded(Request request) {
      this.request = request;
    }

    @Override
    public boolean test() {
      return alone(request::test);
    }

    @Override
    public Message await() {
      return alone(request::await);
    }
  }
}
