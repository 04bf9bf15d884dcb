// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;

/** Operations that programs bring along. */
sealed interface OwnOperation extends Operation {

  /** Of ints and longs. */
  record OfLongs(LongBinaryOperator combine) implements OwnOperation {}

  /** Of floats and doubles. */
  record OfDoubles(DoubleBinaryOperator combine) implements OwnOperation {}

  /** Of whatever has a size. */
  record OfElements(Elements combine) implements OwnOperation {}
}
