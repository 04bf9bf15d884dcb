// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.util.BitSet;

/** The blocks of a dataset that may differ from the version it is compared with. */
public abstract sealed class Suspects {
  private static final Suspects ALL = new All();

  /** Nothing is known: any block may differ. */
  public static Suspects all() {
    return ALL;
  }

  /** Blocks on pages. */
  static Suspects on(BitSet pages, int pageSize, long address) {
    return new OnPages(pages, pageSize, address);
  }

  /** Whether any of the bytes from one offset up to another may differ. */
  public abstract boolean has(long from, long to);

  /** Whether there is any memory that is known not to differ. */
  public abstract boolean knows();

  private static final class All extends Suspects {
    @Override
    public boolean has(long from, long to) {
      return true;
    }

    @Override
    public boolean knows() {
      return false;
    }
  }

  private static final class OnPages extends Suspects {
    private final BitSet pages;

    /** Up to so many pages are asked one by one. */
    private static final int FEW = 64;

    private final int pageSize;

    /** How far into its first page the memory begins. */
    private final long lead;

    private OnPages(BitSet pages, int pageSize, long address) {
      this.pages = pages;
      this.pageSize = pageSize;
      this.lead = address % pageSize;
    }

    @Override
    public boolean has(long from, long to) {
      int first = (int) ((from + lead) / pageSize);
      int last = (int) ((to - 1 + lead) / pageSize);
      // The next one that is set may be gigabytes away: to look for it once a block would take a
      // time that grows with the square of the size.
      return last - first < FEW ? isAnySet(first, last) : isSetUpTo(first, last);
    }

    private boolean isAnySet(int first, int last) {
      int page = first;
      while (page <= last && !pages.get(page)) {
        page++;
      }
      return page <= last;
    }

    /** Of a block that is that large there are few. */
    private boolean isSetUpTo(int first, int last) {
      int written = pages.nextSetBit(first);
      return written >= 0 && written <= last;
    }

    @Override
    public boolean knows() {
      return true;
    }
  }
}
