// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.cairn.dataset.ArrayMemory;
import org.cairn.dataset.Binding;
import org.cairn.dataset.MemoryBinding;
import org.cairn.dataset.RowsBinding;
import org.jspecify.annotations.Nullable;

/**
 * Makes datasets of the annotated fields of an object, its superclasses included.
 *
 * <p>Primitive fields, primitive arrays, {@code double[][]} and {@code float[][]}, {@code String}s,
 * {@code MemorySegment}s, and objects that have annotated fields themselves, in final fields. An
 * array in a field that is not final may be replaced at any time, and a restart sets the field to a
 * new array of the saved size. A segment may be replaced too, but a restart needs one of the saved
 * size in the field.
 */
final class ObjectFields {
  private final Dataset.Defaults defaults;
  private final List<Dataset> datasets = new ArrayList<>();
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

  private ObjectFields(Dataset.Defaults defaults) {
    this.defaults = defaults;
  }

  /**
   * The datasets of an object; their names start with {@code prefix} and a dot, if there is one.
   */
  public static List<Dataset> of(String prefix, Object state, Dataset.Defaults defaults) {
    ObjectFields fields = new ObjectFields(defaults);
    fields.add(prefix, state);
    if (fields.datasets.isEmpty()) {
      throw new IllegalArgumentException(
          state.getClass().getName() + " has no field annotated with @Protect");
    }
    return fields.datasets;
  }

  private void add(String prefix, Object state) {
    if (!seen.add(state)) {
      throw new IllegalArgumentException("\"" + prefix + "\" leads back to an object above it");
    }
    for (Class<?> type = state.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        Protect mark = field.getAnnotation(Protect.class);
        if (mark != null) {
          String own = mark.value().isEmpty() ? field.getName() : mark.value();
          addField(prefix.isEmpty() ? own : prefix + "." + own, field, state);
        }
      }
    }
  }

  private void addField(String name, Field field, Object state) {
    if (Modifier.isStatic(field.getModifiers())) {
      throw new IllegalArgumentException(field + " is static; protect it by itself");
    }
    field.setAccessible(true);
    Class<?> type = field.getType();
    if (type.isPrimitive()) {
      datasets.add(scalar(name, field, state));
    } else if (type.isArray() && type.getComponentType().isPrimitive()) {
      datasets.add(array(name, field, state));
    } else if (RowsBinding.isRows(type)) {
      datasets.add(rows(name, field, state));
    } else if (type == String.class) {
      datasets.add(text(name, field, state));
    } else if (type == MemorySegment.class) {
      datasets.add(segment(name, field, state));
    } else if (hasProtectedFields(type)) {
      requireFinal(field);
      add(name, required(field, state));
    } else {
      throw new IllegalArgumentException(
          field
              + " is of a type that cannot be protected by itself; annotate the fields of "
              + type.getSimpleName()
              + ", or use protectOpaque with a pair of functions");
    }
  }

  private static boolean hasProtectedFields(Class<?> start) {
    for (Class<?> type = start; type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.isAnnotationPresent(Protect.class)) {
          return true;
        }
      }
    }
    return false;
  }

  /** A primitive field is seen through an array of one element, read and set by reflection. */
  private Dataset scalar(String name, Field field, Object state) {
    refuseFinal(field);
    Object cell = Array.newInstance(field.getType(), 1);
    Binding binding =
        new Through(MemoryBinding.fixed(cell, ArrayMemory.typeOf(cell))) {
          @Override
          void before() {
            Array.set(cell, 0, read(field, state));
          }

          @Override
          void after() {
            write(field, state, Array.get(cell, 0));
          }
        };
    return Dataset.of(name, binding, defaults);
  }

  private Dataset array(String name, Field field, Object state) {
    if (Modifier.isFinal(field.getModifiers())) {
      return Dataset.fixed(name, required(field, state), defaults);
    }
    Class<?> component = field.getType().getComponentType();
    return Dataset.supplied(
        name,
        field.getType(),
        () -> required(field, state),
        elements -> {
          Object now = read(field, state);
          if (now != null && Array.getLength(now) == elements) {
            return now;
          }
          Object array = Array.newInstance(component, Math.toIntExact(elements));
          write(field, state, array);
          return array;
        },
        defaults);
  }

  private Dataset rows(String name, Field field, Object state) {
    if (Modifier.isFinal(field.getModifiers())) {
      return Dataset.rows(name, (Object[]) required(field, state), defaults);
    }
    Class<?> component = field.getType().getComponentType().getComponentType();
    RowsAllocator<Object> allocator =
        (rows, columns) -> {
          Object now = read(field, state);
          if (now != null && isOfSize((Object[]) now, rows, columns)) {
            return now;
          }
          Object array = Array.newInstance(component, rows, columns);
          write(field, state, array);
          return array;
        };
    return Dataset.suppliedRows(
        name, field.getType(), () -> required(field, state), allocator, defaults);
  }

  private static boolean isOfSize(Object[] array, int rows, int columns) {
    return array.length == rows
        && Arrays.stream(array).allMatch(row -> row != null && Array.getLength(row) == columns);
  }

  /** The field is read at each checkpoint; a restart fills the segment that is there then. */
  private Dataset segment(String name, Field field, Object state) {
    return Dataset.supplied(
        name,
        MemorySegment.class,
        () -> required(field, state),
        bytes -> required(field, state),
        defaults);
  }

  /** The fields of a nested object are found once; another object in its place would be missed. */
  private static void requireFinal(Field field) {
    if (!Modifier.isFinal(field.getModifiers())) {
      throw new IllegalArgumentException(
          field + " leads to an object with protected fields; make it final");
    }
  }

  private Dataset text(String name, Field field, Object state) {
    refuseFinal(field);
    return Dataset.opaque(
        name,
        () -> ((String) required(field, state)).getBytes(StandardCharsets.UTF_8),
        bytes -> write(field, state, new String(bytes, StandardCharsets.UTF_8)),
        defaults);
  }

  private static void refuseFinal(Field field) {
    if (Modifier.isFinal(field.getModifiers())) {
      throw new IllegalArgumentException(field + " is final and could not be restored");
    }
  }

  private static Object required(Field field, Object state) {
    Object value = read(field, state);
    if (value == null) {
      throw new IllegalStateException(field + " is null");
    }
    return value;
  }

  private static @Nullable Object read(Field field, Object state) {
    try {
      return field.get(state);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(field + " cannot be read", e);
    }
  }

  private static void write(Field field, Object state, Object value) {
    try {
      field.set(state, value);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(field + " cannot be set", e);
    }
  }

  /** A binding with something to do before it is read and after it was filled. */
  private abstract static class Through implements Binding {
    private final Binding inner;

    Through(Binding inner) {
      this.inner = inner;
    }

    abstract void before();

    abstract void after();

    @Override
    public org.cairn.ElementType type() {
      return inner.type();
    }

    @Override
    public MemorySegment view() {
      before();
      return inner.view();
    }

    @Override
    public long byteSize() {
      return inner.byteSize();
    }

    @Override
    public boolean resizable() {
      return false;
    }

    @Override
    public MemorySegment target(List<Long> shape) {
      return inner.target(shape);
    }

    @Override
    public void filled() {
      inner.filled();
      after();
    }
  }
}
