// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.util.Optional;

/**
 * Knows which pages of this process were written to. What a scan tells it forgets, so that the next
 * one tells what was written since; whoever asks has to remember. One thread at a time.
 *
 * <p>Guarantees: a page that was written to after it was watched, or told last, is told by the next
 * scan of its range, unless that scan fails. More may be told. A scan that fails may have forgotten
 * pages that it told nobody.
 */
public interface PageWatch extends AutoCloseable {
  /** The size of a page; all ranges are of whole pages. */
  int pageSize();

  /**
   * What memory is made of at the moment, as far as it matters here.
   *
   * @throws UnwatchableException if nobody knows
   */
  Ground ground() throws UnwatchableException;

  /** What memory was made of when it was asked for. */
  interface Ground {
    /** Why a range cannot be watched, or should not; empty if it can. */
    Optional<String> refusal(long from, long to);
  }

  /**
   * Begins to watch a range; all of it counts as written until it has been scanned.
   *
   * @throws UnwatchableException if that cannot be done with this memory
   */
  void watch(long from, long to) throws UnwatchableException;

  /**
   * How many more ranges may be watched at the moment, if each of them is apart from all others.
   *
   * @throws UnwatchableException if nobody knows
   */
  int room() throws UnwatchableException;

  /** Watches a range no longer: it costs nothing any more to write to it. */
  void unwatch(long from, long to);

  /**
   * Tells which pages were written to.
   *
   * @throws UnwatchableException if some of it is no longer watched: freed, or mapped anew
   */
  void scan(long from, long to, Written written) throws UnwatchableException;

  /** Is told of pages. */
  @FunctionalInterface
  interface Written {
    /** All pages from one address up to another. */
    void pages(long from, long to);
  }

  @Override
  void close();
}
