// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.ForwardingStore;

/**
 * A store that takes and gives so many bytes a second and no more, to all its users together: who
 * reads or writes gets back when their bytes would have been through, after all that were there
 * before. What the store behind it takes counts as part of that time.
 */
public final class ThrottledStore extends ForwardingStore {
  private final double nanosPerByte;
  private long busyUntil = System.nanoTime();

  /** A store of so many bytes a second. */
  public ThrottledStore(Store store, double bytesPerSecond) {
    super(store);
    this.nanosPerByte = 1e9 / bytesPerSecond;
  }

  @Override
  public StoreFile open(String name, Access access) throws IOException {
    return new Throttled(store().open(name, access));
  }

  private synchronized long reserve(long bytes) {
    busyUntil = Math.max(System.nanoTime(), busyUntil) + (long) (bytes * nanosPerByte);
    return busyUntil;
  }

  /** Sleeping is not exact; the last part of the time is spun. */
  private static void waitUntil(long end) {
    long left;
    while ((left = end - System.nanoTime()) > 0) {
      if (left > 100_000) {
        LockSupport.parkNanos(left - 60_000);
      } else {
        Thread.onSpinWait();
      }
    }
  }

  private final class Throttled extends ForwardingFile {
    Throttled(StoreFile file) {
      super(file);
    }

    @Override
    public long read(long position, MemorySegment target) throws IOException {
      long end = reserve(target.byteSize());
      long read = super.read(position, target);
      waitUntil(end);
      return read;
    }

    @Override
    public void write(long position, MemorySegment source) throws IOException {
      long end = reserve(source.byteSize());
      super.write(position, source);
      waitUntil(end);
    }
  }
}
