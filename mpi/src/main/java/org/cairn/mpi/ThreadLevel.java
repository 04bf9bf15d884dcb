// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import java.util.Locale;

/** What MPI lets threads do; the order is MPI's numbering. */
enum ThreadLevel {
  /** There is one thread. */
  SINGLE,
  /** There are many, but only the one that started MPI may call it. */
  FUNNELED,
  /** All may call, one at a time. */
  SERIALIZED,
  /** All may call at once. */
  MULTIPLE;

  /** Asks for less than {@link #MULTIPLE}, for libraries that are faster with less. */
  static final String PROPERTY = "cairn.mpi.threads";

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
