// SPDX-License-Identifier: Apache-2.0
package org.cairn.record;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.cairn.CorruptContainerException;
import org.cairn.store.StoreFile;
import org.cairn.supply.Supply;

/**
 * A record that ends with its checksum.
 *
 * <pre>SealedRecord → bytes Digest      the digest of the bytes before it</pre>
 *
 * <p>The checksum catches what decays and what was cut off; it is no proof against malice, see
 * {@link RecordReader}.
 */
public final class SealedRecord {
  private static final long MAX_BYTES = Integer.MAX_VALUE - 8;

  private final MemorySegment bytes;
  private final String file;
  private final long offset;

  private SealedRecord(MemorySegment bytes, String file, long offset) {
    this.bytes = bytes;
    this.file = file;
    this.offset = offset;
  }

  /** A record that somebody sent. */
  public static SealedRecord of(byte[] message, String origin) {
    return new SealedRecord(MemorySegment.ofArray(message), origin, 0);
  }

  /** A range of a file, which has to be there in full. */
  public static SealedRecord read(StoreFile file, String location, long offset, long length)
      throws IOException {
    return read(file, location, offset, length, 1);
  }

  /**
   * A range of a file, which has to be there in full.
   *
   * @param timesInMemory how many times as much memory it takes together with what is read from it
   * @throws IOException without a word of damage, if this JVM has less: others may read the file
   */
  public static SealedRecord read(
      StoreFile file, String location, long offset, long length, int timesInMemory)
      throws IOException {
    long size = file.size();
    if (offset < 0 || length < 0 || length > size - offset) {
      throw new CorruptContainerException(
          location,
          Math.max(0, offset),
          "expected %d bytes here, found a file of %d bytes".formatted(length, size));
    }
    // Before any memory is taken.
    if (length > MAX_BYTES) {
      throw new CorruptContainerException(
          location, offset, "a record of %d bytes".formatted(length));
    }
    long memory = Runtime.getRuntime().maxMemory();
    if (length > memory / timesInMemory) {
      throw new IOException(
          "%s: a record of %d bytes at offset %d is too much for %d bytes of memory; give the JVM more (-Xmx)"
              .formatted(location, length, offset, memory));
    }
    MemorySegment bytes = MemorySegment.ofArray(Supply.bytes((int) length));
    long count = file.read(offset, bytes);
    if (count < length) {
      throw new CorruptContainerException(
          location, offset, "expected %d bytes here, found %d".formatted(length, count));
    }
    return new SealedRecord(bytes, location, offset);
  }

  /** The checksum that a record which was just sealed ends with. */
  public static Digest checksumOf(MemorySegment sealed) {
    return Digest.of(sealed.asSlice(0, sealed.byteSize() - Digest.BYTES));
  }

  /** The checksum that the record ends with, whether it is right or not. */
  public Digest checksum() throws CorruptContainerException {
    return Digest.read(new RecordReader(bytes.asSlice(covered()), file, offset + covered()));
  }

  /** The bytes before the checksum, which is not looked at. */
  public RecordReader unverified() {
    return new RecordReader(bytes.asSlice(0, covered()), file, offset);
  }

  private long covered() {
    return Math.max(0, bytes.byteSize() - Digest.BYTES);
  }

  /** Whether the checksum is that of the bytes before it. */
  public boolean isIntact() throws CorruptContainerException {
    return bytes.byteSize() >= Digest.BYTES && checksum().isOf(bytes.asSlice(0, covered()));
  }

  /**
   * The bytes before the checksum.
   *
   * @param what the record is, for messages
   * @throws CorruptContainerException if they do not have this checksum
   */
  public RecordReader verified(String what) throws CorruptContainerException {
    if (!isIntact()) {
      throw new CorruptContainerException(
          file,
          offset,
          "%s of %d bytes: expected checksum %s, found bytes with %s"
              .formatted(
                  what,
                  bytes.byteSize(),
                  bytes.byteSize() < Digest.BYTES ? "(none)" : checksum(),
                  Digest.of(bytes.asSlice(0, covered()))));
    }
    return unverified();
  }
}
