// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

/** Names that a program gives: they are stored, and reports have one line for each. */
final class Names {
  private static final int LONGEST = 1_000;

  private Names() {}

  /**
   * Refuses a name that no report could show.
   *
   * @param what has it
   */
  static void require(String what, String name) {
    if (name.length() > LONGEST) {
      throw new IllegalArgumentException(
          "the name of a %s has %,d characters, and may have %,d: %s…"
              .formatted(what, name.length(), LONGEST, name.substring(0, 40)));
    }
    if (name.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "the name of a %s has tabs, ends of lines or the like in it: \"%s\""
              .formatted(what, name.replaceAll("\\p{Cntrl}", "?")));
    }
  }
}
