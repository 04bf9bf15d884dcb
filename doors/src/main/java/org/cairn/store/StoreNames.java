// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

/**
 * The names a {@link Store} accepts: 1 to 255 printable ASCII characters, none of {@code / \ : * ?
 * " < > |}, and neither {@code .} nor {@code ..}.
 *
 * <p>Names come out of files that may be damaged or hostile. A name that passes here is one plain
 * component of a path on every system we know, so it cannot lead out of the store's directory,
 * cannot address a drive or an alternate stream, and cannot play tricks in a terminal.
 */
public final class StoreNames {
  private static final int MAX_LENGTH = 255;
  private static final String FORBIDDEN = "/\\:*?\"<>|";

  private StoreNames() {}

  /** Whether a store accepts this name. */
  public static boolean isValid(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_LENGTH
        && !name.equals(".")
        && !name.equals("..")
        && areAllowed(name);
  }

  /** Asked for every file that is opened, listed or looked for. */
  private static boolean areAllowed(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (!isAllowed(name.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the name if it is valid.
   *
   * @throws IllegalArgumentException if it is not
   */
  public static String check(String name) {
    if (!isValid(name)) {
      throw new IllegalArgumentException(
          "not a plain file name: \""
              + printable(name)
              + "\" (1 to 255 printable ASCII characters, none of "
              + FORBIDDEN
              + ", not . or ..)");
    }
    return name;
  }

  private static boolean isAllowed(int character) {
    return isPrintableAscii(character) && FORBIDDEN.indexOf(character) < 0;
  }

  private static boolean isPrintableAscii(int character) {
    return character >= ' ' && character <= '~';
  }

  /** The name fit for a message: what could disturb a terminal or flood a log is replaced. */
  private static String printable(String name) {
    StringBuilder text = new StringBuilder();
    name.chars()
        .limit(MAX_LENGTH)
        .forEach(c -> text.append(isPrintableAscii(c) ? (char) c : '\ufffd'));
    return name.length() > MAX_LENGTH ? text.append("...").toString() : text.toString();
  }
}
