// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;

/** The faults armed in a {@link CrashingStore}, and the counters that set them off. */
final class Faults {

  /** What becomes of an operation. */
  enum Verdict {
    PROCEED,
    FAIL,
    CRASH
  }

  /** Fires once, at the n-th event after it was armed. */
  static final class Countdown {
    private long left;

    void arm(long n) {
      if (n < 1) {
        throw new IllegalArgumentException("events are counted from 1: " + n);
      }
      left = n;
    }

    private boolean fires() {
      return left > 0 && --left == 0;
    }
  }

  private record Range(String name, long from, long end) {
    boolean overlaps(StoreOperation read) {
      return name.equals(read.name()) && read.position() < end && from < read.end();
    }
  }

  private record Flip(String name, long bit) {
    boolean isIn(String file, long position, long length) {
      long octet = bit / Byte.SIZE;
      return name.equals(file) && position <= octet && octet < position + length;
    }
  }

  final Countdown crash = new Countdown();
  final Countdown failure = new Countdown();
  final Countdown failedForce = new Countdown();
  final Countdown failedRead = new Countdown();

  private final List<Range> badRanges = new ArrayList<>();
  private final List<Flip> flips = new ArrayList<>();
  private Predicate<StoreOperation> crashWhen = operation -> false;
  private long capacity = Long.MAX_VALUE;

  void crashWhen(Predicate<StoreOperation> condition) {
    crashWhen = condition;
  }

  void failReads(String name, long from, long length) {
    badRanges.add(new Range(name, from, from + length));
  }

  void flipOnRead(String name, long bit) {
    flips.add(new Flip(name, bit));
  }

  void limitTo(long bytes) {
    capacity = bytes;
  }

  long capacity() {
    return capacity;
  }

  Verdict judge(StoreOperation operation) {
    // Every counter advances whatever the others say: one fault must not shift another.
    boolean crashes = crash.fires();
    boolean fails = failure.fires();
    boolean failsForce = operation.isForce() && failedForce.fires();
    if (crashes || crashWhen.test(operation)) {
      return Verdict.CRASH;
    }
    return fails || failsForce ? Verdict.FAIL : Verdict.PROCEED;
  }

  boolean failsRead(StoreOperation read) {
    return failedRead.fires() || badRanges.stream().anyMatch(range -> range.overlaps(read));
  }

  /** The bits to flip in what was read; each is returned once. */
  List<Long> takeFlips(String name, long position, long length) {
    List<Long> taken = new ArrayList<>();
    for (Iterator<Flip> all = flips.iterator(); all.hasNext(); ) {
      Flip flip = all.next();
      if (flip.isIn(name, position, length)) {
        taken.add(flip.bit());
        all.remove();
      }
    }
    return taken;
  }
}
