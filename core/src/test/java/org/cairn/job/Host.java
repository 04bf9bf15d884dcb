// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.CrashingStore;

/** A machine with disks that crash: the directories that a rank sees that runs on it. */
final class Host implements Directories {
  private final String name;
  private final Map<String, CrashingStore> stores = new TreeMap<>();
  private long nextSeed;

  Host(String name, long seed) {
    this.name = name;
    this.nextSeed = seed;
  }

  String name() {
    return name;
  }

  @Override
  public synchronized CrashingStore create(String directory) {
    return stores.computeIfAbsent(directory, key -> new CrashingStore(nextSeed++));
  }

  @Override
  public synchronized Store open(String directory) throws IOException {
    Store store = stores.get(directory);
    if (store == null) {
      throw new NoSuchFileException(directory);
    }
    return store;
  }

  @Override
  public synchronized List<String> names() {
    return new ArrayList<>(stores.keySet());
  }

  @Override
  public String location() {
    return name;
  }

  /** The disks are gone; new ones are empty. */
  synchronized void lose() {
    stores.clear();
  }

  /** The disks are taken out, and new ones put in; gives what was on them. */
  synchronized Map<String, CrashingStore> takeOut() {
    Map<String, CrashingStore> out = new TreeMap<>(stores);
    stores.clear();
    return out;
  }

  /** Disks that were taken out are put in again, for those that are in. */
  synchronized void putBack(Map<String, CrashingStore> disks) {
    stores.clear();
    stores.putAll(disks);
  }

  /** One directory is gone. */
  synchronized void forget(String directory) {
    stores.remove(directory);
  }

  synchronized void put(String directory, CrashingStore store) {
    stores.put(directory, store);
  }

  /** All processes on it have ended. */
  synchronized void killed() throws IOException {
    for (Map.Entry<String, CrashingStore> entry : stores.entrySet()) {
      CrashingStore store = entry.getValue();
      entry.setValue(store.hasCrashed() ? store.survivor(nextSeed++) : store.afterKill());
    }
  }

  /** The machine lost its power: what was not forced may be gone. */
  synchronized void crashed(Random random) throws IOException {
    for (Map.Entry<String, CrashingStore> entry : stores.entrySet()) {
      entry.setValue(entry.getValue().survivor(random));
    }
  }

  /** Flips bits in a file, if there is one; whether there was. */
  synchronized boolean damage(String directory, String file, int bits, Random random)
      throws IOException {
    CrashingStore store = stores.get(directory);
    if (store == null || !store.exists(file)) {
      return false;
    }
    return flipBits(store, file, bits, random);
  }

  /** Flips bits in a file that is there; whether it had any. */
  static boolean flipBits(CrashingStore store, String file, int bits, Random random)
      throws IOException {
    long size;
    try (StoreFile open = store.open(file, Store.Access.READ)) {
      size = open.size();
    }
    for (int i = 0; i < bits && size > 0; i++) {
      store.flipBit(file, random.nextLong(8 * size));
    }
    return size > 0;
  }
}
