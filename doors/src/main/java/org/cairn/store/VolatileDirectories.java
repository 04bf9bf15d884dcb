// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Directories whose own stores keep some files in memory; see {@link VolatileStore}. */
public final class VolatileDirectories implements Directories {
  private final Directories disk;
  private final Predicate<String> kept;
  private final List<VolatileStore> stores = new ArrayList<>();

  /** Keeps the files in memory that {@code kept} chooses. */
  public VolatileDirectories(Directories disk, Predicate<String> kept) {
    this.disk = disk;
    this.kept = kept;
  }

  @Override
  public synchronized Store create(String name) throws IOException {
    VolatileStore store = new VolatileStore(disk.create(name), kept);
    stores.add(store);
    return store;
  }

  @Override
  public Store open(String name) throws IOException {
    return disk.open(name);
  }

  @Override
  public List<String> names() throws IOException {
    return disk.names();
  }

  @Override
  public String location() {
    return disk.location();
  }

  /** Writes everything to files; nothing can be changed afterwards. */
  public synchronized void save() throws IOException {
    for (VolatileStore store : stores) {
      store.save();
    }
  }
}
