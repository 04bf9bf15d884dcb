// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.function.Predicate;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreLock;

/** A shared directory as a rank sees it that does not see everything, or may not write. */
final class FilteredStore implements Store {
  private final Store store;
  private final Predicate<String> hidden;
  private final boolean readOnly;

  private FilteredStore(Store store, Predicate<String> hidden, boolean readOnly) {
    this.store = store;
    this.hidden = hidden;
    this.readOnly = readOnly;
  }

  static Store hiding(Store store, Predicate<String> hidden) {
    return new FilteredStore(store, hidden, false);
  }

  static Store readOnly(Store store) {
    return new FilteredStore(store, _ -> false, true);
  }

  private void refuseToWrite(String name) throws IOException {
    if (readOnly) {
      throw new AccessDeniedException(name);
    }
  }

  @Override
  public StoreFile open(String name, Access access) throws IOException {
    if (access != Access.READ) {
      refuseToWrite(name);
    } else if (hidden.test(name)) {
      throw new NoSuchFileException(name);
    }
    return store.open(name, access);
  }

  @Override
  public boolean exists(String name) throws IOException {
    return !hidden.test(name) && store.exists(name);
  }

  @Override
  public List<String> list() throws IOException {
    return store.list().stream().filter(hidden.negate()).toList();
  }

  @Override
  public void rename(String from, String to) throws IOException {
    refuseToWrite(from);
    store.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    refuseToWrite(name);
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
}
