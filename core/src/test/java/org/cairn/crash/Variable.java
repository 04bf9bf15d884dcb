// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.cairn.Checkpointer;
import org.cairn.Codec;
import org.cairn.Dataset;
import org.cairn.HashAlgorithm;

/** An array of a {@link Program}, of any kind that can be protected, seen as bytes. */
final class Variable {

  /** What holds the bytes. */
  enum Kind {
    BYTES(byte[].class, 1),
    BOOLEANS(boolean[].class, 1),
    CHARS(char[].class, 2),
    SHORTS(short[].class, 2),
    INTS(int[].class, 4),
    LONGS(long[].class, 8),
    FLOATS(float[].class, 4),
    DOUBLES(double[].class, 8),
    OFF_HEAP(MemorySegment.class, 1),
    OPAQUE(byte[].class, 1);

    private final Class<?> type;
    private final int elementBytes;

    Kind(Class<?> type, int elementBytes) {
      this.type = type;
      this.elementBytes = elementBytes;
    }

    private Object allocate(long elements) {
      int length = Math.toIntExact(elements);
      return switch (this) {
        case BYTES, OPAQUE -> new byte[length];
        case BOOLEANS -> new boolean[length];
        case CHARS -> new char[length];
        case SHORTS -> new short[length];
        case INTS -> new int[length];
        case LONGS -> new long[length];
        case FLOATS -> new float[length];
        case DOUBLES -> new double[length];
        case OFF_HEAP -> Arena.ofAuto().allocate(length);
      };
    }

    private MemorySegment see(Object memory) {
      return switch (memory) {
        case byte[] array -> MemorySegment.ofArray(array);
        case char[] array -> MemorySegment.ofArray(array);
        case short[] array -> MemorySegment.ofArray(array);
        case int[] array -> MemorySegment.ofArray(array);
        case long[] array -> MemorySegment.ofArray(array);
        case float[] array -> MemorySegment.ofArray(array);
        case double[] array -> MemorySegment.ofArray(array);
        case MemorySegment segment -> segment;
        default -> throw new AssertionError(memory.getClass());
      };
    }
  }

  /** How the bytes are cut, hashed and coded. */
  record Settings(int blockSize, HashAlgorithm algorithm, Codec codec) {}

  private final String name;
  private final Kind kind;
  private Settings settings;
  private Object memory;
  private boolean fixed;

  Variable(String name, Kind kind, Settings settings) {
    this.name = name;
    this.kind = kind;
    this.settings = settings;
    this.memory = kind.allocate(0);
  }

  String name() {
    return name;
  }

  Kind kind() {
    return kind;
  }

  /** Whether a restart can put any number of bytes into it. */
  boolean isResizable() {
    return !fixed;
  }

  Settings settings() {
    return settings;
  }

  /** The length that is nearest to {@code bytes} and a whole number of elements. */
  int wholeElements(int bytes) {
    return bytes - bytes % kind.elementBytes;
  }

  byte[] bytes() {
    if (memory instanceof boolean[] array) {
      byte[] bytes = new byte[array.length];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) (array[i] ? 1 : 0);
      }
      return bytes;
    }
    return kind.see(memory).toArray(ValueLayout.JAVA_BYTE);
  }

  /** Overwrites the array, which must be as long. */
  void overwrite(byte[] bytes) {
    if (memory instanceof boolean[] array) {
      for (int i = 0; i < bytes.length; i++) {
        array[i] = (bytes[i] & 1) != 0;
      }
    } else {
      MemorySegment.copy(MemorySegment.ofArray(bytes), 0, kind.see(memory), 0, bytes.length);
    }
  }

  /** Puts the bytes into a new array, of another length maybe. */
  void replace(byte[] bytes, Checkpointer cairn) {
    memory = kind.allocate(bytes.length / kind.elementBytes);
    overwrite(bytes);
    if (fixed) {
      cairn.dataset(name).replace(memory);
    }
  }

  void change(Settings newSettings, Checkpointer cairn) {
    settings = newSettings;
    apply(cairn.dataset(name));
  }

  /** Protects it as an array that is where it is, replaced by {@link Dataset#replace}. */
  void protectFixed(Checkpointer cairn) {
    fixed = kind != Kind.OPAQUE;
    switch (memory) {
      case byte[] array when fixed -> apply(cairn.protect(name, array));
      case boolean[] array -> apply(cairn.protect(name, array));
      case char[] array -> apply(cairn.protect(name, array));
      case short[] array -> apply(cairn.protect(name, array));
      case int[] array -> apply(cairn.protect(name, array));
      case long[] array -> apply(cairn.protect(name, array));
      case float[] array -> apply(cairn.protect(name, array));
      case double[] array -> apply(cairn.protect(name, array));
      case MemorySegment segment -> apply(cairn.protect(name, segment));
      default -> protectSupplied(cairn);
    }
  }

  /** Protects it by a supplier and an allocator, or by a pair of functions. */
  void protectSupplied(Checkpointer cairn) {
    fixed = false;
    if (kind == Kind.OPAQUE) {
      apply(cairn.protectOpaque(name, this::bytes, saved -> memory = saved));
    } else {
      apply(supplied(cairn, kind.type));
    }
  }

  private <T> Dataset supplied(Checkpointer cairn, Class<T> type) {
    return cairn.protect(
        name,
        type,
        () -> type.cast(memory),
        elements -> {
          memory = kind.allocate(elements);
          return type.cast(memory);
        });
  }

  private void apply(Dataset dataset) {
    dataset.blockSize(settings.blockSize).hash(settings.algorithm).codec(settings.codec);
  }

  Snapshot.Content content() {
    return new Snapshot.Content(kind, bytes(), settings.blockSize, settings.algorithm);
  }
}
