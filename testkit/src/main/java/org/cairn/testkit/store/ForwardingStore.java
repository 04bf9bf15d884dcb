// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreLock;

/**
 * A store that passes everything on, for those that change a part of it. Not {@link #openUncached}:
 * whoever looks at files must not be passed by.
 */
public abstract class ForwardingStore implements Store {
  private final Store store;

  protected ForwardingStore(Store store) {
    this.store = store;
  }

  /** The store behind this one. */
  protected final Store store() {
    return store;
  }

  @Override
  public StoreFile open(String name, Access access) throws IOException {
    return store.open(name, access);
  }

  @Override
  public boolean exists(String name) throws IOException {
    return store.exists(name);
  }

  @Override
  public List<String> list() throws IOException {
    return store.list();
  }

  @Override
  public void rename(String from, String to) throws IOException {
    store.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    store.delete(name);
  }

  @Override
  public void forceDirectory() throws IOException {
    store.forceDirectory();
  }

  @Override
  public long freeSpace() throws IOException {
    return store.freeSpace();
  }

  @Override
  public StoreLock lock(String name) throws IOException {
    return store.lock(name);
  }

  @Override
  public String location(String name) {
    return store.location(name);
  }

  /** A file that passes everything on. */
  public abstract static class ForwardingFile implements StoreFile {
    private final StoreFile file;

    protected ForwardingFile(StoreFile file) {
      this.file = file;
    }

    @Override
    public String name() {
      return file.name();
    }

    @Override
    public boolean isNamed() throws IOException {
      return file.isNamed();
    }

    @Override
    public void lock() throws IOException {
      file.lock();
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public long read(long position, MemorySegment target) throws IOException {
      return file.read(position, target);
    }

    @Override
    public void write(long position, MemorySegment source) throws IOException {
      file.write(position, source);
    }

    @Override
    public void truncate(long size) throws IOException {
      file.truncate(size);
    }

    @Override
    public void force() throws IOException {
      file.force();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
