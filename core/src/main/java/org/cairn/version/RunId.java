// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

/** Names one run of a job: 64 random bits, drawn when it begins or continues the job. */
public record RunId(long bits) implements Comparable<RunId> {
  /** How many hexadecimal digits {@link #toString} has. */
  public static final int DIGITS = 16;

  /** Reads what {@link #toString} wrote. */
  public static RunId parse(String hex) {
    if (hex.length() != DIGITS) {
      throw new IllegalArgumentException("\"" + hex + "\" is not a run of 16 hexadecimal digits");
    }
    return new RunId(Long.parseUnsignedLong(hex, 16));
  }

  /** The first digits, for people and for names of files. */
  public String brief() {
    return toString().substring(0, 8);
  }

  @Override
  public int compareTo(RunId other) {
    return Long.compareUnsigned(bits, other.bits);
  }

  @Override
  public String toString() {
    return "%016x".formatted(bits);
  }
}
