// SPDX-License-Identifier: Apache-2.0
package org.cairn.dataset;

import java.lang.foreign.MemorySegment;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.cairn.ElementType;
import org.cairn.RowsAllocator;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetSpec;
import org.jspecify.annotations.Nullable;

/**
 * A {@code double[][]} or {@code float[][]}: its rows one after the other are one dataset of two
 * axes. Rows lie anywhere on the heap, and blocks do not end where rows do: so rows go through a
 * copy, which is kept from one checkpoint to the next.
 *
 * <p>Rows are looked at anew each time: the program may put others in their place. They are of one
 * length. Where a restart puts something they are different arrays: one that is two rows would keep
 * the content of the later one only.
 */
public final class RowsBinding implements Binding {
  /** More than this is native memory, which may be larger than any array. */
  private static final long SMALL = 64 << 10;

  private final ElementType type;
  private Supplier<?> current;
  private final @Nullable RowsAllocator<?> allocator;
  private MemorySegment together = MemorySegment.NULL;
  private Object @Nullable [] filling;

  private RowsBinding(ElementType type, Supplier<?> current, @Nullable RowsAllocator<?> allocator) {
    this.type = type;
    this.current = current;
    this.allocator = allocator;
  }

  /** Whether a class is one of rows that can be protected. */
  public static boolean isRows(Class<?> type) {
    return type == double[][].class || type == float[][].class;
  }

  /** Rows that stay the same. */
  public static RowsBinding fixed(Object[] rows) {
    RowsBinding binding = supplied(rows.getClass(), () -> rows, null);
    refuseShared(binding.checked(rows));
    return binding;
  }

  /** Rows that the program names anew each time, and may have allocated. */
  public static RowsBinding supplied(
      Class<?> type, Supplier<?> current, @Nullable RowsAllocator<?> allocator) {
    if (!isRows(type)) {
      throw new IllegalArgumentException(
          type.getTypeName() + " is not double[][] or float[][], which are the rows known here");
    }
    return new RowsBinding(ArrayMemory.typeOf(type.getComponentType()), current, allocator);
  }

  @Override
  public ElementType type() {
    return type;
  }

  @Override
  public Optional<List<Long>> shape() {
    return Optional.of(shapeOf(rows()));
  }

  @Override
  public boolean isRows() {
    return true;
  }

  private List<Long> shapeOf(Object[] rows) {
    return List.of((long) rows.length, columns(rows));
  }

  private long columns(Object[] rows) {
    return rows.length == 0 ? 0 : bytesOf(rows[0]) / type.bytes();
  }

  private static long bytesOf(Object row) {
    return ArrayMemory.segment(row).byteSize();
  }

  @Override
  public long byteSize() {
    return byteSize(rows());
  }

  private long byteSize(Object[] rows) {
    return rows.length * columns(rows) * type.bytes();
  }

  @Override
  public MemorySegment view() {
    Object[] rows = rows();
    MemorySegment copy = roomFor(byteSize(rows));
    long at = 0;
    for (Object row : rows) {
      MemorySegment from = ArrayMemory.segment(row);
      MemorySegment.copy(from, 0, copy, at, from.byteSize());
      at += from.byteSize();
    }
    return copy;
  }

  private Object[] rows() {
    return checked(current.get());
  }

  private Object[] checked(@Nullable Object memory) {
    if (memory == null) {
      throw new IllegalStateException("the supplier gave null");
    }
    if (!(memory instanceof Object[] rows)
        || ArrayMemory.typeOf(memory.getClass().getComponentType()) != type) {
      throw new IllegalStateException(
          "expected %s[][], got %s".formatted(type.label(), memory.getClass().getTypeName()));
    }
    for (int row = 0; row < rows.length; row++) {
      check(rows, row);
    }
    return rows;
  }

  private void check(Object[] rows, int row) {
    if (rows[row] == null) {
      throw new IllegalArgumentException(
          "row %d is null; rows are saved as one dataset, and each must be there".formatted(row));
    }
    if (bytesOf(rows[row]) != bytesOf(rows[0])) {
      throw new IllegalArgumentException(
          "row %d has %d elements and row 0 has %d; rows of one dataset are of one length: protect rows that differ one by one, each with a name of its own"
              .formatted(row, bytesOf(rows[row]) / type.bytes(), columns(rows)));
    }
  }

  private static void refuseShared(Object[] rows) {
    Map<Object, Integer> seen = new IdentityHashMap<>(rows.length);
    for (int row = 0; row < rows.length; row++) {
      Integer before = seen.putIfAbsent(rows[row], row);
      if (before != null) {
        throw new IllegalArgumentException(
            "rows %d and %d are the same array; a restart could not give each its own content: make each row an array of its own"
                .formatted(before, row));
      }
    }
  }

  private MemorySegment roomFor(long bytes) {
    if (together.byteSize() < bytes) {
      together =
          bytes <= SMALL
              ? MemorySegment.ofArray(Supply.bytes((int) bytes))
              : Supply.autoArena().allocate(bytes, Double.BYTES);
    }
    return together.asSlice(0, bytes);
  }

  @Override
  public boolean resizable() {
    return allocator != null;
  }

  @Override
  public MemorySegment target(List<Long> shape) {
    Object[] rows = allocator == null ? rows() : allocate(allocator, shape);
    long room = byteSize(rows) / type.bytes();
    MemoryBinding.checkSize(room, DatasetSpec.elements(shape));
    try {
      refuseShared(rows);
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
    filling = rows;
    return roomFor(byteSize(rows));
  }

  private Object[] allocate(RowsAllocator<?> maker, List<Long> shape) {
    if (shape.size() != 2) {
      throw new IllegalStateException(
          "it was saved with %d axes, not as rows".formatted(shape.size()));
    }
    int rows = Math.toIntExact(shape.get(0));
    int columns = Math.toIntExact(shape.get(1));
    Object[] made = checked(maker.allocate(rows, columns));
    if (made.length != rows || (rows > 0 && columns(made) != columns)) {
      throw new IllegalStateException(
          "the allocator gave %s rows and columns, the checkpoint has %s"
              .formatted(shapeOf(made), shape));
    }
    return made;
  }

  @Override
  public void filled() {
    Object[] rows = filling;
    if (rows == null) {
      return;
    }
    filling = null;
    long at = 0;
    for (Object row : rows) {
      MemorySegment to = ArrayMemory.segment(row);
      MemorySegment.copy(together, at, to, 0, to.byteSize());
      at += to.byteSize();
    }
  }

  @Override
  public void replace(Object memory) {
    if (!(memory instanceof Object[] rows)) {
      throw new IllegalArgumentException(
          "%s in the place of rows".formatted(memory.getClass().getTypeName()));
    }
    refuseShared(checked(rows));
    current = () -> rows;
  }
}
