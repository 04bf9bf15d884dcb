// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Locale;

/**
 * What the JDK answers too, but only after loading much for it: tens of milliseconds in a process
 * that has just begun, which is the one that restarts.
 */
public final class Plainly {
  private static final Path THIS_PROCESS = Path.of("/proc/self");

  /** Of the years 0 to 9999, which have four digits. */
  private static final long FIRST_SECOND = -62_167_219_200L;

  private static final long LAST_SECOND = 253_402_300_799L;

  private Plainly() {}

  /** The number of this process. */
  public static long processNumber() {
    try {
      return Long.parseLong(Files.readSymbolicLink(THIS_PROCESS).toString());
    } catch (IOException | RuntimeException e) {
      return ProcessHandle.current().pid();
    }
  }

  /** What {@link Instant#toString} says. */
  public static String text(Instant time) {
    long second = time.getEpochSecond();
    if (second < FIRST_SECOND || second > LAST_SECOND) {
      return time.toString();
    }
    LocalDateTime parts = LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC);
    StringBuilder text = new StringBuilder(32).append(parts.toLocalDate());
    twoDigits(text.append('T'), parts.getHour());
    twoDigits(text.append(':'), parts.getMinute());
    twoDigits(text.append(':'), parts.getSecond());
    fraction(text, time.getNano());
    return text.append('Z').toString();
  }

  private static void twoDigits(StringBuilder text, int number) {
    text.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
  }

  /** Three, six or nine digits, as few as will do. */
  private static void fraction(StringBuilder text, int nanos) {
    if (nanos == 0) {
      return;
    }
    String digits = Integer.toString(1_000_000_000 + nanos).substring(1);
    int count = nanos % 1_000_000 == 0 ? 3 : nanos % 1_000 == 0 ? 6 : 9;
    text.append('.').append(digits, 0, count);
  }

  /** What {@code String.format} says of a number with so many digits behind the point. */
  public static String fixed(double number, int digits) {
    long unit = 1;
    for (int i = 0; i < digits; i++) {
      unit *= 10;
    }
    double units = Math.abs(number) * unit;
    if (!(units < 1L << 32)) {
      return String.format(Locale.ROOT, "%." + digits + "f", number);
    }
    long rounded = Math.round(units);
    String whole = (number < 0 ? "-" : "") + rounded / unit;
    return digits == 0 ? whole : whole + '.' + Long.toString(unit + rounded % unit).substring(1);
  }
}
