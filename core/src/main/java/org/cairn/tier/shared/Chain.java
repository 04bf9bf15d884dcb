// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.util.ArrayList;
import java.util.List;
import org.cairn.record.Digest;

/**
 * The indices that tell together where the blocks of a rank lie, apart from the one in the segment
 * of the version itself: a whole one first, then changes to the one before. Each lies in a file of
 * its own, which holds nothing but indices: so no segment stays for an index alone, and versions
 * that are no longer kept leave nothing behind but blocks that others need. Immutable.
 *
 * <p>Every {@value #EVERY}th flush writes such an index, the {@value #MOST}th a whole one. They are
 * merged like the digits of a binary counter: number n tells what changed since number {@code n &
 * (n - 1)}, which is n without its lowest bit. So there are at most three changes behind a whole
 * one, and each change is written again as often. What a version writes beside its blocks is what
 * changed since the last of them, and nobody links to that.
 *
 * @param steps the indices, a whole one first
 * @param flushes how many flushes there were since the whole one, with its own
 * @param since the blocks that changed after the last of the steps
 */
record Chain(List<Step> steps, int flushes, Changes since) {
  /** One flush of so many writes an index that others link to. */
  static final int EVERY = 8;

  /** One flush of so many writes a whole index. */
  static final int MOST = 64;

  static final Chain NONE = new Chain(List.of(), 0, Changes.NONE);

  /**
   * One of the indices.
   *
   * @param number 0 for a whole one
   * @param segment the file where it lies
   * @param bytes how many bytes it takes there
   * @param changes the blocks that it tells of; of no meaning for a whole one
   */
  record Step(int number, String segment, Digest checksum, long bytes, Changes changes) {}

  /** Copies the list. */
  Chain {
    steps = List.copyOf(steps);
  }

  /** Whether the next index has to be whole. */
  boolean isFull() {
    return steps.isEmpty() || flushes >= MOST;
  }

  /** Whether others should link to the next index. */
  boolean isDue() {
    return flushes % EVERY == 0;
  }

  private int below() {
    return flushes & (flushes - 1);
  }

  /** What is left of it below the next index that others link to, if that is one of changes. */
  Chain kept() {
    List<Step> left = steps.stream().filter(step -> step.number <= below()).toList();
    return new Chain(left, flushes, Changes.NONE);
  }

  /** What that index has to tell of, beside what is new. */
  Changes merged() {
    Changes all = since;
    for (Step step : steps) {
      if (step.number > below()) {
        all = all.union(step.changes);
      }
    }
    return all;
  }

  Chain plus(Step step) {
    List<Step> longer = new ArrayList<>(steps);
    longer.add(step);
    return new Chain(longer, flushes, Changes.NONE);
  }

  /** The chain after a flush. */
  Chain flushed(Changes changed) {
    return new Chain(steps, flushes + 1, changed);
  }

  /** How an index is tied to this chain. */
  Link link(int number) {
    Step last = steps.getLast();
    return new Link(number, last.segment, last.checksum);
  }
}
