// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;

/** Counts the bytes that are read and written. Safe for use by many threads. */
public final class CountingStore extends ForwardingStore {
  private final AtomicLong read = new AtomicLong();
  private final AtomicLong written = new AtomicLong();

  /** Counts what is asked of {@code store}. */
  public CountingStore(Store store) {
    super(store);
  }

  /** How many bytes were read since the last {@link #reset}. */
  public long bytesRead() {
    return read.get();
  }

  /** How many bytes were written since the last {@link #reset}. */
  public long bytesWritten() {
    return written.get();
  }

  /** Begins to count anew. */
  public void reset() {
    read.set(0);
    written.set(0);
  }

  /**
   * So many bytes.
   *
   * @param read as many as were there to be read
   */
  public record Bytes(long read, long written) {
    /** What has been added since. */
    public Bytes since(Bytes before) {
      return new Bytes(read - before.read, written - before.written);
    }
  }

  /** What was counted so far. */
  public Bytes bytes() {
    return new Bytes(read.get(), written.get());
  }

  @Override
  public StoreFile open(String name, Access access) throws IOException {
    return new CountingFile(store().open(name, access));
  }

  private final class CountingFile extends ForwardingFile {
    CountingFile(StoreFile file) {
      super(file);
    }

    @Override
    public long read(long position, MemorySegment target) throws IOException {
      long count = super.read(position, target);
      read.addAndGet(Math.max(0, count));
      return count;
    }

    @Override
    public void write(long position, MemorySegment source) throws IOException {
      super.write(position, source);
      written.addAndGet(source.byteSize());
    }
  }
}
