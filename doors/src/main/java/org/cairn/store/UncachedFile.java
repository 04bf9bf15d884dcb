// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/**
 * A file that is read past the page cache ({@code O_DIRECT}). The system then wants positions,
 * lengths and memory that are multiples of a block of the file system, so whatever is asked for is
 * read into aligned memory of its own and copied from there.
 */
final class UncachedFile implements StoreFile {
  /** So much is read at once; the memory is there for the time of a call. */
  private static final long PIECE = 1L << 20;

  /** What every block device is content with. */
  private static final long LEAST_ALIGNMENT = 4096;

  /** O_DIRECT, by its name: an option that this JDK has and another need not have. */
  private static final Optional<OpenOption> DIRECT = direct();

  private final String name;
  private final Path path;
  private final AsynchronousFileChannel channel;
  private final long alignment;
  private final Optional<Object> key;

  private UncachedFile(String name, Path path, AsynchronousFileChannel channel) throws IOException {
    this.name = name;
    this.path = path;
    this.channel = channel;
    this.alignment = alignment(path);
    this.key = FileKeys.of(path);
  }

  /** Empty if the file system has no such way, which it may say only when something is read. */
  static Optional<StoreFile> open(String name, Path path) throws IOException {
    if (DIRECT.isEmpty()) {
      return Optional.empty();
    }
    AsynchronousFileChannel channel;
    try {
      channel =
          Channels.open(
              path, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS, DIRECT.get()));
    } catch (FileSystemException | UnsupportedOperationException e) {
      return Optional.empty();
    }
    try {
      UncachedFile opened = new UncachedFile(name, path, channel);
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

  private static Optional<OpenOption> direct() {
    try {
      Object[] options = Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants();
      return Arrays.stream(options)
          .filter(option -> option.toString().equals("DIRECT"))
          .map(OpenOption.class::cast)
          .findFirst();
    } catch (ClassNotFoundException e) {
      return Optional.empty();
    }
  }

  private static long alignment(Path path) throws IOException {
    long block = Files.getFileStore(path).getBlockSize();
    boolean usable = block > LEAST_ALIGNMENT && block <= PIECE && Long.bitCount(block) == 1;
    return usable ? block : LEAST_ALIGNMENT;
  }

  private boolean canRead() {
    try (Arena arena = Channels.newArena()) {
      readAligned(0, arena.allocate(alignment, alignment));
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
      MemorySegment aligned = arena.allocate(roomFor(position, wanted), alignment);
      long done = 0;
      while (done < wanted) {
        long start = (position + done) & -alignment;
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
    long needed = position + length - (position & -alignment);
    return Math.clamp((needed + alignment - 1) & -alignment, alignment, PIECE);
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
      if (count <= 0 || count % alignment != 0) {
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
