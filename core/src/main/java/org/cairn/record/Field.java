// SPDX-License-Identifier: Apache-2.0
package org.cairn.record;

import java.util.Arrays;

/**
 * One tagged field of a record, as bytes.
 *
 * <pre>Field → tag:u16 length:u32 bytes</pre>
 *
 * @param tag what it is; from {@link #NEEDED} on a reader that does not know it must not go on
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content below, never changed
public record Field(int tag, byte[] bytes) {
  /** Tags from here on must be known to whoever reads the record; others may be passed over. */
  public static final int NEEDED = 0x8000;

  static final int HEADER_BYTES = 6;

  @Override
  public boolean equals(Object other) {
    return other instanceof Field that && tag == that.tag && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return 31 * tag + Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return "field %04x of %d bytes".formatted(tag, bytes.length);
  }
}
