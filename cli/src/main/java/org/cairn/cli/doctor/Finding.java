// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.doctor;

/**
 * Something that was looked at.
 *
 * @param what what it is
 * @param state how it is
 * @param found what was found, in words
 * @param remedy what to do about it; empty if nothing has to be done
 */
record Finding(String what, State state, String found, String remedy) {

  /** How something is. */
  enum State {
    /** There, and as it should be. */
    GOOD("ok"),
    /** Not there, and not needed by all. */
    MISSING("missing"),
    /** There, and not to be relied on without a thought. */
    DOUBTFUL("look"),
    /** Cairn cannot work like this. */
    BAD("BAD");

    private final String label;

    State(String label) {
      this.label = label;
    }

    /** Short, for a table. */
    String label() {
      return label;
    }
  }

  static Finding good(String what, String found) {
    return new Finding(what, State.GOOD, found, "");
  }
}
