// SPDX-License-Identifier: Apache-2.0
package org.cairn.dataset;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import org.cairn.ElementType;

/** Sees primitive arrays and direct buffers as memory. */
public final class ArrayMemory {
  private ArrayMemory() {}

  /** The element type of an array, segment or buffer. */
  public static ElementType typeOf(Object memory) {
    return switch (memory) {
      case boolean[] _ -> ElementType.BOOLEAN;
      case byte[] _ -> ElementType.BYTE;
      case char[] _ -> ElementType.CHAR;
      case short[] _ -> ElementType.SHORT;
      case int[] _ -> ElementType.INT;
      case long[] _ -> ElementType.LONG;
      case float[] _ -> ElementType.FLOAT;
      case double[] _ -> ElementType.DOUBLE;
      case MemorySegment _ -> ElementType.BYTE;
      case Buffer buffer -> typeOf(buffer);
      default ->
          throw new IllegalArgumentException(
              memory.getClass().getTypeName()
                  + " is no primitive array, MemorySegment or direct buffer");
    };
  }

  private static ElementType typeOf(Buffer buffer) {
    return switch (buffer) {
      case ByteBuffer _ -> ElementType.BYTE;
      case CharBuffer _ -> ElementType.CHAR;
      case ShortBuffer _ -> ElementType.SHORT;
      case IntBuffer _ -> ElementType.INT;
      case LongBuffer _ -> ElementType.LONG;
      case FloatBuffer _ -> ElementType.FLOAT;
      case DoubleBuffer _ -> ElementType.DOUBLE;
    };
  }

  /** The element type of arrays of a class; {@code MemorySegment} counts as bytes. */
  public static ElementType typeOf(Class<?> type) {
    if (type == MemorySegment.class) {
      return ElementType.BYTE;
    }
    Class<?> component = type.getComponentType();
    if (component == null || !component.isPrimitive()) {
      throw new IllegalArgumentException(
          type.getTypeName() + " is no primitive array type and not MemorySegment");
    }
    return typeOf(java.lang.reflect.Array.newInstance(component, 0));
  }

  /** Memory that is seen as it is; {@code boolean[]} has none. */
  static MemorySegment segment(Object memory) {
    return switch (memory) {
      case byte[] array -> MemorySegment.ofArray(array);
      case char[] array -> MemorySegment.ofArray(array);
      case short[] array -> MemorySegment.ofArray(array);
      case int[] array -> MemorySegment.ofArray(array);
      case long[] array -> MemorySegment.ofArray(array);
      case float[] array -> MemorySegment.ofArray(array);
      case double[] array -> MemorySegment.ofArray(array);
      case MemorySegment segment -> segment;
      case Buffer buffer -> segment(buffer);
      default ->
          throw new IllegalArgumentException(
              memory.getClass().getTypeName() + " cannot be seen as memory");
    };
  }

  /** All of a direct buffer, whatever its position and limit. */
  private static MemorySegment segment(Buffer buffer) {
    if (!buffer.isDirect()) {
      throw new IllegalArgumentException("a heap buffer; protect the array behind it instead");
    }
    if (buffer.isReadOnly()) {
      throw new IllegalArgumentException("a read-only buffer could not be restored");
    }
    if (orderOf(buffer) != ByteOrder.nativeOrder()) {
      throw new IllegalArgumentException(
          "a buffer of foreign byte order; call order(ByteOrder.nativeOrder()) before making it");
    }
    return MemorySegment.ofBuffer(buffer.duplicate().clear());
  }

  private static ByteOrder orderOf(Buffer buffer) {
    return switch (buffer) {
      case ByteBuffer _ -> ByteOrder.nativeOrder();
      case CharBuffer typed -> typed.order();
      case ShortBuffer typed -> typed.order();
      case IntBuffer typed -> typed.order();
      case LongBuffer typed -> typed.order();
      case FloatBuffer typed -> typed.order();
      case DoubleBuffer typed -> typed.order();
    };
  }

  static void copy(boolean[] from, MemorySegment to) {
    for (int i = 0; i < from.length; i++) {
      to.set(ValueLayout.JAVA_BYTE, i, (byte) (from[i] ? 1 : 0));
    }
  }

  static void copy(MemorySegment from, boolean[] to) {
    for (int i = 0; i < to.length; i++) {
      to[i] = from.get(ValueLayout.JAVA_BYTE, i) != 0;
    }
  }
}
