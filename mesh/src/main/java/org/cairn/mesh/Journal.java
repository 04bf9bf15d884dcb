// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The values that a program was given, in their order: what a replay gives it again.
 *
 * <pre>
 * Journal → Sealed Tail
 * Sealed  → (packed:i32 plain:i32 byte{packed})*, deflated, each whole values
 * Tail    → Value*
 * Value   → 'D' f64 | ('J' | 'I') i64 | 'Z' i8 | 'S' length:i32 UTF-8{length} | 'B' length:i32 byte{length}
 * </pre>
 */
final class Journal {
  private static final Logger LOG = LoggerFactory.getLogger(Mesh.class);

  /** A tail longer than this is sealed. */
  private static final long MOST_PLAIN = 64L << 20;

  private final long mostPlain;
  private final Log sealed = new Log();
  private Log tail = new Log();
  private boolean warned;

  // Where a replay stands.
  private long sealedAt;
  private MemorySegment reading = MemorySegment.ofArray(new byte[0]);
  private long at;
  private boolean readsTail;

  Journal() {
    this(MOST_PLAIN);
  }

  Journal(long mostPlain) {
    this.mostPlain = mostPlain;
  }

  Log sealed() {
    return sealed;
  }

  Log tail() {
    return tail;
  }

  // ---------------------------------------------------------------- writing

  void append(double value) {
    tail.append((byte) 'D');
    tail.append(Double.doubleToRawLongBits(value));
    sealIfLong();
  }

  /** Appends what a function gave. */
  void append(@Nullable Object value) {
    switch (value) {
      case null -> throw new IllegalArgumentException("record() takes a value, not null");
      case Double number -> append(number.doubleValue());
      case Long number -> appendNumber('J', number);
      case Integer number -> appendNumber('I', number);
      case Boolean truth -> {
        tail.append((byte) 'Z');
        tail.append((byte) (truth ? 1 : 0));
      }
      case String text -> appendBytes('S', text.getBytes(StandardCharsets.UTF_8));
      case byte[] bytes -> appendBytes('B', bytes);
      default ->
          throw new IllegalArgumentException(
              "record() takes a double, long, int, boolean, String or byte[], not a "
                  + value.getClass().getName());
    }
    sealIfLong();
  }

  /** Appends what a function gives, or that it failed; gives what is to be thrown for that. */
  Optional<RuntimeException> appendGivenBy(Supplier<?> what) {
    Object value;
    try {
      value = what.get();
    } catch (RuntimeException e) {
      appendFailure(e);
      return Optional.of(new RecordFailedException(e));
    }
    try {
      append(value);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      appendFailure(e);
      return Optional.of(e);
    }
  }

  private void appendFailure(RuntimeException why) {
    appendBytes('X', why.toString().getBytes(StandardCharsets.UTF_8));
    sealIfLong();
  }

  /** Appends what was appended to another one. */
  void appendEncoded(byte[] values) {
    tail.append(MemorySegment.ofArray(values));
    sealIfLong();
  }

  private void appendNumber(char kind, long value) {
    tail.append((byte) kind);
    tail.append(value);
  }

  private void appendBytes(char kind, byte[] bytes) {
    tail.append((byte) kind);
    tail.append(bytes.length);
    tail.append(MemorySegment.ofArray(bytes));
  }

  private void sealIfLong() {
    if (tail.length() < mostPlain) {
      return;
    }
    if (!warned) {
      warned = true;
      LOG.warn(
          "values recorded for a replay take more than {} MiB and are compressed from now on; mesh.here() at the top of a step does without them",
          mostPlain >> 20);
    }
    seal(tail.memory());
    tail = new Log();
  }

  private void seal(MemorySegment plain) {
    try (Deflater deflater = new Deflater(Deflater.BEST_SPEED)) {
      byte[] packed = new byte[mostPacked((int) plain.byteSize())];
      deflater.setInput(plain.toArray(ValueLayout.JAVA_BYTE));
      deflater.finish();
      int length = deflater.deflate(packed);
      if (!deflater.finished()) {
        throw new IllegalStateException("values do not fit when they are compressed");
      }
      sealed.append(length);
      sealed.append((int) plain.byteSize());
      sealed.append(MemorySegment.ofArray(packed).asSlice(0, length));
    }
  }

  /** Values that cannot be compressed get 5 bytes more for each 16 KiB at most, and a frame. */
  private static int mostPacked(int plain) {
    return plain + plain / (1 << 11) + 64;
  }

  // ---------------------------------------------------------------- reading

  /** Begins to give again what was recorded. */
  void restore(MemorySegment sealedBytes, MemorySegment tailBytes) {
    sealed.restore(sealedBytes);
    tail.restore(tailBytes);
    sealedAt = 0;
    at = 0;
    readsTail = false;
    reading = MemorySegment.ofArray(new byte[0]);
  }

  double nextDouble() {
    expect('D');
    double value = reading.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at);
    at += Double.BYTES;
    return value;
  }

  /** What a function gave. */
  Object next() {
    char kind = kind();
    return switch (kind) {
      case 'D' -> nextDouble();
      case 'J' -> number();
      case 'I' -> (int) number();
      case 'Z' -> {
        at++;
        yield reading.get(ValueLayout.JAVA_BYTE, at++) != 0;
      }
      case 'S' -> new String(bytes(), StandardCharsets.UTF_8);
      case 'B' -> bytes();
      case 'X' -> throw new RecordFailedException(new String(bytes(), StandardCharsets.UTF_8));
      default -> throw new ProgramChangedException("the record of values is damaged");
    };
  }

  private long number() {
    long value = reading.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 1);
    at += 1 + Long.BYTES;
    return value;
  }

  private byte[] bytes() {
    int length = reading.get(ValueLayout.JAVA_INT_UNALIGNED, at + 1);
    at += 1 + Integer.BYTES;
    byte[] bytes = reading.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
    at += length;
    return bytes;
  }

  private void expect(char wanted) {
    char kind = kind();
    if (kind != wanted) {
      throw new ProgramChangedException(
          "a reduction is asked for where the program that was saved recorded something else; it was changed since");
    }
    at++;
  }

  private char kind() {
    while (at == reading.byteSize()) {
      if (readsTail) {
        throw new ProgramChangedException(
            "the program asks for a value that was not recorded; it was changed since it was saved");
      }
      nextFrame();
    }
    return (char) reading.get(ValueLayout.JAVA_BYTE, at);
  }

  private void nextFrame() {
    at = 0;
    MemorySegment frames = sealed.memory();
    if (sealedAt == frames.byteSize()) {
      readsTail = true;
      reading = tail.memory();
      return;
    }
    int length = frames.get(ValueLayout.JAVA_INT_UNALIGNED, sealedAt);
    int plain = frames.get(ValueLayout.JAVA_INT_UNALIGNED, sealedAt + Integer.BYTES);
    long begin = sealedAt + 2L * Integer.BYTES;
    reading = unpack(frames.asSlice(begin, length).toArray(ValueLayout.JAVA_BYTE), plain);
    sealedAt = begin + length;
  }

  private static MemorySegment unpack(byte[] packed, int plain) {
    byte[] values = new byte[plain];
    try (Inflater inflater = new Inflater()) {
      inflater.setInput(packed);
      if (inflater.inflate(values) != plain) {
        throw new ProgramChangedException("the record of values is damaged");
      }
    } catch (DataFormatException e) {
      throw new ProgramChangedException("the record of values is damaged: " + e.getMessage());
    }
    return MemorySegment.ofArray(values);
  }

  /** Whether all that was recorded was given again. */
  boolean isAtEnd() {
    while (at == reading.byteSize() && !readsTail) {
      nextFrame();
    }
    return readsTail && at == reading.byteSize();
  }
}
