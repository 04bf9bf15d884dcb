// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreLock;
import org.cairn.store.StoreNames;
import org.cairn.testkit.store.StoreOperation.Kind;

/**
 * A store in memory that remembers what was forced and what was not, crashes when it is told to,
 * and then shows what a real disk could hold:
 *
 * <pre>{@code
 * CrashingStore store = new CrashingStore(seed);
 * store.crashAt(17);
 * try {
 *   workload(store);
 * } catch (SimulatedCrash expected) {
 *   for (long fate = 0; fate < 20; fate++) {
 *     check(store.survivor(fate));
 *   }
 * }
 * }</pre>
 *
 * <p><b>Operations</b> are what changes the disk or forces it: create, write, truncate, force,
 * rename, delete, force of the directory. They are counted and can be made to crash or to fail, the
 * n-th from the moment of arming; 1 is the next. A sweep over all crash points runs the workload
 * once without faults, asks {@link #operations}, and then crashes at each. Reads are not counted
 * among them; they have faults of their own.
 *
 * <p><b>A crash</b> throws {@link SimulatedCrash} out of the operation that was in flight, which
 * may have happened or not. From then on every operation of the store and its files throws it too;
 * only closing is possible, and changes nothing.
 *
 * <p><b>Survivors</b> are crashing stores again, so that recovery can be made to crash as well. One
 * crash has many; all leave this store as it is. What a disk may do is listed in {@link Fate} for
 * bytes and {@link SimulatedDisk} for names.
 *
 * <p>Everything is deterministic in the seeds, which all messages name. The store is thread-safe;
 * it does one thing at a time.
 */
public final class CrashingStore implements Store {
  private final String seeds;
  private final Random random;
  private final SimulatedDisk disk;
  private final Faults faults = new Faults();
  private final List<StoreOperation> trace = new ArrayList<>();

  /** Knows who holds which lock; its files are of no interest. */
  private final MemoryStore locks = new MemoryStore();

  private Consumer<StoreOperation> listener = operation -> {};
  private Optional<String> crash = Optional.empty();

  /** An empty store; the seed decides how much of a failing write is written. */
  public CrashingStore(long seed) {
    this(new SimulatedDisk(), random(seed), "seed " + seed);
  }

  private CrashingStore(SimulatedDisk disk, Random random, String seeds) {
    this.disk = disk;
    this.random = random;
    this.seeds = seeds;
  }

  /** A generator that differs from those of neighbouring seeds from its first number on. */
  private static Random random(long seed) {
    return new Random(new SplittableRandom(seed).nextLong());
  }

  // Arming.

  /** Crashes at the n-th operation from now. */
  public synchronized void crashAt(long n) {
    faults.crash.arm(n);
  }

  /** Crashes at every operation that fulfils the condition, so at the first. */
  public synchronized void crashWhen(Predicate<StoreOperation> condition) {
    faults.crashWhen(condition);
  }

  /**
   * Fails the n-th operation from now with an {@link IOException}, and works again afterwards. Of a
   * write, a prefix of random length is written; a failed force is one of {@link #failForce}; other
   * operations do nothing.
   */
  public synchronized void failAt(long n) {
    faults.failure.arm(n);
  }

  /**
   * Fails the n-th force from now, of a file or of the directory, like Linux after an I/O error:
   * what was written before may or may not be durable, everybody still reads it, and later forces
   * succeed without making it durable. Only writing it again does.
   */
  public synchronized void failForce(long n) {
    faults.failedForce.arm(n);
  }

  /** Fails the n-th read from now with an {@link IOException}, once. */
  public synchronized void failRead(long n) {
    faults.failedRead.arm(n);
  }

  /** Fails all reads that touch these bytes of files opened under this name. */
  public synchronized void failReads(String name, long from, long length) {
    faults.failReads(name, from, length);
  }

  /**
   * Lets the files grow by this many bytes in all; then the disk is full, and a write that would
   * need more writes what fits and fails. Overwriting needs no space, truncating and deleting give
   * it back. Holes count as if they were written.
   */
  public synchronized void fillDiskAfter(long bytes) throws IOException {
    faults.limitTo(disk.usedBytes() + bytes);
  }

  /** Gives the disk space again. */
  public synchronized void emptyDisk() {
    faults.limitTo(Long.MAX_VALUE);
  }

  /** Flips a bit at rest, durable or not, now. Bit k is bit k mod 8 of byte k / 8. */
  public synchronized void flipBit(String name, long bit) throws IOException {
    SimulatedFile file = existing(name);
    if (bit < 0 || bit / Byte.SIZE >= file.size()) {
      throw new IllegalArgumentException("no bit " + bit + " in " + file.size() + " bytes");
    }
    file.flipBit(bit);
  }

  /** Flips a bit in what the next read that covers it returns; later reads are right again. */
  public synchronized void flipBitOnRead(String name, long bit) {
    faults.flipOnRead(StoreNames.check(name), bit);
  }

  /** Calls the listener before each operation, with the store locked for other threads. */
  public synchronized void onOperation(Consumer<StoreOperation> newListener) {
    listener = newListener;
  }

  // Watching.

  /** How many operations were begun since the store was made. */
  public synchronized long operations() {
    return trace.size();
  }

  /** All operations that were begun, the one in flight when the store crashed included. */
  public synchronized List<StoreOperation> trace() {
    return List.copyOf(trace);
  }

  /** Whether the store has crashed. */
  public synchronized boolean hasCrashed() {
    return crash.isPresent();
  }

  /** Whether a crash now could lose anything. */
  public synchronized boolean hasUnforced() {
    return disk.hasUnforced();
  }

  // Crashing and surviving.

  /** Crashes now, between two operations. */
  public synchronized void crash() {
    if (crash.isEmpty()) {
      crash = Optional.of("between operations, after " + trace.size());
    }
  }

  /** What the disk holds after a crash, in the given mode; if there was none, after a crash now. */
  public synchronized CrashingStore survivor(Survival mode) throws IOException {
    return survivor(mode, random.nextLong(), mode + " of ");
  }

  /** One of the many things the disk could hold after a crash; each seed gives one. */
  public synchronized CrashingStore survivor(long seed) throws IOException {
    return survivor(Survival.RANDOM, seed, "survivor " + seed + " of ");
  }

  /** One of the many things the disk could hold after a crash. */
  public CrashingStore survivor(Random seeds) throws IOException {
    return survivor(seeds.nextLong());
  }

  private CrashingStore survivor(Survival mode, long seed, String label) throws IOException {
    Random own = random(seed);
    return new CrashingStore(disk.afterCrash(new Fate(mode, own)), own, label + seeds);
  }

  /**
   * What a new process finds when the old one was killed but the machine went on: everything that
   * was done is visible, and what was not forced is still not forced.
   */
  public synchronized CrashingStore afterKill() throws IOException {
    return new CrashingStore(disk.copy(), random(random.nextLong()), "killed " + seeds);
  }

  // The store.

  @Override
  public synchronized StoreFile open(String name, Access access) throws IOException {
    checkAlive();
    checkNotLocked(name);
    if (access == Access.CREATE_NEW && disk.find(name).isPresent()) {
      throw new FileAlreadyExistsException(location(name));
    }
    if (access == Access.CREATE || access == Access.CREATE_NEW) {
      createIfAbsent(name);
    }
    return new OpenFile(name, existing(name), access != Access.READ);
  }

  private void createIfAbsent(String name) throws IOException {
    if (disk.find(name).isEmpty()) {
      perform(StoreOperation.on(Kind.CREATE, name), () -> disk.create(name));
    }
  }

  private SimulatedFile existing(String name) throws IOException {
    return disk.find(name).orElseThrow(() -> new NoSuchFileException(location(name)));
  }

  @Override
  public synchronized boolean exists(String name) {
    checkAlive();
    return disk.find(StoreNames.check(name)).isPresent();
  }

  @Override
  public synchronized List<String> list() {
    checkAlive();
    return disk.names();
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    checkAlive();
    checkNotLocked(from);
    checkNotLocked(to);
    SimulatedFile file = existing(from);
    if (!from.equals(to)) {
      perform(StoreOperation.rename(from, to), () -> disk.rename(from, to, file));
    }
  }

  @Override
  public synchronized void delete(String name) throws IOException {
    checkAlive();
    checkNotLocked(name);
    if (disk.find(name).isPresent()) {
      perform(StoreOperation.on(Kind.DELETE, name), () -> disk.delete(name));
    }
  }

  @Override
  public synchronized void forceDirectory() throws IOException {
    perform(
        StoreOperation.forceDirectory(),
        disk::forceDirectory,
        disk::failForceDirectory,
        CrashingStore::nothing);
  }

  @Override
  public synchronized long freeSpace() throws IOException {
    checkAlive();
    return faults.capacity() == Long.MAX_VALUE ? Long.MAX_VALUE : room();
  }

  private long room() throws IOException {
    return Math.max(0, faults.capacity() - disk.usedBytes());
  }

  @Override
  public synchronized StoreLock lock(String name) throws IOException {
    checkAlive();
    checkNotLocked(name);
    createIfAbsent(name);
    return locks.lock(name);
  }

  private void checkNotLocked(String name) throws IOException {
    locks.delete(name); // refused if, and only if, the name is bad or the lock is held
  }

  @Override
  public String location(String name) {
    return locks.location(name);
  }

  /** The seeds that led here. */
  @Override
  public String toString() {
    return "CrashingStore[" + seeds + "]";
  }

  // How operations succeed, fail and crash.

  private interface Action {
    void run() throws IOException;
  }

  private static void nothing() {}

  private void perform(StoreOperation operation, Action whole) throws IOException {
    perform(operation, whole, CrashingStore::nothing, whole);
  }

  /**
   * Does an operation, or what the armed faults make of it.
   *
   * @param whole the operation
   * @param failed what is left of it when it fails
   * @param inFlight what is recorded when the store crashes during it; its fate is drawn later
   */
  private void perform(StoreOperation operation, Action whole, Action failed, Action inFlight)
      throws IOException {
    checkAlive();
    trace.add(operation);
    listener.accept(operation);
    checkAlive(); // the listener may crash the store
    switch (faults.judge(operation)) {
      case PROCEED -> whole.run();
      case FAIL -> {
        failed.run();
        throw failure("Input/output error", operation);
      }
      case CRASH -> {
        try {
          inFlight.run();
        } catch (IOException lost) {
          // Nobody is left to hear that the disk was full as well.
        }
        crash = Optional.of("at operation " + trace.size() + ", " + operation);
        checkAlive();
      }
    }
  }

  /** Throws a new error each time: one that is rethrown while closing may not suppress itself. */
  private void checkAlive() {
    if (crash.isPresent()) {
      throw new SimulatedCrash("simulated crash " + crash.get() + " (" + seeds + ")");
    }
  }

  private IOException failure(String reason, StoreOperation operation) {
    return new IOException(
        reason + " (simulated, operation " + trace.size() + ", " + operation + ", " + seeds + ")");
  }

  private synchronized long read(OpenFile file, long position, MemorySegment target)
      throws IOException {
    checkAlive();
    file.checkOpen();
    StoreOperation read = StoreOperation.read(file.name, position, target.byteSize());
    if (faults.failsRead(read)) {
      throw failure("Input/output error", read);
    }
    long count = file.bytes.read(position, target);
    for (long bit : faults.takeFlips(file.name, position, count)) {
      long offset = bit / Byte.SIZE - position;
      byte octet = target.get(ValueLayout.JAVA_BYTE, offset);
      target.set(ValueLayout.JAVA_BYTE, offset, (byte) (octet ^ (1 << (bit % Byte.SIZE))));
    }
    return count;
  }

  private synchronized void write(OpenFile file, long position, MemorySegment source)
      throws IOException {
    checkAlive();
    file.checkWritable();
    if (source.byteSize() == 0) {
      return;
    }
    StoreOperation write = StoreOperation.write(file.name, position, source.byteSize());
    Action whole = () -> writeWhatFits(file.bytes, write, source);
    perform(write, whole, () -> writePrefix(file.bytes, position, source), whole);
  }

  private void writePrefix(SimulatedFile file, long position, MemorySegment source)
      throws IOException {
    file.write(position, source.asSlice(0, random.nextLong(source.byteSize())));
  }

  private void writeWhatFits(SimulatedFile file, StoreOperation write, MemorySegment source)
      throws IOException {
    long end = freeSpace() == Long.MAX_VALUE ? Long.MAX_VALUE : file.size() + room();
    if (write.end() <= end) {
      file.write(write.position(), source);
      return;
    }
    long fits = Math.clamp(end - write.position(), 0, write.length());
    file.write(write.position(), source.asSlice(0, fits));
    throw failure("No space left on device", write);
  }

  private synchronized void truncate(OpenFile file, long size) throws IOException {
    checkAlive();
    file.checkWritable();
    perform(StoreOperation.truncate(file.name, size), () -> file.bytes.truncate(size));
  }

  private synchronized void force(OpenFile file) throws IOException {
    checkAlive();
    file.checkOpen();
    perform(
        StoreOperation.on(Kind.FORCE, file.name),
        file.bytes::force,
        file.bytes::failForce,
        CrashingStore::nothing);
  }

  private synchronized boolean isNamed(OpenFile file) throws IOException {
    checkAlive();
    file.checkOpen();
    return disk.find(file.name).filter(found -> found == file.bytes).isPresent();
  }

  private synchronized long size(OpenFile file) throws IOException {
    checkAlive();
    file.checkOpen();
    return file.bytes.size();
  }

  private final class OpenFile implements StoreFile {
    private final String name;
    private final SimulatedFile bytes;
    private final boolean writable;
    private volatile boolean open = true;

    OpenFile(String name, SimulatedFile bytes, boolean writable) {
      this.name = name;
      this.bytes = bytes;
      this.writable = writable;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public boolean isNamed() throws IOException {
      return CrashingStore.this.isNamed(this);
    }

    @Override
    public long size() throws IOException {
      return CrashingStore.this.size(this);
    }

    @Override
    public long read(long position, MemorySegment target) throws IOException {
      checkRange(position, target.byteSize());
      return CrashingStore.this.read(this, position, target);
    }

    @Override
    public void write(long position, MemorySegment source) throws IOException {
      checkRange(position, source.byteSize());
      CrashingStore.this.write(this, position, source);
    }

    @Override
    public void truncate(long size) throws IOException {
      checkRange(size, 0);
      CrashingStore.this.truncate(this, size);
    }

    @Override
    public void force() throws IOException {
      CrashingStore.this.force(this);
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
      if (!writable) {
        throw new NonWritableChannelException();
      }
    }

    private static void checkRange(long position, long length) {
      if (position < 0 || position > Long.MAX_VALUE - length) {
        throw new IllegalArgumentException("position " + position + ", length " + length);
      }
    }
  }
}
