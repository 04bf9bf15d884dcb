// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;

/** Combines the values of two ranks, element by element. */
abstract sealed class Reducer {
  private final int width;
  private final boolean logical;

  private Reducer(ValueLayout type, Reduction reduction) {
    this.width = (int) type.byteSize();
    this.logical = reduction == Reduction.LOGICAL_AND || reduction == Reduction.LOGICAL_OR;
  }

  static Reducer of(ValueLayout type, Reduction reduction) {
    if (type.order() != ByteOrder.nativeOrder()) {
      throw new IllegalArgumentException("cannot reduce elements in the order " + type.order());
    }
    Class<?> carrier = type.carrier();
    if (carrier == int.class) {
      return new OfInt(type, reduction);
    } else if (carrier == long.class) {
      return new OfLong(type, reduction);
    } else if (carrier == float.class) {
      return new OfFloat(type, reduction);
    } else if (carrier == double.class) {
      return new OfDouble(type, reduction);
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

  abstract void normalize(MemorySegment values, long at);

  private static LongBinaryOperator integers(Reduction reduction) {
    return switch (reduction) {
      case SUM -> Long::sum;
      case MIN -> Math::min;
      case MAX -> Math::max;
      case LOGICAL_AND, BITWISE_AND -> (a, b) -> a & b; // truth values are 0 or 1 by now
      case LOGICAL_OR, BITWISE_OR -> (a, b) -> a | b;
      case BITWISE_XOR -> (a, b) -> a ^ b;
    };
  }

  private static DoubleBinaryOperator numbers(Reduction reduction) {
    return switch (reduction) {
      case SUM -> Double::sum;
      case MIN -> Math::min;
      case MAX -> Math::max;
      default ->
          throw new IllegalArgumentException(
              reduction + " is for integers, not for floating-point numbers");
    };
  }

  private static final class OfInt extends Reducer {
    private static final ValueLayout.OfInt LAYOUT = ValueLayout.JAVA_INT_UNALIGNED;
    private final LongBinaryOperator operator;

    OfInt(ValueLayout type, Reduction reduction) {
      super(type, reduction);
      this.operator = integers(reduction);
    }

    @Override
    void combine(MemorySegment into, MemorySegment with, long at) {
      // The lower half of a long sum is the int sum, so longs serve here too.
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

    OfLong(ValueLayout type, Reduction reduction) {
      super(type, reduction);
      this.operator = integers(reduction);
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

    OfFloat(ValueLayout type, Reduction reduction) {
      super(type, reduction);
      this.operator = numbers(reduction);
    }

    @Override
    void combine(MemorySegment into, MemorySegment with, long at) {
      // The double sum of two floats, rounded, is their float sum: no double rounding here.
      double result = operator.applyAsDouble(into.get(LAYOUT, at), with.get(LAYOUT, at));
      into.set(LAYOUT, at, (float) result);
    }

    @Override
    void normalize(MemorySegment values, long at) {
      throw new AssertionError("no truth values");
    }
  }

  private static final class OfDouble extends Reducer {
    private static final ValueLayout.OfDouble LAYOUT = ValueLayout.JAVA_DOUBLE_UNALIGNED;
    private final DoubleBinaryOperator operator;

    OfDouble(ValueLayout type, Reduction reduction) {
      super(type, reduction);
      this.operator = numbers(reduction);
    }

    @Override
    void combine(MemorySegment into, MemorySegment with, long at) {
      into.set(LAYOUT, at, operator.applyAsDouble(into.get(LAYOUT, at), with.get(LAYOUT, at)));
    }

    @Override
    void normalize(MemorySegment values, long at) {
      throw new AssertionError("no truth values");
    }
  }
}
