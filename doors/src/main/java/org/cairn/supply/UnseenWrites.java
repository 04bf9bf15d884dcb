// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Writes to memory that no page table sees: a network card that puts a message where it belongs, a
 * device that copies. Whoever lets them happen says so here; whoever watches memory listens.
 */
public final class UnseenWrites {
  private static final CopyOnWriteArrayList<Listener> LISTENERS = new CopyOnWriteArrayList<>();
  private static final Set<Expected> OPEN = ConcurrentHashMap.newKeySet();

  /** What programs have said of themselves. */
  private static final Stretches MARKED = new Stretches();

  private UnseenWrites() {}

  /** Is told of writes, by any thread. */
  @FunctionalInterface
  public interface Listener {
    /** From one address up to another something was written, or may have been. */
    void written(long from, long to);
  }

  /** Somebody wants to hear of writes from now on. */
  public static void listen(Listener listener) {
    LISTENERS.add(listener);
  }

  /** Memory was written to. */
  public static void tell(MemorySegment written) {
    if (written.isNative() && !LISTENERS.isEmpty()) {
      tell(written.address(), end(written));
    }
  }

  /** Where memory ends; a segment without known bounds reaches as far as anything can. */
  private static long end(MemorySegment memory) {
    long end = memory.address() + memory.byteSize();
    return memory.address() >= 0 && end < 0 ? Long.MAX_VALUE : end;
  }

  /** Memory was written to, as the program says, which will say so again after such writes. */
  public static void mark(MemorySegment written) {
    if (written.isNative()) {
      MARKED.add(written.address(), end(written));
    }
    tell(written);
  }

  /** Memory is used for something else from now on: what was said of it before counts no more. */
  public static void unmark(long from, long to) {
    MARKED.remove(from, to);
  }

  /** Whether the program has said of some of this memory that it was written to. */
  public static boolean isMarked(MemorySegment memory) {
    return MARKED.meet(memory.address(), memory.address() + memory.byteSize());
  }

  private static void tell(long from, long to) {
    for (Listener listener : LISTENERS) {
      listener.written(from, to);
    }
  }

  /** Memory that may be written to at any time, until this is closed. */
  public static final class Expected implements AutoCloseable {
    private final long from;
    private final long to;

    private Expected(MemorySegment memory) {
      this.from = memory.address();
      this.to = end(memory);
    }

    /** It will not be written to any more; it was, perhaps. */
    @Override
    public void close() {
      if (OPEN.remove(this)) {
        tell(from, to);
      }
    }
  }

  /** Memory will be written to: by a message that is on its way, for example. */
  public static Expected expect(MemorySegment memory) {
    Expected expected = new Expected(memory);
    if (memory.isNative()) {
      OPEN.add(expected);
    }
    return expected;
  }

  /** Names all that may be written to at this moment. */
  public static void forEachExpected(Listener listener) {
    for (Expected expected : OPEN) {
      listener.written(expected.from, expected.to);
    }
  }
}
