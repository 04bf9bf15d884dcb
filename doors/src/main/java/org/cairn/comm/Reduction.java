// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

/**
 * How values of many ranks become one. Values are combined in the order of ranks, so that a sum of
 * floating-point numbers is the same every time.
 */
public enum Reduction implements Operation {
  /** The sum; integers wrap around. */
  SUM,
  /** The product; integers wrap around. */
  PRODUCT,
  /** The smallest. */
  MIN,
  /** The largest. */
  MAX,
  /** 1 if no value is 0, else 0; integers only. */
  LOGICAL_AND,
  /** 1 if any value is not 0, else 0; integers only. */
  LOGICAL_OR,
  /** Bit by bit; integers only. */
  BITWISE_AND,
  /** Bit by bit; integers only. */
  BITWISE_OR,
  /** Bit by bit; integers only. */
  BITWISE_XOR
}
