// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.cairn.store.Directories;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;

/** Directories in memory that can be lost. */
public final class MemoryDirectories implements Directories {
  private final Map<String, Store> stores = new TreeMap<>();

  @Override
  public synchronized Store create(String name) {
    return stores.computeIfAbsent(name, key -> new MemoryStore());
  }

  @Override
  public synchronized Store open(String name) throws IOException {
    Store store = stores.get(name);
    if (store == null) {
      throw new NoSuchFileException(name);
    }
    return store;
  }

  /** Puts another store in the place of a directory. */
  public synchronized void put(String name, Store store) {
    stores.put(name, store);
  }

  /** The same directories, which go their own way from here on; without locks. */
  public synchronized MemoryDirectories copy() {
    MemoryDirectories copy = new MemoryDirectories();
    stores.forEach((name, store) -> copy.put(name, ((MemoryStore) store).copy()));
    return copy;
  }

  /** Loses the directory of a rank. */
  public synchronized void lose(int rank) {
    stores.remove("rank" + rank);
  }

  @Override
  public synchronized List<String> names() {
    return new ArrayList<>(stores.keySet());
  }

  @Override
  public String location() {
    return "memory";
  }
}
