// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static java.lang.Long.rotateLeft;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * SpookyHash V2 of at most {@value #LONGEST} bytes, which have a state of four words: two are added
 * to two of them, the four are mixed, and two more added to the other two. What is left over, fewer
 * than sixteen bytes, is added at the end, with the length.
 */
final class ShortSpooky implements DigestKernel {

  static final int LONGEST = 2 * LongSpooky.GROUP - 1;

  private static final ValueLayout.OfLong LONG = LongSpooky.LONG;

  @Override
  public void digest(MemorySegment data, long from, long length, long[] digests, int at) {
    long a = 0;
    long b = 0;
    long c = LongSpooky.FILLING;
    long d = LongSpooky.FILLING;
    long p = from;
    long pairs = length / 16;
    for (long n = 0; n < pairs; n++) {
      long first = data.get(LONG, p);
      long second = data.get(LONG, p + 8);
      p += 16;
      if ((n & 1) == 1) {
        a += first;
        b += second;
        continue;
      }
      c += first;
      d += second;
      c = rotateLeft(c, 50) + d;
      a ^= c;
      d = rotateLeft(d, 52) + a;
      b ^= d;
      a = rotateLeft(a, 30) + b;
      c ^= a;
      b = rotateLeft(b, 41) + c;
      d ^= b;
      c = rotateLeft(c, 54) + d;
      a ^= c;
      d = rotateLeft(d, 48) + a;
      b ^= d;
      a = rotateLeft(a, 38) + b;
      c ^= a;
      b = rotateLeft(b, 37) + c;
      d ^= b;
      c = rotateLeft(c, 62) + d;
      a ^= c;
      d = rotateLeft(d, 34) + a;
      b ^= d;
      a = rotateLeft(a, 5) + b;
      c ^= a;
      b = rotateLeft(b, 36) + c;
      d ^= b;
    }
    int rest = (int) (length % 16);
    d += length << 56;
    if (rest == 0) {
      c += LongSpooky.FILLING;
      d += LongSpooky.FILLING;
    } else {
      c += word(data, p, Math.min(rest, 8));
      d += word(data, p + 8, rest - 8);
    }
    d ^= c;
    c = rotateLeft(c, 15);
    d += c;
    a ^= d;
    d = rotateLeft(d, 52);
    a += d;
    b ^= a;
    a = rotateLeft(a, 26);
    b += a;
    c ^= b;
    b = rotateLeft(b, 51);
    c += b;
    d ^= c;
    c = rotateLeft(c, 28);
    d += c;
    a ^= d;
    d = rotateLeft(d, 9);
    a += d;
    b ^= a;
    a = rotateLeft(a, 47);
    b += a;
    c ^= b;
    b = rotateLeft(b, 54);
    c += b;
    d ^= c;
    c = rotateLeft(c, 32);
    d += c;
    a ^= d;
    d = rotateLeft(d, 25);
    a += d;
    b ^= a;
    a = rotateLeft(a, 63);
    b += a;
    digests[2 * at] = a;
    digests[2 * at + 1] = b;
  }

  /** So many bytes, if any, as the lower ones of a word. */
  private static long word(MemorySegment data, long from, int bytes) {
    long word = 0;
    for (int i = 0; i < bytes; i++) {
      word |= (data.get(ValueLayout.JAVA_BYTE, from + i) & 0xFFL) << (8 * i);
    }
    return word;
  }
}
