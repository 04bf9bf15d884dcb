// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;

/** Combines the values of two ranges of ranks, element by element. */
abstract sealed class Reducer {
  private final long width;
  private final boolean logical;

  private Reducer(MemoryLayout type, Operation operation) {
    this.width = type.byteSize();
    this.logical = operation == Reduction.LOGICAL_AND || operation == Reduction.LOGICAL_OR;
  }

  static Reducer of(MemoryLayout type, Operation operation) {
    if (operation instanceof OwnOperation.OfElements own) {
      return new OfElements(type, own);
    }
    if (!(type instanceof ValueLayout value)) {
      throw new IllegalArgumentException(
          "elements of the layout %s need an operation of elements".formatted(type));
    }
    if (value.order() != ByteOrder.nativeOrder()) {
      throw new IllegalArgumentException("cannot reduce elements in the order " + value.order());
    }
    Class<?> carrier = value.carrier();
    if (carrier == int.class) {
      return new OfInt(type, operation);
    } else if (carrier == long.class) {
      return new OfLong(type, operation);
    } else if (carrier == float.class) {
      return new OfFloat(type, operation);
    } else if (carrier == double.class) {
      return new OfDouble(type, operation);
    }
    throw new IllegalArgumentException("cannot reduce elements of type " + carrier);
  }

  final long checkedSize(MemorySegment values) {
    if (values.byteSize() % width != 0) {
      throw new IllegalArgumentException(
          values.byteSize() + " bytes are not a number of elements of " + width + " bytes");
    }
    return values.byteSize();
  }

  /** As many bytes as there are whole elements in so many, but at least one element. */
  final long wholeElements(long bytes) {
    return Math.max(width, bytes - bytes % width);
  }

  /** Makes truth values 0 or 1, so that one rank alone gives what many would. */
  final void prepare(MemorySegment values) {
    if (logical) {
      for (long at = 0; at < values.byteSize(); at += width) {
        normalize(values, at);
      }
    }
  }

  final void combine(MemorySegment into, MemorySegment with) {
    for (long at = 0; at < into.byteSize(); at += width) {
      combine(into, with, at);
    }
  }

  abstract void combine(MemorySegment into, MemorySegment with, long at);

  void normalize(MemorySegment values, long at) {
    throw new AssertionError("no truth values");
  }

  private static LongBinaryOperator integers(Operation operation) {
    return switch (operation) {
      case Reduction known -> integers(known);
      case OwnOperation.OfLongs own -> own.combine();
      case OwnOperation _ ->
          throw new IllegalArgumentException(
              "an operation of floating-point numbers cannot combine integers");
    };
  }

  private static LongBinaryOperator integers(Reduction operation) {
    return switch (operation) {
      case SUM -> Long::sum;
      case PRODUCT -> (a, b) -> a * b;
      case MIN -> Math::min;
      case MAX -> Math::max;
      // Truth values are 0 or 1 by now.
      case LOGICAL_AND, BITWISE_AND -> (a, b) -> a & b;
      case LOGICAL_OR, BITWISE_OR -> (a, b) -> a | b;
      case BITWISE_XOR -> (a, b) -> a ^ b;
    };
  }

  private static DoubleBinaryOperator numbers(Operation operation) {
    return switch (operation) {
      case Reduction.SUM -> Double::sum;
      case Reduction.PRODUCT -> (a, b) -> a * b;
      case Reduction.MIN -> Math::min;
      case Reduction.MAX -> Math::max;
      case Reduction logic ->
          throw new IllegalArgumentException(
              logic + " is for integers, not for floating-point numbers");
      case OwnOperation.OfDoubles own -> own.combine();
      case OwnOperation _ ->
          throw new IllegalArgumentException(
              "an operation of integers cannot combine floating-point numbers");
    };
  }

  private static final class OfInt extends Reducer {
    private static final ValueLayout.OfInt LAYOUT = ValueLayout.JAVA_INT_UNALIGNED;
    private final LongBinaryOperator operator;

    OfInt(MemoryLayout type, Operation operation) {
      super(type, operation);
      this.operator = integers(operation);
    }

    @Override
    void combine(MemorySegment into, MemorySegment with, long at) {
      // The lower half of a long sum or product is that of the ints, so longs serve here too.
      long result = operator.applyAsLong(into.get(LAYOUT, at), with.get(LAYOUT, at));
      into.set(LAYOUT, at, (int) result);
    }

    @Override
    void normalize(MemorySegment values, long at) {
      values.set(LAYOUT, at, values.get(LAYOUT, at) == 0 ? 0 : 1);
    }
  }

  private static final class OfLong extends Reducer {
    private static final ValueLayout.OfLong LAYOUT = ValueLayout.JAVA_LONG_UNALIGNED;
    private final LongBinaryOperator operator;

    OfLong(MemoryLayout type, Operation operation) {
      super(type, operation);
      this.operator = integers(operation);
    }

    @Override
    void combine(MemorySegment into, MemorySegment with, long at) {
      into.set(LAYOUT, at, operator.applyAsLong(into.get(LAYOUT, at), with.get(LAYOUT, at)));
    }

    @Override
    void normalize(MemorySegment values, long at) {
      values.set(LAYOUT, at, values.get(LAYOUT, at) == 0 ? 0 : 1);
    }
  }

  private static final class OfFloat extends Reducer {
    private static final ValueLayout.OfFloat LAYOUT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private final DoubleBinaryOperator operator;

    OfFloat(MemoryLayout type, Operation operation) {
      super(type, operation);
      this.operator = numbers(operation);
    }

    @Override
    void combine(MemorySegment into, MemorySegment with, long at) {
      // The double sum or product of two floats, rounded, is theirs: no double rounding here.
      double result = operator.applyAsDouble(into.get(LAYOUT, at), with.get(LAYOUT, at));
      into.set(LAYOUT, at, (float) result);
    }
  }

  private static final class OfDouble extends Reducer {
    private static final ValueLayout.OfDouble LAYOUT = ValueLayout.JAVA_DOUBLE_UNALIGNED;
    private final DoubleBinaryOperator operator;

    OfDouble(MemoryLayout type, Operation operation) {
      super(type, operation);
      this.operator = numbers(operation);
    }

    @Override
    void combine(MemorySegment into, MemorySegment with, long at) {
      into.set(LAYOUT, at, operator.applyAsDouble(into.get(LAYOUT, at), with.get(LAYOUT, at)));
    }
  }

  private static final class OfElements extends Reducer {
    private final long width;
    private final Operation.Elements operation;

    OfElements(MemoryLayout type, OwnOperation.OfElements own) {
      super(type, own);
      this.width = type.byteSize();
      this.operation = own.combine();
      if (width == 0) {
        throw new IllegalArgumentException("elements of no bytes cannot be combined: " + type);
      }
    }

    @Override
    void combine(MemorySegment into, MemorySegment with, long at) {
      operation.combine(into.asSlice(at, width), with.asSlice(at, width).asReadOnly());
    }
  }
}
