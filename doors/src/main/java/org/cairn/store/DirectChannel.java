// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
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
 * A channel past the page cache ({@code O_DIRECT}), and what the system then wants positions,
 * lengths and addresses to be multiples of.
 */
record DirectChannel(AsynchronousFileChannel channel, long alignment) {
  /** What every block device is content with. */
  static final long LEAST_ALIGNMENT = 4096;

  /** File systems may have blocks of any size; beyond this they do without. */
  private static final long MOST_ALIGNMENT = 1L << 20;

  /** O_DIRECT, by its name: an option that this JDK has and another need not have. */
  private static final Optional<OpenOption> DIRECT = direct();

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

  /**
   * Empty if there is no such way to a file; a file system may say so only when bytes are wanted.
   *
   * @param access {@code READ} or {@code WRITE}
   */
  static Optional<DirectChannel> open(Path path, StandardOpenOption access) throws IOException {
    if (DIRECT.isEmpty()) {
      return Optional.empty();
    }
    try {
      long alignment = alignment(path);
      return Optional.of(
          new DirectChannel(
              Channels.open(path, Set.of(access, LinkOption.NOFOLLOW_LINKS, DIRECT.get())),
              alignment));
    } catch (FileSystemException | UnsupportedOperationException e) {
      return Optional.empty();
    }
  }

  private static long alignment(Path path) throws IOException {
    long block = Files.getFileStore(path).getBlockSize();
    boolean usable =
        block > LEAST_ALIGNMENT && block <= MOST_ALIGNMENT && Long.bitCount(block) == 1;
    return usable ? block : LEAST_ALIGNMENT;
  }

  /** Whether pages of the file are pages of memory. */
  boolean fits(long position, MemorySegment source) {
    return Channels.canTransfer(source) && (source.address() - position) % alignment == 0;
  }

  /** Writes whole pages of memory to whole pages of the file. */
  void write(long position, MemorySegment source, long maxTransfer) throws IOException {
    long most = Math.max(alignment, down(maxTransfer));
    long done = 0;
    while (done < source.byteSize()) {
      int count = Channels.await(channel.write(slice(source, done, most), position + done));
      if (count <= 0 || count % alignment != 0) {
        throw new IOException("only %d bytes went past the page cache".formatted(count));
      }
      done += count;
    }
  }

  /**
   * Reads whole pages of the file to whole pages of memory.
   *
   * @return how many bytes were read: whole pages, until the file ends
   */
  long read(long position, MemorySegment target, long maxTransfer) throws IOException {
    long most = Math.max(alignment, down(maxTransfer));
    long done = 0;
    while (done < target.byteSize()) {
      ByteBuffer bytes = slice(target, done, most);
      int count = Channels.await(channel.read(bytes, position + done));
      if (count < 0 || count % alignment != 0) {
        break;
      }
      done += count;
    }
    return done;
  }

  private static ByteBuffer slice(MemorySegment memory, long from, long most) {
    return memory.asSlice(from, Math.min(most, memory.byteSize() - from)).asByteBuffer();
  }

  /** The first multiple at or after a position. */
  long up(long position) {
    return (position + alignment - 1) & -alignment;
  }

  /** The last multiple at or before a position. */
  long down(long position) {
    return position & -alignment;
  }
}
