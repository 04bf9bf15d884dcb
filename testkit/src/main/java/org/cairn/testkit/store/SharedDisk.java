// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreLock;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * A directory of a network file system: one server, and nodes that remember what they have seen.
 *
 * <pre>{@code
 * SharedDisk disk = new SharedDisk(seed, Duration.ofSeconds(1));
 * Store onFirst = disk.seenFrom("node0");
 * Store onSecond = disk.seenFrom("node1");
 * }</pre>
 *
 * <p>What is promised to everybody who looks, and no more than that:
 *
 * <ol>
 *   <li>a node sees at once what it has done itself, whichever process of it did;
 *   <li>what another node did, a file made, changed or deleted, it sees at some time up to the
 *       delay after it, each node at its own time; until then it sees the file as it was, or that
 *       there is none. A name may be listed before its file can be opened, and the other way round;
 *   <li>files are seen one by one: a later change may be seen before an earlier one of another
 *       file;
 *   <li>of several nodes that create one new file, one succeeds: the server decides;
 *   <li>a file that was opened stays what it was when that was done, or shows newer bytes.
 * </ol>
 *
 * <p>What the server loses in a crash is what {@link CrashingStore} says. A node that {@linkplain
 * #died loses its power} takes with it what it has written to files that are not forced since: any
 * part of it never came to the server, which knows how long the files are, and gives zeros. Delays
 * and losses are decided by the seed, and time is that of {@link Supply}. Safe for use by many
 * threads.
 */
public final class SharedDisk {
  /** What a node keeps, or loses, at once. */
  private static final int PAGE = 512;

  private final Random random;
  private final long longest;

  /** Decides what nodes lose; apart, so that nothing else depends on who dies. */
  private final Random losses;

  private final Map<String, View> views = new TreeMap<>();
  private CrashingStore server;

  /** An empty directory, where nodes see each other's changes after at most so long. */
  public SharedDisk(long seed, Duration longest) {
    this.random = new Random(seed);
    this.losses = new Random(~seed);
    this.longest = longest.toNanos();
    this.server = new CrashingStore(random.nextLong());
  }

  /** The directory as a node sees it; a node that was not asked for before has seen nothing yet. */
  public synchronized Store seenFrom(String node) {
    return views.computeIfAbsent(node, key -> new View());
  }

  /** What there is, whoever sees it. */
  public synchronized CrashingStore truth() {
    return server;
  }

  /** The server lost its power, and with it any part of what was not forced. */
  public synchronized void crashed(Random fate) throws IOException {
    server = server.survivor(fate);
  }

  /** A node lost its power, and with it any part of what it had written and not forced. */
  public synchronized void died(String node) throws IOException {
    View view = views.get(node);
    if (view == null) {
      return;
    }
    for (Map.Entry<String, Long> one : view.unforced.entrySet()) {
      if (server.exists(one.getKey())) {
        try (StoreFile file = server.open(one.getKey(), Store.Access.WRITE)) {
          losePages(file, one.getValue());
        }
      }
    }
    view.unforced.clear();
  }

  private void losePages(StoreFile file, long from) throws IOException {
    double losing = losses.nextDouble();
    for (long at = from; at < file.size(); at += PAGE) {
      if (losses.nextDouble() < losing) {
        long length = Math.min(PAGE, file.size() - at);
        file.write(at, MemorySegment.ofArray(new byte[(int) length]));
      }
    }
  }

  /** Everything is gone, and everybody knows. */
  public synchronized void lose() {
    server = new CrashingStore(random.nextLong());
    views.values().forEach(view -> view.memory.clear());
    views.values().forEach(view -> view.unforced.clear());
  }

  /**
   * What a node believes of a file that another has changed.
   *
   * @param bytes what is in it; nothing if there is no file
   * @param listed until when the name is listed, or not, as before
   * @param opened until when it is opened as before
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared, never changed
  private record Memory(byte @Nullable [] bytes, long listed, long opened) {}

  /** The file is about to be changed: other nodes remember it as it is. */
  private void changes(String name, View by) throws IOException {
    by.memory.remove(name);
    byte[] bytes = null;
    boolean read = false;
    for (View view : views.values()) {
      if (view == by || view.remembered(name).isPresent()) {
        continue;
      }
      if (!read) {
        bytes = contents(name);
        read = true;
      }
      view.memory.put(name, new Memory(bytes, sometime(), sometime()));
    }
  }

  private long sometime() {
    return Supply.nanos() + random.nextLong(longest + 1);
  }

  private byte @Nullable [] contents(String name) throws IOException {
    if (!server.exists(name)) {
      return null;
    }
    try (StoreFile file = server.open(name, Store.Access.READ)) {
      byte[] bytes = new byte[Math.toIntExact(file.size())];
      file.read(0, MemorySegment.ofArray(bytes));
      return bytes;
    }
  }

  /** What one node sees. */
  private final class View implements Store {
    private final Map<String, Memory> memory = new HashMap<>();

    /** Files that it has made longer and not forced since, and how long they were before. */
    private final Map<String, Long> unforced = new TreeMap<>();

    /** What it believes of a file, if that may not be so any more. */
    Optional<Memory> remembered(String name) {
      Memory one = memory.get(name);
      if (one != null && Math.max(one.listed, one.opened) <= Supply.nanos()) {
        memory.remove(name);
        one = null;
      }
      return Optional.ofNullable(one);
    }

    private Optional<Memory> openedFromMemory(String name) {
      return remembered(name).filter(one -> one.opened > Supply.nanos());
    }

    @Override
    public StoreFile open(String name, Access access) throws IOException {
      synchronized (SharedDisk.this) {
        return switch (access) {
          case READ -> openToRead(name);
          case WRITE -> openToWrite(name);
          case CREATE, CREATE_NEW -> create(name, access);
        };
      }
    }

    private StoreFile openToRead(String name) throws IOException {
      Optional<Memory> old = openedFromMemory(name);
      if (old.isEmpty()) {
        return server.open(name, Access.READ);
      }
      return new RememberedFile(name, existing(name, old.get()));
    }

    private byte[] existing(String name, Memory old) throws NoSuchFileException {
      if (old.bytes == null) {
        throw new NoSuchFileException(location(name));
      }
      return old.bytes;
    }

    /** Who writes asks the server, unless it believes that there is nothing to write to. */
    private StoreFile openToWrite(String name) throws IOException {
      Optional<Memory> old = openedFromMemory(name);
      if (old.isPresent()) {
        existing(name, old.get());
      }
      return new SeenFile(server.open(name, Access.WRITE), this);
    }

    private StoreFile create(String name, Access access) throws IOException {
      if (!server.exists(name)) {
        changes(name, this);
      }
      StoreFile file = server.open(name, access);
      memory.remove(name);
      return new SeenFile(file, this);
    }

    @Override
    public boolean exists(String name) throws IOException {
      synchronized (SharedDisk.this) {
        Optional<Memory> old = openedFromMemory(name);
        return old.isPresent() ? old.get().bytes != null : server.exists(name);
      }
    }

    @Override
    public List<String> list() {
      synchronized (SharedDisk.this) {
        TreeSet<String> names = new TreeSet<>(server.list());
        memory.forEach(
            (name, old) -> {
              if (old.listed > Supply.nanos() && old.bytes == null) {
                names.remove(name);
              } else if (old.listed > Supply.nanos()) {
                names.add(name);
              }
            });
        return new ArrayList<>(names);
      }
    }

    @Override
    public void rename(String from, String to) throws IOException {
      synchronized (SharedDisk.this) {
        if (!from.equals(to)) {
          changes(from, this);
          changes(to, this);
        }
        server.rename(from, to);
      }
    }

    /** A node that believes that there is no such file asks nobody to delete it. */
    @Override
    public void delete(String name) throws IOException {
      synchronized (SharedDisk.this) {
        if (openedFromMemory(name).filter(old -> old.bytes == null).isEmpty()) {
          if (server.exists(name)) {
            changes(name, this);
          }
          server.delete(name);
          memory.remove(name);
        }
      }
    }

    @Override
    public void forceDirectory() throws IOException {
      truth().forceDirectory();
    }

    @Override
    public long freeSpace() throws IOException {
      return truth().freeSpace();
    }

    @Override
    public StoreLock lock(String name) throws IOException {
      return truth().lock(name);
    }

    @Override
    public String location(String name) {
      return truth().location(name);
    }
  }

  /** A file that a node may change. */
  private final class SeenFile extends ForwardingStore.ForwardingFile {
    private final View view;

    SeenFile(StoreFile file, View view) {
      super(file);
      this.view = view;
    }

    @Override
    public void write(long position, MemorySegment source) throws IOException {
      synchronized (SharedDisk.this) {
        change();
        if (position + source.byteSize() > size() && isNamed()) {
          view.unforced.putIfAbsent(name(), size());
        }
        super.write(position, source);
      }
    }

    @Override
    public void force() throws IOException {
      synchronized (SharedDisk.this) {
        super.force();
        view.unforced.remove(name());
      }
    }

    @Override
    public void truncate(long size) throws IOException {
      synchronized (SharedDisk.this) {
        change();
        super.truncate(size);
      }
    }

    /** Nobody remembers what happens to a file without a name. */
    private void change() throws IOException {
      if (isNamed()) {
        changes(name(), view);
      }
    }
  }

  /** A file as it was when its node saw it last. */
  private static final class RememberedFile implements StoreFile {
    private final String name;
    private final MemorySegment bytes;
    private volatile boolean open = true;

    RememberedFile(String name, byte[] bytes) {
      this.name = name;
      this.bytes = MemorySegment.ofArray(bytes).asReadOnly();
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public boolean isNamed() throws IOException {
      checkOpen();
      return true;
    }

    @Override
    public long size() throws IOException {
      checkOpen();
      return bytes.byteSize();
    }

    @Override
    public long read(long position, MemorySegment target) throws IOException {
      checkOpen();
      long count = Math.clamp(bytes.byteSize() - position, 0, target.byteSize());
      if (count > 0) {
        MemorySegment.copy(bytes, position, target, 0, count);
      }
      return count;
    }

    @Override
    public void write(long position, MemorySegment source) {
      throw new NonWritableChannelException();
    }

    @Override
    public void truncate(long size) {
      throw new NonWritableChannelException();
    }

    @Override
    public void force() throws IOException {
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
  }
}
