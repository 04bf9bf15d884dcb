// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.parity;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.cairn.hash.Xxh3;
import org.cairn.version.JobId;
import org.cairn.version.RunId;
import org.cairn.version.VersionId;

/**
 * Small things as bytes, little-endian: what members tell each other, and what describes parity.
 */
final class Bytes {
  private ByteBuffer buffer = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);

  Bytes putInt(int value) {
    need(4).putInt(value);
    return this;
  }

  Bytes putLong(long value) {
    need(8).putLong(value);
    return this;
  }

  Bytes put(byte[] bytes) {
    need(bytes.length).put(bytes);
    return this;
  }

  /** With their number before them. */
  Bytes putCounted(byte[] bytes) {
    return putInt(bytes.length).put(bytes);
  }

  Bytes putText(String text) {
    return putCounted(text.getBytes(StandardCharsets.UTF_8));
  }

  Bytes putVersion(VersionId id) {
    return putLong(id.job().high())
        .putLong(id.job().low())
        .putLong(id.run().bits())
        .putLong(id.epoch())
        .putLong(id.sequence())
        .putInt(id.ranks());
  }

  private ByteBuffer need(int count) {
    if (buffer.remaining() < count) {
      int capacity = Math.max(2 * buffer.capacity(), buffer.position() + count);
      buffer = ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN).put(buffer.flip());
    }
    return buffer;
  }

  byte[] toArray() {
    return Arrays.copyOf(buffer.array(), buffer.position());
  }

  // Reading.

  /** Reads from bytes; whoever reads too far gets an {@link IOException} from {@link #parse}. */
  interface Parser<T> {
    T parse(ByteBuffer in) throws IOException;
  }

  /** Lets {@code parser} read; whatever does not fit is an {@link IOException}. */
  static <T> T parse(byte[] bytes, String what, Parser<T> parser) throws IOException {
    try {
      return parser.parse(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
    } catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IOException(what + " makes no sense: " + e.getMessage(), e);
    }
  }

  static byte[] getCounted(ByteBuffer in) {
    int count = getCount(in, 1);
    byte[] bytes = new byte[count];
    in.get(bytes);
    return bytes;
  }

  static String getText(ByteBuffer in) {
    return new String(getCounted(in), StandardCharsets.UTF_8);
  }

  /** A count of things that take at least {@code bytesEach} each. */
  static int getCount(ByteBuffer in, int bytesEach) {
    int count = in.getInt();
    if (count < 0 || (long) count * bytesEach > in.remaining()) {
      throw new IllegalArgumentException("a count of " + count + " in " + in.remaining());
    }
    return count;
  }

  static VersionId getVersion(ByteBuffer in) {
    return new VersionId(
        new JobId(in.getLong(), in.getLong()),
        new RunId(in.getLong()),
        in.getLong(),
        in.getLong(),
        in.getInt());
  }

  /** 128 bits that stand for bytes. */
  record Digest(long low, long high) {
    static Digest of(byte[] bytes) {
      long[] digest = new long[2];
      Xxh3.digest(MemorySegment.ofArray(bytes), 0, bytes.length, digest, 0);
      return new Digest(digest[0], digest[1]);
    }

    void write(Bytes out) {
      out.putLong(low).putLong(high);
    }

    static Digest read(ByteBuffer in) {
      return new Digest(in.getLong(), in.getLong());
    }
  }
}
