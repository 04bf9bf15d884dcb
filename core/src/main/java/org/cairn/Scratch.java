// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.cairn.supply.Supply;

/**
 * Room for one dataset at a time, however large it is: memory if that is little, else a file that
 * is mapped, has no name any more and goes with the process.
 */
final class Scratch implements AutoCloseable {
  /** More than this is a file. */
  static final long MEMORY_BYTES = 64L << 20;

  private static final int PIECE_BYTES = 1 << 20;

  private final Arena arena;
  private final MemorySegment memory;

  private Scratch(Arena arena, MemorySegment memory) {
    this.arena = arena;
    this.memory = memory;
  }

  /**
   * Room.
   *
   * @param directory where a file can be made
   */
  static Scratch of(Path directory, long bytes) throws IOException {
    Arena arena = Supply.sharedArena();
    try {
      return new Scratch(
          arena,
          bytes > MEMORY_BYTES
              ? mapped(directory, bytes, arena)
              : arena.allocate(Math.max(1, bytes), Long.BYTES));
    } catch (IOException | RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /** How many bytes of disk it takes. */
  static long diskBytes(long bytes) {
    return bytes > MEMORY_BYTES ? bytes : 0;
  }

  private static MemorySegment mapped(Path directory, long bytes, Arena arena) throws IOException {
    Path file = Files.createTempFile(directory, "scratch", ".tmp");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      occupy(channel, bytes);
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
    } finally {
      Files.delete(file);
    }
  }

  /** A disk that is full later would be a signal, not an exception. */
  private static void occupy(FileChannel channel, long bytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect(PIECE_BYTES);
    long at = 0;
    while (at < bytes) {
      zeros.clear().limit((int) Math.min(PIECE_BYTES, bytes - at));
      at += channel.write(zeros, at);
    }
  }

  /** As much of it as a dataset needs. */
  MemorySegment of(long bytes) {
    return memory.asSlice(0, bytes);
  }

  @Override
  public void close() {
    arena.close();
  }
}
