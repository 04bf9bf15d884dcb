// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.StoreOperation.Kind;

/**
 * Writes down what is asked of another store, reads included, in the order in which it is asked.
 * For tests that state how files are used, such as "a commit is few, large, sequential writes".
 */
public final class RecordingStore extends ForwardingStore {
  // Guarded by itself.
  private final List<StoreOperation> operations = new ArrayList<>();

  /** Records what is asked of {@code store}. */
  public RecordingStore(Store store) {
    super(store);
  }

  /** What was asked so far. */
  public List<StoreOperation> operations() {
    synchronized (operations) {
      return List.copyOf(operations);
    }
  }

  /** What was asked so far, of one kind. */
  public List<StoreOperation> operations(Kind kind) {
    return operations().stream().filter(operation -> operation.kind() == kind).toList();
  }

  /** The bytes that operations of this kind were asked to move so far. */
  public long bytes(Kind kind) {
    return operations(kind).stream().mapToLong(StoreOperation::length).sum();
  }

  /** Forgets what was asked so far. */
  public void clear() {
    synchronized (operations) {
      operations.clear();
    }
  }

  private void record(StoreOperation operation) {
    synchronized (operations) {
      operations.add(operation);
    }
  }

  @Override
  public StoreFile open(String name, Access access) throws IOException {
    boolean creates = access == Access.CREATE || access == Access.CREATE_NEW;
    if (creates && !store().exists(name)) {
      record(StoreOperation.on(Kind.CREATE, name));
    }
    return new RecordingFile(store().open(name, access));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    record(StoreOperation.rename(from, to));
    store().rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    record(StoreOperation.on(Kind.DELETE, name));
    store().delete(name);
  }

  @Override
  public void forceDirectory() throws IOException {
    record(StoreOperation.forceDirectory());
    store().forceDirectory();
  }

  private final class RecordingFile extends ForwardingFile {

    RecordingFile(StoreFile file) {
      super(file);
    }

    @Override
    public long read(long position, MemorySegment target) throws IOException {
      record(StoreOperation.read(name(), position, target.byteSize()));
      return super.read(position, target);
    }

    @Override
    public void write(long position, MemorySegment source) throws IOException {
      record(StoreOperation.write(name(), position, source.byteSize()));
      super.write(position, source);
    }

    @Override
    public void truncate(long size) throws IOException {
      record(StoreOperation.truncate(name(), size));
      super.truncate(size);
    }

    @Override
    public void force() throws IOException {
      record(StoreOperation.on(Kind.FORCE, name()));
      super.force();
    }
  }
}
