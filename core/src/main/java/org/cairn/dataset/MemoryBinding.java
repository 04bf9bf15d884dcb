// SPDX-License-Identifier: Apache-2.0
package org.cairn.dataset;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.cairn.ElementType;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetSpec;
import org.jspecify.annotations.Nullable;

/**
 * An array, segment or direct buffer: one that stays ({@link #fixed}), or one that the program
 * replaces whenever it likes ({@link #supplied}). {@code boolean[]} goes through a copy, which is
 * kept from one checkpoint to the next.
 */
public final class MemoryBinding implements Binding {
  private final ElementType type;
  private Supplier<?> current;
  private final @Nullable LongFunction<?> allocator;
  private byte[] booleans = new byte[0];
  private boolean @Nullable [] filling;

  private static final String CONFINED =
      "memory of Arena.ofConfined() can be used by one thread only, and several make a checkpoint; allocate it from Arena.ofShared() or Arena.ofAuto()";

  /** Never started; a segment that it may use may be used by all. */
  private static final Thread SOMEBODY_ELSE = new Thread(() -> {});

  private MemoryBinding(
      ElementType type, Supplier<?> current, @Nullable LongFunction<?> allocator) {
    this.type = type;
    this.current = current;
    this.allocator = allocator;
  }

  /** Memory that stays the same. */
  public static MemoryBinding fixed(Object memory, ElementType type) {
    checkUsable(memory);
    return new MemoryBinding(type, () -> memory, null);
  }

  /** Memory that the program names anew each time, and may have allocated. */
  public static MemoryBinding supplied(
      ElementType type, Supplier<?> current, LongFunction<?> allocator) {
    return new MemoryBinding(type, current, allocator);
  }

  private static void checkUsable(Object memory) {
    if (memory instanceof boolean[]) {
      return;
    }
    MemorySegment segment = ArrayMemory.segment(memory);
    if (segment.isReadOnly()) {
      throw new IllegalArgumentException("a read-only segment could not be restored");
    }
    if (isConfined(segment)) {
      throw new IllegalArgumentException(CONFINED);
    }
  }

  private static boolean isConfined(MemorySegment segment) {
    return !segment.isAccessibleBy(SOMEBODY_ELSE);
  }

  @Override
  public ElementType type() {
    return type;
  }

  @Override
  public MemorySegment view() {
    Object memory = current.get();
    if (memory instanceof boolean[] array) {
      MemorySegment copy = booleansOf(array.length);
      ArrayMemory.copy(array, copy);
      return copy;
    }
    return segment(memory);
  }

  @Override
  public long byteSize() {
    Object memory = current.get();
    return memory instanceof boolean[] array ? array.length : segment(memory).byteSize();
  }

  @Override
  public Optional<MemorySegment> lastingMemory() {
    Object memory = current.get();
    boolean ofHeap = memory == null || memory.getClass().isArray();
    return ofHeap ? Optional.empty() : Optional.of(segment(memory)).filter(MemorySegment::isNative);
  }

  private MemorySegment booleansOf(int length) {
    if (booleans.length < length) {
      booleans = Supply.bytes(length);
    }
    return MemorySegment.ofArray(booleans).asSlice(0, length);
  }

  private MemorySegment segment(@Nullable Object memory) {
    if (memory == null) {
      throw new IllegalStateException("the supplier gave null");
    }
    MemorySegment segment = ArrayMemory.segment(memory);
    if (!segment.scope().isAlive()) {
      throw new IllegalStateException(
          "its memory was freed: the arena is closed; unprotect it before that");
    }
    if (isConfined(segment)) {
      throw new IllegalStateException(CONFINED);
    }
    if (!(memory instanceof MemorySegment) && ArrayMemory.typeOf(memory) != type) {
      throw new IllegalStateException(
          "expected elements of type %s, got %s"
              .formatted(type.label(), memory.getClass().getTypeName()));
    }
    return segment;
  }

  @Override
  public boolean resizable() {
    return allocator != null;
  }

  @Override
  public MemorySegment target(List<Long> shape) {
    long elements = DatasetSpec.elements(shape);
    Object memory = allocator == null ? current.get() : allocator.apply(elements);
    if (memory instanceof boolean[] array) {
      checkSize(array.length, elements);
      filling = array;
      return booleansOf(array.length);
    }
    MemorySegment segment = segment(memory);
    checkSize(segment.byteSize() / type.bytes(), elements);
    return segment;
  }

  static void checkSize(long offered, long wanted) {
    if (offered != wanted) {
      throw new IllegalStateException(
          "there is room for %d elements, the checkpoint has %d".formatted(offered, wanted));
    }
  }

  @Override
  public void filled() {
    boolean[] array = filling;
    if (array != null) {
      ArrayMemory.copy(MemorySegment.ofArray(booleans), array);
      filling = null;
    }
  }

  @Override
  public void replace(Object memory) {
    checkUsable(memory);
    if (!(memory instanceof MemorySegment) && ArrayMemory.typeOf(memory) != type) {
      throw new IllegalArgumentException(
          "%s in the place of %s elements"
              .formatted(memory.getClass().getTypeName(), type.label()));
    }
    current = () -> memory;
  }
}
