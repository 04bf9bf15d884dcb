// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;

/**
 * File names for datasets, which may be called anything: {@code ../../etc/passwd}, nothing at all,
 * a thousand letters.
 *
 * <p>Letters, digits, {@code -}, {@code _} and {@code .} stand for themselves, other bytes of the
 * name's UTF-8 form are written as {@code %} and two hexadecimal digits. So a file name contains no
 * separator, different datasets get different files, and the dataset's name can be read from the
 * file's. A leading dot (hidden, or a way out of the directory) and names that are devices on
 * Windows are escaped too; names that no file system would take are cut and end in a hash.
 */
final class FileNames {
  private static final int LONGEST = 180;

  private static final Set<String> DEVICES =
      Set.of(
          "con", "prn", "aux", "nul", "com0", "com1", "com2", "com3", "com4", "com5", "com6",
          "com7", "com8", "com9", "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7",
          "lpt8", "lpt9");

  private FileNames() {}

  /** The file name for a dataset, without an extension. */
  static String of(String dataset) {
    if (dataset.isEmpty()) {
      return "%empty"; // no name is escaped to this
    }
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < dataset.length(); ) {
      int c = dataset.codePointAt(i);
      boolean first = i == 0;
      i += Character.charCount(c);
      boolean last = i == dataset.length();
      boolean risky = ((first || last) && c == '.') || (first && isDevice(dataset));
      name.append(isPlain(c) && !risky ? Character.toString(c) : escaped(c));
    }
    return name.length() <= LONGEST ? name.toString() : shortened(name);
  }

  private static boolean isPlain(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '-'
        || c == '_'
        || c == '.';
  }

  private static String escaped(int c) {
    if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
      return "%u" + HexFormat.of().toHexDigits((char) c); // half a character has no UTF-8 form
    }
    StringBuilder escapes = new StringBuilder();
    for (byte b : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
      escapes.append('%').append(HexFormat.of().withUpperCase().toHexDigits(b));
    }
    return escapes.toString();
  }

  private static boolean isDevice(String dataset) {
    int dot = dataset.indexOf('.');
    String base = dot < 0 ? dataset : dataset.substring(0, dot);
    return DEVICES.contains(base.toLowerCase(Locale.ROOT));
  }

  private static String shortened(StringBuilder name) {
    byte[] hash = sha256(name.toString().getBytes(StandardCharsets.US_ASCII));
    return name.substring(0, LONGEST - 34) + "%~" + HexFormat.of().formatHex(hash, 0, 16);
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
