// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import org.cairn.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/** Names a job for ever: 128 random bits, drawn when it truly begins. */
public record JobId(long high, long low) implements Comparable<JobId> {
  /** How many hexadecimal digits {@link #toString} has. */
  public static final int DIGITS = 32;

  /** Reads what {@link #toString} wrote. */
  public static JobId parse(String hex) {
    if (hex.length() != DIGITS) {
      throw new IllegalArgumentException("\"" + hex + "\" is not a job of 32 hexadecimal digits");
    }
    return new JobId(
        Long.parseUnsignedLong(hex, 0, 16, 16), Long.parseUnsignedLong(hex, 16, 32, 16));
  }

  /** The first digits, for people. */
  public String brief() {
    return toString().substring(0, 8);
  }

  void write(RecordWriter out) {
    out.putLong(high).putLong(low);
  }

  static JobId read(RecordReader in) throws CorruptContainerException {
    return new JobId(in.getLong(), in.getLong());
  }

  @Override
  public int compareTo(JobId other) {
    int byHigh = Long.compareUnsigned(high, other.high);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
  }

  @Override
  public String toString() {
    return "%016x%016x".formatted(high, low);
  }
}
