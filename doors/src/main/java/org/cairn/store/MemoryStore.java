// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A {@link Store} on the heap of this JVM, for tests and for checkpoints that need not survive the
 * process. Sparse files cost only what was written to them. Forcing does nothing: the store lasts
 * as long as the object.
 */
public final class MemoryStore implements Store {
  // Guarded by this. The files guard their own bytes.
  private final TreeMap<String, MemoryFile> files = new TreeMap<>();
  private final Map<String, LockHolder> locks = new HashMap<>();
  private final boolean scarce;
  private volatile boolean frozen;

  /** Makes an empty store, which stands for a disk: memory does not matter. */
  public MemoryStore() {
    this(false);
  }

  private MemoryStore(boolean scarce) {
    this.scarce = scarce;
  }

  /** An empty store whose files say that they are memory. */
  public static MemoryStore scarce() {
    return new MemoryStore(true);
  }

  /** A store of its own with the files as they are now; locks and open files stay behind. */
  public synchronized MemoryStore copy() {
    MemoryStore copy = new MemoryStore(scarce);
    files.forEach((name, file) -> copy.files.put(name, file.copy()));
    return copy;
  }

  /** Refuses all changes of files from now on; names can still be changed. */
  public void freeze() {
    frozen = true;
  }

  @Override
  public synchronized StoreFile open(String name, Access access)
      throws NoSuchFileException, FileAlreadyExistsException, StoreLockedException {
    StoreNames.check(name);
    checkNotLocked(name);
    if (access == Access.CREATE_NEW && files.containsKey(name)) {
      throw new FileAlreadyExistsException(location(name));
    }
    MemoryFile file =
        access == Access.CREATE || access == Access.CREATE_NEW
            ? files.computeIfAbsent(name, absent -> new MemoryFile())
            : existing(name);
    return new OpenFile(name, file, access != Access.READ);
  }

  private MemoryFile existing(String name) throws NoSuchFileException {
    MemoryFile file = files.get(name);
    if (file == null) {
      throw new NoSuchFileException(location(name));
    }
    return file;
  }

  @Override
  public synchronized boolean exists(String name) {
    return files.containsKey(StoreNames.check(name));
  }

  @Override
  public synchronized List<String> list() {
    return new ArrayList<>(files.keySet());
  }

  @Override
  public synchronized void rename(String from, String to)
      throws NoSuchFileException, StoreLockedException {
    StoreNames.check(from);
    StoreNames.check(to);
    checkNotLocked(from);
    checkNotLocked(to);
    MemoryFile file = existing(from);
    files.remove(from);
    files.put(to, file);
  }

  @Override
  public synchronized void delete(String name) throws StoreLockedException {
    StoreNames.check(name);
    checkNotLocked(name);
    files.remove(name);
  }

  @Override
  public void forceDirectory() {}

  @Override
  public long freeSpace() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.maxMemory() - (runtime.totalMemory() - runtime.freeMemory());
  }

  @Override
  public synchronized StoreLock lock(String name) throws StoreLockedException {
    StoreNames.check(name);
    checkNotLocked(name);
    LockHolder holder = LockHolder.current();
    MemoryFile file = files.computeIfAbsent(name, absent -> new MemoryFile());
    file.truncate(0);
    file.write(0, MemorySegment.ofArray(holder.format().getBytes(StandardCharsets.UTF_8)));
    locks.put(name, holder);
    return new Lock(name, file);
  }

  private void checkNotLocked(String name) throws StoreLockedException {
    LockHolder holder = locks.get(name);
    if (holder != null) {
      throw StoreLockedException.heldHere(location(name), holder);
    }
  }

  private synchronized boolean leadsTo(String name, MemoryFile file) {
    return files.get(name) == file;
  }

  private synchronized void unlock(Lock lock) {
    if (lock.held) {
      lock.held = false;
      lock.file.truncate(0);
      locks.remove(lock.name);
    }
  }

  @Override
  public String location(String name) {
    return "memory:" + StoreNames.check(name);
  }

  private final class Lock implements StoreLock {
    private final String name;
    private final MemoryFile file;
    private volatile boolean held = true;

    Lock(String name, MemoryFile file) {
      this.name = name;
      this.file = file;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public boolean isHeld() {
      return held;
    }

    @Override
    public boolean isNamed() {
      return leadsTo(name, file);
    }

    @Override
    public void close() {
      unlock(this);
    }
  }

  private final class OpenFile implements StoreFile {
    private final String name;
    private final MemoryFile file;
    private final boolean writable;
    private volatile boolean open = true;

    OpenFile(String name, MemoryFile file, boolean writable) {
      this.name = name;
      this.file = file;
      this.writable = writable;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public boolean isNamed() throws ClosedChannelException {
      checkOpen();
      return leadsTo(name, file);
    }

    @Override
    public long size() throws ClosedChannelException {
      checkOpen();
      return file.size();
    }

    @Override
    public boolean isMemory() {
      return scarce;
    }

    @Override
    public long read(long position, MemorySegment target) throws ClosedChannelException {
      StoreRanges.check(position, target.byteSize());
      checkOpen();
      return file.read(position, target);
    }

    @Override
    public void write(long position, MemorySegment source) throws ClosedChannelException {
      StoreRanges.check(position, source.byteSize());
      checkWritable();
      file.write(position, source);
    }

    @Override
    public void truncate(long size) throws ClosedChannelException {
      StoreRanges.checkSize(size);
      checkWritable();
      file.truncate(size);
    }

    @Override
    public void force() throws ClosedChannelException {
      checkOpen();
    }

    @Override
    public void close() {
      open = false;
    }

    private void checkOpen() throws ClosedChannelException {
      if (!open) {
        throw new ClosedChannelException();
      }
    }

    private void checkWritable() throws ClosedChannelException {
      checkOpen();
      if (!writable || frozen) {
        throw new NonWritableChannelException();
      }
    }
  }
}
