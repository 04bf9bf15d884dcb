// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one watch of this process, made when it is first needed: a process that has all its data on
 * the heap does without.
 */
public final class SharedPages {
  private static final Logger LOG = LoggerFactory.getLogger(SharedPages.class);

  /** Less is hashed sooner than asked for. */
  private static final long LEAST_BYTES = 256 << 10;

  private final @Nullable WatchedPages pages;
  private final String why;
  private final FirstWritePrice price;
  private final long least;

  private SharedPages(@Nullable WatchedPages pages, String why, FirstWritePrice price, long least) {
    this.pages = pages;
    this.why = why;
    this.price = price;
    this.least = least;
  }

  /** Made by the first who asks, and never closed: the process ends it. */
  private static final class OfProcess {
    static final SharedPages INSTANCE = open();

    private static SharedPages open() {
      try {
        UserfaultWatch watch = UserfaultWatch.open();
        FirstWritePrice price = FirstWritePrice.measure(watch);
        LOG.debug("pages are tracked; the first write to one costs {}", price);
        return new SharedPages(new WatchedPages(watch), "", price, LEAST_BYTES);
      } catch (UnwatchableException e) {
        LOG.info("writes to memory are not tracked, everything is hashed: {}", e.why());
        return none(e.why());
      }
    }
  }

  private static volatile @Nullable SharedPages instead;

  /** What watches the memory of this process. */
  public static SharedPages get() {
    SharedPages other = instead;
    return other != null ? other : OfProcess.INSTANCE;
  }

  /** That nothing can be watched, and why. */
  public static SharedPages none(String why) {
    return new SharedPages(null, why, new FirstWritePrice(0), LEAST_BYTES);
  }

  /** A watch, for tests: also of data of few bytes. */
  public static SharedPages of(PageWatch watch, FirstWritePrice price, long least) {
    return new SharedPages(new WatchedPages(watch), "", price, least);
  }

  /** Uses another watch from now on, for tests; null for the one of the process. */
  public static void use(@Nullable SharedPages other) {
    instead = other;
  }

  /** What is watched; empty if nothing can be. */
  Optional<WatchedPages> pages() {
    return Optional.ofNullable(pages);
  }

  /** The size of a page; of a byte where none are watched. */
  int pageSize() {
    return pages == null ? 1 : pages.pageSize();
  }

  /** Whether memory can be watched here at all. */
  public boolean isAvailable() {
    return pages != null;
  }

  /** Why nothing can be watched; empty if it can. */
  public String why() {
    return why;
  }

  FirstWritePrice price() {
    return price;
  }

  /** The least number of bytes worth watching; known without a watch. */
  static long least() {
    SharedPages other = instead;
    return other != null ? other.least : LEAST_BYTES;
  }
}
