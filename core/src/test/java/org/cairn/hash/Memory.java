// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Memory of every kind that a hasher may meet; one constant per {@link MemoryKind}. */
enum Memory {
  NATIVE,
  MAPPED,
  BYTES,
  SHORTS,
  CHARS,
  INTS,
  LONGS,
  FLOATS,
  DOUBLES,
  HIDDEN;

  /** A segment of at least {@code size} bytes of this kind. */
  MemorySegment allocate(int size) {
    int longs = (size + 7) / 8;
    return switch (this) {
      case NATIVE -> Arena.ofAuto().allocate(size, 8);
      case MAPPED -> mapped(size);
      case BYTES -> MemorySegment.ofArray(new byte[size]);
      case SHORTS -> MemorySegment.ofArray(new short[4 * longs]);
      case CHARS -> MemorySegment.ofArray(new char[4 * longs]);
      case INTS -> MemorySegment.ofArray(new int[2 * longs]);
      case LONGS -> MemorySegment.ofArray(new long[longs]);
      case FLOATS -> MemorySegment.ofArray(new float[2 * longs]);
      case DOUBLES, HIDDEN -> MemorySegment.ofArray(new double[longs]);
    };
  }

  /** A segment of this kind that holds {@code bytes} at {@code offset}. */
  MemorySegment holding(byte[] bytes, int offset) {
    MemorySegment segment = allocate(offset + bytes.length);
    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, segment, offset, bytes.length);
    return this == HIDDEN ? segment.asReadOnly() : segment;
  }

  private static MemorySegment mapped(int size) {
    try {
      Path file = Files.createTempFile("cairn", ".mapped");
      try (FileChannel channel =
          FileChannel.open(
              file,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.DELETE_ON_CLOSE)) {
        return channel.map(FileChannel.MapMode.READ_WRITE, 0, Math.max(1, size), Arena.ofAuto());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
