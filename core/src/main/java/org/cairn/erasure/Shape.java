// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

/**
 * What one pass of a kernel computes: constants to C2, which drops what a shape does not need.
 *
 * @param sources how many sources it reads, 1 to {@value #MAX_SOURCES}
 * @param xor whether one target gets the plain sum of the sources
 * @param dots how many targets get sums with coefficients, 0 to {@value #MAX_DOTS}
 * @param add whether targets keep what they have and add to it
 */
record Shape(int sources, boolean xor, int dots, boolean add) {

  /** With one sum of products: tables for more would not fit the 32 registers of most machines. */
  static final int MAX_SOURCES = 6;

  private static final int MAX_SOURCES_OF_TWO = 4;

  static final int MAX_DOTS = 2;

  /** How many sources there may be where two sums of products are computed, or only one. */
  static int mostSources(boolean two) {
    return two ? MAX_SOURCES_OF_TWO : MAX_SOURCES;
  }

  int targets() {
    return dots + (xor ? 1 : 0);
  }

  @Override
  public String toString() {
    return sources + (xor ? "x" : "") + (dots > 0 ? "d" + dots : "") + (add ? "+" : "");
  }
}
