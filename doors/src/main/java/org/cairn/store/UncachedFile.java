// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A file that is read past the page cache ({@code O_DIRECT}). The system then wants positions,
 * lengths and memory that are multiples of a block of the file system, so whatever is asked for is
 * read into aligned memory of its own and copied from there.
 */
final class UncachedFile implements StoreFile {
  /** So much is read at once; the memory is there for the time of a call. */
  private static final long PIECE = 1L << 20;

  private final String name;
  private final Path path;
  private final DirectChannel direct;
  private final AsynchronousFileChannel channel;
  private final Optional<Object> key;

  private UncachedFile(String name, Path path, DirectChannel direct) throws IOException {
    this.name = name;
    this.path = path;
    this.direct = direct;
    this.channel = direct.channel();
    this.key = FileKeys.of(path);
  }

  /** Empty if the file system has no such way, which it may say only when something is read. */
  static Optional<StoreFile> open(String name, Path path) throws IOException {
    Optional<DirectChannel> direct = DirectChannel.open(path, StandardOpenOption.READ);
    if (direct.isEmpty()) {
      return Optional.empty();
    }
    AsynchronousFileChannel channel = direct.get().channel();
    try {
      UncachedFile opened = new UncachedFile(name, path, direct.get());
      if (opened.canRead()) {
        return Optional.of(opened);
      }
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    channel.close();
    return Optional.empty();
  }

  private boolean canRead() {
    try (Arena arena = Channels.newArena()) {
      readAligned(0, arena.allocate(direct.alignment(), direct.alignment()));
      return true;
    } catch (IOException e) {
      return false;
    }
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
  public long size() throws IOException {
    return channel.size();
  }

  @Override
  public long read(long position, MemorySegment target) throws IOException {
    StoreRanges.check(position, target.byteSize());
    checkOpen();
    long wanted = target.byteSize();
    try (Arena arena = Channels.newArena()) {
      MemorySegment aligned = arena.allocate(roomFor(position, wanted), direct.alignment());
      long done = 0;
      while (done < wanted) {
        long start = direct.down(position + done);
        long skip = position + done - start;
        long count = Math.min(readAligned(start, aligned) - skip, wanted - done);
        if (count <= 0) {
          break;
        }
        MemorySegment.copy(aligned, skip, target, done, count);
        done += count;
      }
      return done;
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      FileSystemException located =
          new FileSystemException(
              path.toString(),
              null,
              "reading %d bytes at %d past the cache: %s"
                  .formatted(wanted, position, e.getMessage()));
      located.initCause(e);
      throw located;
    }
  }

  private long roomFor(long position, long length) {
    long needed = position + length - direct.down(position);
    return Math.clamp(direct.up(needed), direct.alignment(), PIECE);
  }

  /** Only the end of the file may cut this short. */
  private long readAligned(long position, MemorySegment aligned) throws IOException {
    long done = 0;
    while (done < aligned.byteSize()) {
      int count =
          Channels.await(channel.read(aligned.asSlice(done).asByteBuffer(), position + done));
      if (count > 0) {
        done += count;
      }
      if (count <= 0 || count % direct.alignment() != 0) {
        break;
      }
    }
    return done;
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
    channel.force(false);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private void checkOpen() throws ClosedChannelException {
    if (!channel.isOpen()) {
      throw new ClosedChannelException();
    }
  }
}
