// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The bytes of a file in memory: pages on the heap, made when first written, so that a sparse file
 * costs what was written to it. Reads run side by side, writes alone.
 */
final class MemoryFile {
  private static final int PAGE = 16 * 1024;

  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private final TreeMap<Long, byte[]> pages = new TreeMap<>();
  private long size;

  long size() {
    lock.readLock().lock();
    try {
      return size;
    } finally {
      lock.readLock().unlock();
    }
  }

  long read(long position, MemorySegment target) {
    lock.readLock().lock();
    try {
      long length = Math.clamp(size - position, 0, target.byteSize());
      for (long done = 0; done < length; ) {
        done += readWithinPage(position + done, target.asSlice(done, length - done));
      }
      return length;
    } finally {
      lock.readLock().unlock();
    }
  }

  private int readWithinPage(long position, MemorySegment target) {
    int offset = (int) (position % PAGE);
    int length = (int) Math.min(PAGE - offset, target.byteSize());
    byte[] page = pages.get(position / PAGE);
    if (page == null) {
      target.asSlice(0, length).fill((byte) 0);
    } else {
      MemorySegment.copy(MemorySegment.ofArray(page), offset, target, 0, length);
    }
    return length;
  }

  void write(long position, MemorySegment source) {
    lock.writeLock().lock();
    try {
      long length = source.byteSize();
      for (long done = 0; done < length; ) {
        done += writeWithinPage(position + done, source.asSlice(done));
      }
      if (length > 0) {
        size = Math.max(size, position + length);
      }
    } finally {
      lock.writeLock().unlock();
    }
  }

  private int writeWithinPage(long position, MemorySegment source) {
    int offset = (int) (position % PAGE);
    int length = (int) Math.min(PAGE - offset, source.byteSize());
    byte[] page = pages.computeIfAbsent(position / PAGE, index -> new byte[PAGE]);
    MemorySegment.copy(source, 0, MemorySegment.ofArray(page), offset, length);
    return length;
  }

  void truncate(long newSize) {
    lock.writeLock().lock();
    try {
      if (newSize < size) {
        pages.tailMap(newSize / PAGE, false).clear();
        clearTail(newSize);
        size = newSize;
      }
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Zeroes what lies behind the new end in its page: it must not come back when the file grows. */
  private void clearTail(long newSize) {
    byte[] page = pages.get(newSize / PAGE);
    if (page != null) {
      MemorySegment.ofArray(page).asSlice(newSize % PAGE).fill((byte) 0);
    }
  }

  MemoryFile copy() {
    MemoryFile copy = new MemoryFile();
    lock.readLock().lock();
    try {
      for (Map.Entry<Long, byte[]> page : pages.entrySet()) {
        copy.pages.put(page.getKey(), page.getValue().clone());
      }
      copy.size = size;
    } finally {
      lock.readLock().unlock();
    }
    return copy;
  }
}
