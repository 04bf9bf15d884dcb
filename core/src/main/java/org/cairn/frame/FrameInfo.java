// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.lang.foreign.MemorySegment;
import org.cairn.Codec;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What is kept of a frame outside of it.
 *
 * <pre>FrameInfo → storedLength:v plainLength:v codec:u8 checksum:Digest</pre>
 *
 * @param storedLength how many bytes it takes
 * @param plainLength how many bytes its pieces have together
 * @param codec {@link Codec#NONE} or {@link Codec#ZSTD}
 * @param checksum XXH3-128 of the stored bytes
 */
public record FrameInfo(long storedLength, long plainLength, Codec codec, Digest checksum) {
  /** A frame has no more plain bytes: memory for one must be had. */
  public static final long MOST_PLAIN = 1L << 28;

  /** A frame is stored in no more bytes. */
  public static final long MOST_STORED = MOST_PLAIN + FrameTable.MOST_BYTES;

  /** A zstd block of so many bytes takes at least four. */
  private static final long ZSTD_BLOCK = 128 << 10;

  private static final long SMALLEST_ZSTD_BLOCK = 4;

  /** Appends it. */
  public void write(RecordWriter out) {
    out.putVarint(storedLength).putVarint(plainLength).putByte(codec.id());
    checksum.write(out);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws CorruptContainerException if no frame can be like that
   * @throws UnsupportedFormatException if its codec is of a newer release
   */
  public static FrameInfo read(RecordReader in)
      throws CorruptContainerException, UnsupportedFormatException {
    long stored = in.getVarint();
    long plain = in.getVarint();
    int number = in.getByte();
    Digest checksum = Digest.read(in);
    if (number != Codec.NONE.id() && number != Codec.ZSTD.id()) {
      throw new UnsupportedFormatException(
          "%s: a frame with codec number %d; a newer release wrote it".formatted(in.file(), number),
          true);
    }
    FrameInfo info = new FrameInfo(stored, plain, Codec.of(number), checksum);
    String problem = info.problem();
    if (!problem.isEmpty()) {
      throw in.corrupt(problem);
    }
    return info;
  }

  /**
   * Refuses what no frame can be, before anybody takes memory for it.
   *
   * @param file where it is stored
   * @param offset where in the file
   */
  public void check(String file, long offset) throws CorruptContainerException {
    String problem = problem();
    if (!problem.isEmpty()) {
      throw new CorruptContainerException(file, offset, problem);
    }
  }

  /** Why there is no such frame; empty if there may be one. */
  private String problem() {
    if (plainLength < 0 || plainLength > MOST_PLAIN) {
      return "a frame of %s bytes; %d are the most"
          .formatted(Long.toUnsignedString(plainLength), MOST_PLAIN);
    }
    if (storedLength < 1 || storedLength > plainLength + FrameTable.MOST_BYTES) {
      return "a frame of %d bytes stored in %s"
          .formatted(plainLength, Long.toUnsignedString(storedLength));
    }
    boolean fits =
        switch (codec) {
          case NONE -> storedLength > plainLength;
          case ZSTD -> plainLength <= (storedLength / SMALLEST_ZSTD_BLOCK + 1) * ZSTD_BLOCK;
          default -> false;
        };
    return fits
        ? ""
        : "%d stored bytes with codec %s cannot be a frame of %d bytes"
            .formatted(storedLength, codec.label(), plainLength);
  }

  /**
   * Compares the checksum of stored bytes and decodes nothing.
   *
   * @throws CorruptContainerException if they are not what was written
   */
  public void verify(MemorySegment stored, String file, long offset)
      throws CorruptContainerException {
    if (stored.byteSize() != storedLength) {
      throw new CorruptContainerException(
          file,
          offset,
          "a frame of %d stored bytes, found %d".formatted(storedLength, stored.byteSize()));
    }
    if (!checksum.isOf(stored)) {
      throw new CorruptContainerException(
          file,
          offset,
          "a frame of %d stored bytes: checksum %s, expected %s"
              .formatted(storedLength, Digest.of(stored), checksum));
    }
  }
}
