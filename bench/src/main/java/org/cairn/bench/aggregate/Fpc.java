// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * FPC, a compressor of doubles, for comparisons: M. Burtscher, P. Ratanaworabhan, "FPC: A
 * High-Speed Compressor for Double-Precision Floating-Point Data", IEEE Transactions on Computers
 * 58(1), 2009. Written from that description.
 *
 * <p>Two tables predict each value: one (FCM) has what followed when the last values were like
 * these, the other (DFCM) by which difference it followed. The better prediction is taken off by
 * exclusive or; a code of four bits says which it was and how many leading bytes are then zero (of
 * 0 to 8, but 4 counts as 3), and the other bytes follow.
 *
 * <pre>
 *   Stream → Block* Rest
 *   Block  → Codes Residual{values}      up to {@value #BLOCK} values
 *   Codes  → byte{(values + 1) / 2}      the first value of two in the low four bits
 *   Rest   → what is behind the last whole value
 * </pre>
 *
 * The length of what comes out is known to who decodes. For one thread at a time.
 */
public final class Fpc {
  private static final int BLOCK = 1 << 15;
  private static final int DFCM = 8;

  private static final VarHandle LITTLE =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BIG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final VarHandle values;
  private final long[] followers;
  private final long[] differences;
  private final int mask;
  private int context;
  private int differenceContext;
  private long last;

  /**
   * A compressor whose tables have 2 to the power of {@code tableBits} values each; the paper takes
   * 10 to 25 and compares with 20 or more.
   */
  public Fpc(int tableBits, ByteOrder order) {
    this.values = order == ByteOrder.BIG_ENDIAN ? BIG : LITTLE;
    this.followers = new long[1 << tableBits];
    this.differences = new long[1 << tableBits];
    this.mask = (1 << tableBits) - 1;
  }

  /** As many bytes {@link #encode} may need for so many, whatever they are. */
  public static int maxEncodedLength(int length) {
    return Math.addExact(length, length / 16 + 8);
  }

  private void forget() {
    Arrays.fill(followers, 0);
    Arrays.fill(differences, 0);
    context = 0;
    differenceContext = 0;
    last = 0;
  }

  /** Encodes so many bytes from the beginning of one array to the other, and gives their number. */
  public int encode(byte[] source, int length, byte[] target) {
    forget();
    int whole = length / Long.BYTES * Long.BYTES;
    int out = 0;
    for (int in = 0; in < whole; in += BLOCK * Long.BYTES) {
      out = encodeBlock(source, in, Math.min(BLOCK, (whole - in) / Long.BYTES), target, out);
    }
    System.arraycopy(source, whole, target, out, length - whole);
    return out + length - whole;
  }

  private int encodeBlock(byte[] source, int in, int count, byte[] target, int out) {
    int residuals = out + (count + 1) / 2;
    for (int i = 0; i < count; i++) {
      long value = (long) values.get(source, in + i * Long.BYTES);
      long byFollower = value ^ followers[context];
      long byDifference = value ^ (last + differences[differenceContext]);
      learn(value);
      boolean isFollower = Long.compareUnsigned(byFollower, byDifference) <= 0;
      long residual = isFollower ? byFollower : byDifference;
      int code = codeOf(residual);
      putCode(target, out, i, isFollower ? code : code | DFCM);
      int bytes = bytesOf(code);
      putBytes(target, residuals, residual, bytes);
      residuals += bytes;
    }
    return residuals;
  }

  /** Brings back {@code length} bytes of what {@link #encode} made of them. */
  public void decode(byte[] source, byte[] target, int length) {
    forget();
    int whole = length / Long.BYTES * Long.BYTES;
    int in = 0;
    for (int out = 0; out < whole; out += BLOCK * Long.BYTES) {
      in = decodeBlock(source, in, target, out, Math.min(BLOCK, (whole - out) / Long.BYTES));
    }
    System.arraycopy(source, in, target, whole, length - whole);
  }

  private int decodeBlock(byte[] source, int in, byte[] target, int out, int count) {
    int residuals = in + (count + 1) / 2;
    for (int i = 0; i < count; i++) {
      int code = code(source, in, i);
      int bytes = bytesOf(code & ~DFCM);
      long prediction =
          (code & DFCM) == 0 ? followers[context] : last + differences[differenceContext];
      long value = prediction ^ bytes(source, residuals, bytes);
      residuals += bytes;
      learn(value);
      values.set(target, out + i * Long.BYTES, value);
    }
    return residuals;
  }

  /** The hashes are the paper's: of the upper bits of the last values, and of differences. */
  private void learn(long value) {
    long difference = value - last;
    followers[context] = value;
    differences[differenceContext] = difference;
    context = (int) ((context << 6 ^ value >>> 48) & mask);
    differenceContext = (int) ((differenceContext << 2 ^ difference >>> 40) & mask);
    last = value;
  }

  // ---------------------------------------------------------------- codes and bytes

  private static int codeOf(long residual) {
    int zeros = Long.numberOfLeadingZeros(residual) / Byte.SIZE;
    return zeros < 4 ? zeros : Math.max(3, zeros - 1);
  }

  private static int bytesOf(int code) {
    return Long.BYTES - (code < 4 ? code : code + 1);
  }

  private static void putCode(byte[] target, int codes, int i, int code) {
    int at = codes + i / 2;
    target[at] = (byte) (i % 2 == 0 ? code : target[at] | code << 4);
  }

  private static int code(byte[] source, int codes, int i) {
    return source[codes + i / 2] >>> 4 * (i % 2) & 15;
  }

  private static void putBytes(byte[] target, int at, long residual, int count) {
    if (at + Long.BYTES <= target.length) {
      LITTLE.set(target, at, residual); // what is too much is written over by the next
      return;
    }
    for (int k = 0; k < count; k++) {
      target[at + k] = (byte) (residual >>> 8 * k);
    }
  }

  private static long bytes(byte[] source, int at, int count) {
    if (at + Long.BYTES <= source.length) {
      long word = (long) LITTLE.get(source, at);
      return count == 0 ? 0 : word & -1L >>> Long.SIZE - 8 * count;
    }
    long word = 0;
    for (int k = 0; k < count; k++) {
      word |= (source[at + k] & 0xFFL) << 8 * k;
    }
    return word;
  }
}
