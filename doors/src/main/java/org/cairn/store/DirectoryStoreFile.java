// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** An open file of a {@link DirectoryStore}; the channel does the work and keeps it thread-safe. */
final class DirectoryStoreFile implements StoreFile {
  /** A buffer cannot be larger than 2 GiB, a system call not much smaller; stay clear of both. */
  private static final long MAX_TRANSFER = 1L << 30;

  /**
   * Heap segments pass through native memory in pieces of this size. Left to itself the JDK would
   * copy the whole segment, and keep a buffer of that size for every thread.
   */
  private static final long STAGING = 1L << 20;

  private final String name;
  private final Path path;
  private final AsynchronousFileChannel channel;
  private final boolean writable;
  private final long maxTransfer;
  private final Optional<Object> key;
  private final DirectWay directWrites;
  private final DirectReads directReads;
  private final CacheSpeed cacheSpeed = new CacheSpeed();
  private Optional<OpenFileLock> lock = Optional.empty();

  DirectoryStoreFile(String name, Path path, AsynchronousFileChannel channel, boolean writable)
      throws IOException {
    this(name, path, channel, writable, MAX_TRANSFER);
  }

  /** For tests: transfers of more than {@code maxTransfer} bytes are split. */
  DirectoryStoreFile(
      String name, Path path, AsynchronousFileChannel channel, boolean writable, long maxTransfer)
      throws IOException {
    this.name = name;
    this.path = path;
    this.channel = channel;
    this.writable = writable;
    this.maxTransfer = maxTransfer;
    this.key = FileKeys.of(path);
    this.directWrites = new DirectWay(path, this::isNamed, StandardOpenOption.WRITE);
    this.directReads = new DirectReads(path, this::isNamed);
  }

  /** For tests: the way of what is large. */
  DirectWay directWrites() {
    return directWrites;
  }

  /** For tests: what decides whether it is taken. */
  CacheSpeed cacheSpeed() {
    return cacheSpeed;
  }

  /** For tests: the way of what is read once. */
  DirectReads directReads() {
    return directReads;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean isNamed() throws IOException {
    checkOpen();
    return FileKeys.of(path).equals(key);
  }

  @Override
  public synchronized void lock() throws IOException {
    checkWritable();
    if (lock.isEmpty()) {
      lock = OpenFileLock.take(path);
    }
  }

  @Override
  public long size() throws IOException {
    try {
      return channel.size();
    } catch (IOException e) {
      throw located(e, "asking for the size");
    }
  }

  @Override
  public long read(long position, MemorySegment target) throws IOException {
    StoreRanges.check(position, target.byteSize());
    checkOpen();
    try {
      return Channels.canTransfer(target)
          ? readDirectly(position, target)
          : readStaged(position, target);
    } catch (IOException e) {
      throw located(e, "reading " + target.byteSize() + " bytes at " + position);
    }
  }

  private long readDirectly(long position, MemorySegment target) throws IOException {
    long done = 0;
    while (done < target.byteSize()) {
      int count = Channels.await(channel.read(transferable(target, done), position + done));
      if (count < 0) {
        break;
      }
      done += count;
    }
    return done;
  }

  @Override
  public long readOnce(long position, MemorySegment target) throws IOException {
    StoreRanges.check(position, target.byteSize());
    checkOpen();
    DirectChannel direct = directReads.get(target.byteSize());
    if (direct == null || !direct.fits(position, target)) {
      return read(position, target);
    }
    long whole = direct.down(target.byteSize());
    long done = 0;
    try {
      done = direct.read(position, target.asSlice(0, whole), maxTransfer);
    } catch (IOException e) {
      // What cannot be read in any way is said by the other one.
      directReads.giveUp();
    }
    return done + (done < target.byteSize() ? read(position + done, target.asSlice(done)) : 0);
  }

  private long readStaged(long position, MemorySegment target) throws IOException {
    long size = target.byteSize();
    try (Arena arena = Channels.newArena()) {
      MemorySegment staging = arena.allocate(Math.min(STAGING, size));
      long done = 0;
      while (done < size) {
        long wanted = Math.min(staging.byteSize(), size - done);
        long count = readDirectly(position + done, staging.asSlice(0, wanted));
        MemorySegment.copy(staging, 0, target, done, count);
        done += count;
        if (count < wanted) {
          break;
        }
      }
      return done;
    }
  }

  @Override
  public void write(long position, MemorySegment source) throws IOException {
    StoreRanges.check(position, source.byteSize());
    checkWritable();
    try {
      if (Channels.canTransfer(source)) {
        writeDirectly(position, source);
      } else {
        writeStaged(position, source);
      }
    } catch (IOException e) {
      throw located(e, "writing " + source.byteSize() + " bytes at " + position);
    }
  }

  @Override
  public long writeLarge(long position, MemorySegment source) throws IOException {
    StoreRanges.check(position, source.byteSize());
    checkWritable();
    if (source.byteSize() < LARGE) {
      write(position, source);
      return 0;
    }
    DirectChannel direct = cacheSpeed.isSlow() ? directWrites.get() : null;
    return direct == null || !direct.fits(position, source)
        ? writeTimed(position, source)
        : writePages(direct, position, source);
  }

  private long writeTimed(long position, MemorySegment source) throws IOException {
    long start = System.nanoTime();
    write(position, source);
    cacheSpeed.took(source.byteSize(), System.nanoTime() - start);
    return 0;
  }

  /** What fills pages goes past the cache, the ends through it. */
  private long writePages(DirectChannel direct, long position, MemorySegment source)
      throws IOException {
    long from = direct.up(position) - position;
    long to = direct.down(position + source.byteSize()) - position;
    if (from > 0) {
      write(position, source.asSlice(0, from));
    }
    if (to < source.byteSize()) {
      write(position + to, source.asSlice(to));
    }
    return writePast(direct, position + from, source.asSlice(from, to - from));
  }

  private long writePast(DirectChannel direct, long position, MemorySegment source)
      throws IOException {
    try {
      direct.write(position, source, maxTransfer);
      cacheSpeed.passed(source.byteSize());
      return source.byteSize();
    } catch (IOException e) {
      // Some systems say only here that they have no such way. A disk that is full says so again.
      write(position, source);
      directWrites.giveUp();
      return 0;
    }
  }

  private void writeDirectly(long position, MemorySegment source) throws IOException {
    long done = 0;
    while (done < source.byteSize()) {
      done += Channels.await(channel.write(transferable(source, done), position + done));
    }
  }

  private void writeStaged(long position, MemorySegment source) throws IOException {
    long size = source.byteSize();
    try (Arena arena = Channels.newArena()) {
      MemorySegment staging = arena.allocate(Math.min(STAGING, size));
      for (long done = 0; done < size; ) {
        long count = Math.min(staging.byteSize(), size - done);
        MemorySegment.copy(source, done, staging, 0, count);
        writeDirectly(position + done, staging.asSlice(0, count));
        done += count;
      }
    }
  }

  private ByteBuffer transferable(MemorySegment segment, long from) {
    return segment.asSlice(from, Math.min(maxTransfer, segment.byteSize() - from)).asByteBuffer();
  }

  @Override
  public void truncate(long size) throws IOException {
    StoreRanges.checkSize(size);
    checkWritable();
    try {
      channel.truncate(size);
    } catch (IOException e) {
      throw located(e, "truncating to " + size + " bytes");
    }
  }

  @Override
  public void force() throws IOException {
    try {
      // false: times may stay behind. The length is still forced, since reading back needs it.
      channel.force(false);
    } catch (IOException e) {
      throw located(e, "forcing");
    }
  }

  @Override
  public synchronized void close() throws IOException {
    try (channel;
        directReads) {
      directWrites.close();
    } finally {
      lock.ifPresent(OpenFileLock::close);
    }
  }

  private void checkOpen() throws ClosedChannelException {
    if (!channel.isOpen()) {
      throw new ClosedChannelException();
    }
  }

  private void checkWritable() throws ClosedChannelException {
    checkOpen();
    if (!writable) {
      throw new NonWritableChannelException();
    }
  }

  /** The system says "No space left on device" and no more; a message must also say where. */
  private IOException located(IOException e, String doing) {
    if (e instanceof ClosedChannelException) {
      return e;
    }
    IOException located =
        new FileSystemException(path.toString(), null, doing + ": " + e.getMessage());
    located.initCause(e);
    return located;
  }
}
