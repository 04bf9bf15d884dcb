// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.cairn.supply.Supply;

/**
 * A {@link Store} that keeps some of its files in memory until {@link #save} writes them to another
 * store. It begins with what that one has. Locks, and files that were not chosen, are those of the
 * other store.
 *
 * <p>Whoever uses it takes what was forced for durable; it is, as long as this process lives and
 * does not fail to save. So there must be a copy with another process.
 */
public final class VolatileStore implements Store {
  private static final int PIECE_BYTES = 4 << 20;
  private static final String UNFINISHED = ".saving";

  private final Store disk;
  private final Predicate<String> kept;
  private final MemoryStore memory = MemoryStore.scarce();

  /**
   * Loads what is to be kept in memory.
   *
   * @param disk where everything else is, and where {@link #save} writes to
   * @param kept which files to keep in memory, by name
   */
  public VolatileStore(Store disk, Predicate<String> kept) throws IOException {
    this.disk = disk;
    this.kept = kept;
    for (String name : disk.list()) {
      if (kept.test(name)) {
        copy(disk, name, memory, name);
      }
    }
  }

  private Store of(String name) {
    return kept.test(name) ? memory : disk;
  }

  /**
   * Writes the files that are in memory, each completely or not at all, and lets nobody change them
   * afterwards: what becomes durable is one moment of each file.
   */
  public synchronized void save() throws IOException {
    memory.freeze();
    for (String name : memory.list()) {
      copy(memory, name, disk, name + UNFINISHED);
      disk.rename(name + UNFINISHED, name);
    }
    for (String name : disk.list()) {
      if (kept.test(name) && !memory.exists(name)) {
        disk.delete(name);
      }
    }
    disk.forceDirectory();
  }

  private static void copy(Store from, String name, Store to, String as) throws IOException {
    to.delete(as);
    try (Arena arena = Supply.confinedArena();
        StoreFile source = from.open(name, Access.READ);
        StoreFile target = to.open(as, Access.CREATE)) {
      MemorySegment piece = arena.allocate(PIECE_BYTES, 4096);
      long position = 0;
      long count = source.read(position, piece);
      while (count > 0) {
        target.write(position, piece.asSlice(0, count));
        position += count;
        count = source.read(position, piece);
      }
      target.force();
    }
  }

  @Override
  public StoreFile open(String name, Access access) throws IOException {
    return of(StoreNames.check(name)).open(name, access);
  }

  @Override
  public Optional<StoreFile> openUncached(String name) throws IOException {
    return of(StoreNames.check(name)).openUncached(name);
  }

  @Override
  public boolean exists(String name) throws IOException {
    return of(StoreNames.check(name)).exists(name);
  }

  @Override
  public List<String> list() throws IOException {
    TreeSet<String> names = new TreeSet<>(memory.list());
    disk.list().stream().filter(kept.negate()).forEach(names::add);
    return new ArrayList<>(names);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    if (of(StoreNames.check(from)) == of(StoreNames.check(to))) {
      of(from).rename(from, to);
      return;
    }
    copy(of(from), from, of(to), to);
    of(from).delete(from);
  }

  @Override
  public void delete(String name) throws IOException {
    of(StoreNames.check(name)).delete(name);
  }

  @Override
  public void forceDirectory() throws IOException {
    disk.forceDirectory();
  }

  @Override
  public long freeSpace() throws IOException {
    return Math.min(memory.freeSpace(), disk.freeSpace());
  }

  @Override
  public StoreLock lock(String name) throws IOException {
    return disk.lock(name);
  }

  @Override
  public String location(String name) {
    return (kept.test(name) ? "in memory, for " : "") + disk.location(name);
  }
}
