// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;

/**
 * How the values of two ranges of ranks become one: a {@link Reduction}, or an operation of your
 * own.
 *
 * <p><b>Order.</b> The first operand always stands for a range of ranks, the second for the range
 * right after it. So an operation need not be commutative. Which ranges meet depends on the number
 * of ranks alone, see {@link Communicator#reduce}: the same values on as many ranks give the same
 * bits, every time and on every rank.
 *
 * <p><b>Associativity.</b> An operation should be associative: (a·b)·c is a·(b·c). One that is so
 * but for rounding, a sum for example, gives results that differ in rounding between numbers of
 * ranks. One that is not so at all gives results that mean nothing.
 *
 * <p>An operation of your own must depend on its operands alone, be the same on all ranks, and not
 * throw: ranks that wait for the result of this one would wait in vain.
 */
public sealed interface Operation permits Reduction, OwnOperation {

  /**
   * An operation of your own for ints and longs, element by element. Ints come as longs; of the
   * result their lower 32 bits count.
   */
  static Operation ofLongs(LongBinaryOperator combine) {
    return new OwnOperation.OfLongs(combine);
  }

  /**
   * An operation of your own for floats and doubles, element by element. Floats come as doubles;
   * the result is rounded.
   */
  static Operation ofDoubles(DoubleBinaryOperator combine) {
    return new OwnOperation.OfDoubles(combine);
  }

  /**
   * An operation of your own for elements of any layout: complex numbers, small matrices, values
   * with a weight.
   */
  static Operation ofElements(Elements combine) {
    return new OwnOperation.OfElements(combine);
  }

  /** Combines two elements of memory. */
  @FunctionalInterface
  interface Elements {
    /**
     * Puts the combination of both into the first. Memory is not aligned: use unaligned layouts.
     *
     * @param into what a range of ranks has come to
     * @param next what the range right after it has come to; stays as it is
     */
    void combine(MemorySegment into, MemorySegment next);
  }
}
