// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.function.Predicate;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.ForwardingStore;

/** A shared directory as a rank sees it that does not see everything, or may not write. */
final class FilteredStore extends ForwardingStore {
  private final Predicate<String> hidden;
  private final boolean readOnly;

  private FilteredStore(Store store, Predicate<String> hidden, boolean readOnly) {
    super(store);
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
    return super.open(name, access);
  }

  @Override
  public boolean exists(String name) throws IOException {
    return !hidden.test(name) && super.exists(name);
  }

  @Override
  public List<String> list() throws IOException {
    return super.list().stream().filter(hidden.negate()).toList();
  }

  @Override
  public void rename(String from, String to) throws IOException {
    refuseToWrite(from);
    super.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    refuseToWrite(name);
    super.delete(name);
  }
}
