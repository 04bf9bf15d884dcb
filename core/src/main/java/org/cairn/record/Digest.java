// SPDX-License-Identifier: Apache-2.0
package org.cairn.record;

import java.lang.foreign.MemorySegment;
import org.cairn.CorruptContainerException;
import org.cairn.HashAlgorithm;
import org.cairn.hash.SecondOpinion;
import org.cairn.hash.Xxh3;

/**
 * 128 bits that stand for bytes: XXH3-128 with seed 0.
 *
 * <pre>Digest → low:u64 high:u64      16 bytes</pre>
 */
public record Digest(long low, long high) {
  /** How many bytes {@link #write} takes. */
  public static final int BYTES = 16;

  /** The digest of nothing known: what stands where none can be told yet. */
  public static final Digest NONE = new Digest(0, 0);

  /** The digest of some bytes. */
  public static Digest of(MemorySegment bytes) {
    long[] digest = new long[2];
    Xxh3.digest(bytes, 0, bytes.byteSize(), digest, 0);
    return new Digest(digest[0], digest[1]);
  }

  /** The digest of some bytes. */
  public static Digest of(byte[] bytes) {
    return of(MemorySegment.ofArray(bytes));
  }

  /** Whether some bytes have this digest; computed twice before the answer is no. */
  public boolean isOf(MemorySegment bytes) {
    Digest found = of(bytes);
    return equals(found)
        || SecondOpinion.isIntact(
            HashAlgorithm.XXH3_128, bytes, 0, bytes.byteSize(), found.low, found.high, low, high);
  }

  /** Puts it into a record. */
  public void write(RecordWriter out) {
    out.putLong(low).putLong(high);
  }

  /** Takes it out of a record. */
  public static Digest read(RecordReader in) throws CorruptContainerException {
    return new Digest(in.getLong(), in.getLong());
  }

  /** In hexadecimal digits, as messages have it. */
  @Override
  public String toString() {
    return "%016x%016x".formatted(high, low);
  }
}
