// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import java.util.Locale;

/** What MPI lets threads do, with MPI's numbers. */
enum ThreadLevel {
  /** There is one thread. */
  SINGLE(0),
  /** There are many, but only the one that started MPI may call it. */
  FUNNELED(1),
  /** All may call, one at a time. */
  SERIALIZED(2),
  /** All may call at once. */
  MULTIPLE(3);

  /** Asks for less than {@link #MULTIPLE}, for libraries that are faster with less. */
  static final String PROPERTY = "cairn.mpi.threads";

  private final int number;

  ThreadLevel(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  static ThreadLevel wanted() {
    String value = System.getProperty(PROPERTY, "multiple");
    try {
      return valueOf(value.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          PROPERTY + " is \"" + value + "\"; it can be single, funneled, serialized or multiple",
          e);
    }
  }

  static ThreadLevel of(int number) {
    return values()[Math.clamp(number, 0, values().length - 1)];
  }
}
