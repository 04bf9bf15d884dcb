// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Watches memory by comparing it with copies: runs anywhere, with pages of any size. */
public class CopyWatch implements PageWatch {
  private final int pageSize;
  private final Map<Long, byte[]> copies = new TreeMap<>();

  public CopyWatch(int pageSize) {
    this.pageSize = pageSize;
  }

  @Override
  public int pageSize() {
    return pageSize;
  }

  @Override
  public Ground ground() {
    return (from, to) -> Optional.empty();
  }

  @Override
  public void watch(long from, long to) {
    for (long page = from; page < to; page += pageSize) {
      copies.putIfAbsent(page, new byte[0]); // differs from whatever is there
    }
  }

  @Override
  public int room() {
    return Integer.MAX_VALUE;
  }

  @Override
  public void unwatch(long from, long to) {
    for (long page = from; page < to; page += pageSize) {
      copies.remove(page);
    }
  }

  @Override
  public void scan(long from, long to, Written written) throws UnwatchableException {
    for (long page = from; page < to; page += pageSize) {
      byte[] before = copies.get(page);
      if (before == null) {
        throw new UnwatchableException("page is not watched");
      }
      byte[] now =
          MemorySegment.ofAddress(page).reinterpret(pageSize).toArray(ValueLayout.JAVA_BYTE);
      if (!Arrays.equals(before, now)) {
        copies.put(page, now);
        written.pages(page, page + pageSize);
      }
    }
  }

  @Override
  public void close() {}
}
