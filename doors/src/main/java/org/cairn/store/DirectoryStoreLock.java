// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * A lock of the operating system on one byte of a file.
 *
 * <p>POSIX locks belong to the process and have a trap: closing <em>any</em> descriptor of the file
 * gives the lock up. Therefore the file of a lock held here is never opened a second time in this
 * process: {@link #HELD} is asked before, by {@link #checkNotHeld}.
 */
final class DirectoryStoreLock implements StoreLock {
  /**
   * The byte that is locked. It lies behind the content, because on Windows a locked byte cannot be
   * read, and others want to read who the holder is.
   */
  private static final long LOCKED_BYTE = 1L << 30;

  /** The locks of this process by real path. Also keeps them from being collected while held. */
  private static final ConcurrentMap<Path, DirectoryStoreLock> HELD = new ConcurrentHashMap<>();

  private final String name;
  private final Path path;
  private final LockHolder holder = LockHolder.current();
  // Set once the lock is ours; guarded by this.
  private Optional<AsynchronousFileChannel> channel = Optional.empty();

  private Optional<Object> key = Optional.empty();

  private DirectoryStoreLock(String name, Path path) {
    this.name = name;
    this.path = path;
  }

  /** Takes the lock; {@code path} must be a real path, which is what identifies the lock. */
  static StoreLock take(String name, Path path) throws IOException {
    DirectoryStoreLock lock = new DirectoryStoreLock(name, path);
    DirectoryStoreLock earlier = HELD.putIfAbsent(path, lock);
    if (earlier != null) {
      throw StoreLockedException.heldHere(path.toString(), earlier.holder);
    }
    try {
      lock.acquire();
      return lock;
    } finally {
      if (!lock.isHeld()) {
        HELD.remove(path, lock);
      }
    }
  }

  /** Refuses to touch the file of a lock that this process holds. */
  static void checkNotHeld(Path path) throws StoreLockedException {
    DirectoryStoreLock lock = HELD.get(path);
    if (lock != null) {
      throw StoreLockedException.heldHere(path.toString(), lock.holder);
    }
  }

  private synchronized void acquire() throws IOException {
    AsynchronousFileChannel opened =
        Channels.open(
            path,
            Set.of(
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.CREATE,
                LinkOption.NOFOLLOW_LINKS));
    try {
      lockByte(opened);
    } catch (OverlappingFileLockException e) {
      // Held in this JVM by a copy of this class from another class loader. The channel stays open
      // on purpose: closing it would give up the lock of that holder.
      throw StoreLockedException.heldByUnknown(
          path.toString(), ": this one, by classes of another class loader");
    } catch (IOException | RuntimeException e) {
      opened.close();
      throw e;
    }
    channel = Optional.of(opened);
    key = FileKeys.of(path);
    announce(opened, holder.format());
  }

  private void lockByte(AsynchronousFileChannel opened) throws IOException {
    FileLock taken;
    try {
      taken = opened.tryLock(LOCKED_BYTE, 1, false);
    } catch (IOException e) {
      IOException explained =
          new FileSystemException(
              path.toString(),
              null,
              "the file system cannot lock files ("
                  + e.getMessage()
                  + "); switch its lock service on or use another directory");
      explained.initCause(e);
      throw explained;
    }
    if (taken == null) {
      throw heldElsewhere(opened);
    }
  }

  private StoreLockedException heldElsewhere(AsynchronousFileChannel opened) {
    Optional<LockHolder> other = readHolder(opened);
    if (other.isEmpty()) {
      return StoreLockedException.heldByUnknown(path.toString(), " that left no name");
    }
    if (!other.get().mayBeAlive()) {
      // Between taking the lock and writing its name, the new holder leaves the name of the last.
      return StoreLockedException.heldByUnknown(
          path.toString(), " (before it, " + other.get().describe() + ", now gone)");
    }
    return StoreLockedException.heldElsewhere(path.toString(), other.get());
  }

  private static Optional<LockHolder> readHolder(AsynchronousFileChannel opened) {
    try {
      ByteBuffer content = ByteBuffer.allocate(LockHolder.MAX_LENGTH);
      Channels.await(opened.read(content, 0));
      return LockHolder.parse(StandardCharsets.UTF_8.decode(content.flip()).toString());
    } catch (IOException e) {
      // The holder only improves a message; failing to read it must not hide that message.
      return Optional.empty();
    }
  }

  /** Replaces the content. It only informs: a full disk must not keep anyone from locking. */
  private static void announce(AsynchronousFileChannel opened, String text) {
    try {
      opened.truncate(0);
      ByteBuffer content = StandardCharsets.UTF_8.encode(text);
      while (content.hasRemaining()) {
        Channels.await(opened.write(content, content.position()));
      }
    } catch (IOException e) {
      // Others will read that the holder left no name.
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public synchronized boolean isHeld() {
    return channel.isPresent();
  }

  @Override
  public synchronized boolean isNamed() throws IOException {
    return channel.isPresent() && FileKeys.of(path).equals(key);
  }

  @Override
  public synchronized void close() throws IOException {
    if (channel.isEmpty()) {
      return;
    }
    // The file stays: deleting it would let one process lock the old file and another a new one.
    try (AsynchronousFileChannel closing = channel.get()) {
      channel = Optional.empty();
      announce(closing, "");
    } finally {
      HELD.remove(path, this);
    }
  }
}
