// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.util.ArrayList;
import java.util.List;
import org.cairn.record.Digest;

/**
 * The indices that tell together where the blocks of a rank lie: a whole one first, then changes to
 * the one before. Immutable.
 *
 * <p>They are merged like the digits of a binary counter: the n-th flush since the whole index
 * writes what changed since flush {@code n & (n - 1)}, which is n without its lowest bit. So there
 * are as many links as n has bits, 6 at most; a change is written again as often, and after 64
 * flushes the index is written whole.
 */
record Chain(List<Step> steps) {
  static final Chain NONE = new Chain(List.of());

  /**
   * One of the indices.
   *
   * @param number 0 for a whole one
   * @param segment where it lies
   * @param bytes how many bytes it takes there
   * @param written how many bytes of blocks the rank put there beside it
   * @param changes the blocks that it tells of; of no meaning for a whole one
   */
  record Step(
      int number, String segment, Digest checksum, long bytes, long written, Changes changes) {}

  /** Copies the list. */
  Chain {
    steps = List.copyOf(steps);
  }

  boolean isEmpty() {
    return steps.isEmpty();
  }

  /** The number of the next index. */
  int next() {
    return steps.isEmpty() ? 0 : steps.getLast().number + 1;
  }

  /** What is left of it below the next index, if that is one of changes. */
  Chain kept() {
    int link = next() & (next() - 1);
    return new Chain(steps.stream().filter(step -> step.number <= link).toList());
  }

  /** What the next index has to tell of, beside what is new. */
  Changes merged() {
    int link = next() & (next() - 1);
    Changes all = Changes.NONE;
    for (Step step : steps) {
      if (step.number > link) {
        all = all.union(step.changes);
      }
    }
    return all;
  }

  Chain plus(Step step) {
    List<Step> longer = new ArrayList<>(steps);
    longer.add(step);
    return new Chain(longer);
  }

  /** How the next index is tied to this chain, of which it is the end. */
  Link link(int number) {
    Step last = steps.getLast();
    return new Link(number, last.segment, last.checksum);
  }
}
