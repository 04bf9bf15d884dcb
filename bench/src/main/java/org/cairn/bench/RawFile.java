// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What the disk can do: sequential calls of 8 MiB through a plain {@code FileChannel}, then one
 * {@code force(false)}. The bytes are those of the state, not of a buffer that stays in the cache.
 *
 * <p>There are two ways to write. {@link #overwrite} goes to space that the file has already, round
 * and round; so does Cairn once its file has its size, and that is what it is compared with. {@link
 * #extend} makes a file grow, which has to find blocks on the disk and is slower; so does Cairn at
 * its first checkpoints.
 */
final class RawFile implements AutoCloseable {
  private static final int CALL = 8 << 20;

  private final Path path;
  private final State state;
  private final FileChannel channel;
  private final long capacity;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment buffer = arena.allocate(CALL, 4096);
  private long position;

  /** A file with room for {@code capacity} bytes, all of them written once. */
  RawFile(Path path, State state, long capacity) throws IOException {
    this.path = path;
    this.state = state;
    this.capacity = Math.ceilDiv(capacity, CALL) * CALL;
    this.channel =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING);
    for (long at = 0; at < this.capacity; at += CALL) {
      write(channel, at, at % state.bytes(), CALL);
    }
    channel.force(true);
  }

  /** Writes so many bytes over old ones, and forces. */
  void overwrite(long bytes) throws IOException {
    for (long done = 0; done < bytes; done += CALL) {
      long length = Math.min(CALL, bytes - done);
      if (position + length > capacity) {
        position = 0;
      }
      write(channel, position, done % state.bytes(), length);
      position += length;
    }
    channel.force(false);
    position = Math.ceilDiv(position, 4096) * 4096;
  }

  /** Writes a new file of so many bytes, and forces; gives the seconds without deleting it. */
  double extend(long bytes) throws IOException {
    Path fresh = path.resolveSibling(path.getFileName() + ".fresh");
    try (FileChannel file =
        FileChannel.open(fresh, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      return Rounds.time(
          () -> {
            for (long done = 0; done < bytes; done += CALL) {
              write(file, done, done % state.bytes(), Math.min(CALL, bytes - done));
            }
            file.force(false);
          });
    } finally {
      Files.delete(fresh);
    }
  }

  /** Writes what is at {@code from} in the state; across the end of a dataset in two calls. */
  private void write(FileChannel file, long to, long from, long length) throws IOException {
    long done = 0;
    while (done < length) {
      int dataset = (int) ((from + done) / state.datasetBytes()) % state.datasets();
      long offset = (from + done) % state.datasetBytes();
      long count = Math.min(length - done, state.datasetBytes() - offset);
      writeAll(file, to + done, nativeBytes(state.segment(dataset).asSlice(offset, count)));
      done += count;
    }
  }

  /** Channels take native memory only; arrays pass through a buffer. */
  private MemorySegment nativeBytes(MemorySegment bytes) {
    return bytes.isNative() ? bytes : buffer.asSlice(0, bytes.byteSize()).copyFrom(bytes);
  }

  private static void writeAll(FileChannel file, long to, MemorySegment bytes) throws IOException {
    for (long done = 0; done < bytes.byteSize(); ) {
      done += file.write(bytes.asSlice(done).asByteBuffer(), to + done);
    }
  }

  /** Reads so many bytes from the head of the file into memory, in calls of 8 MiB. */
  void read(long bytes, MemorySegment into) throws IOException {
    for (long done = 0; done < bytes; ) {
      long length = Math.min(CALL, bytes - done);
      int count = channel.read(into.asSlice(done, length).asByteBuffer(), done);
      if (count < 0) {
        throw new IOException(path + " is shorter than " + bytes + " bytes");
      }
      done += count;
    }
  }

  /** Makes the system forget what it has of the file in memory, if it can. */
  boolean dropFromMemory() throws IOException {
    return PageCache.drop(path);
  }

  @Override
  public void close() throws IOException {
    channel.close();
    arena.close();
    Files.deleteIfExists(path);
  }
}
