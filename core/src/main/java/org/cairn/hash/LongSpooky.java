// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static java.lang.Long.rotateLeft;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * SpookyHash V2 (Bob Jenkins, 2012, public domain) of more than {@link ShortSpooky#LONGEST} bytes,
 * with both seeds 0: <a href="https://burtleburtle.net/bob/hash/spooky.html">its page</a>.
 *
 * <p>The state is twelve words. The input is eaten in groups of twelve words; word {@code i} is
 * added to word {@code i} of the state, which is then mixed into its neighbours by additions,
 * exclusive ors and one rotation, word after word:
 *
 * <pre>
 *   s[i] += word[i];   s[i + 2] ^= s[i - 2];   s[i - 1] ^= s[i];
 *   s[i] = rotateLeft(s[i], r[i]);   s[i - 1] += s[i + 1]
 * </pre>
 *
 * What is left over, padded with zeros to a group whose last byte is the number of bytes that were
 * left over, is added to the state, which is then mixed three times without input. The first two
 * words are the digest, the first of them its low half.
 *
 * <p>There is no multiplication in it. Vectors would have to hash several blocks at once, and gain
 * little where they are short. Kernels differ in how they get the words.
 */
abstract class LongSpooky implements DigestKernel {

  static final int WORDS = 12;
  static final int GROUP = WORDS * Long.BYTES;

  /** An odd number of no meaning, with which words of the state begin that no seed is for. */
  static final long FILLING = 0xDEADBEEFDEADBEEFL;

  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final int GROUPS_PER_CALL = 1 << 12;

  /** Where the padded rest lies behind the state. */
  private static final int REST = WORDS;

  /**
   * An array a thread, not one a block: hashing must not make garbage in proportion to the data.
   */
  private static final ThreadLocal<long[]> STATES =
      ThreadLocal.withInitial(() -> new long[2 * WORDS]);

  /** Mixes whole groups into the first twelve words of {@code state}. */
  abstract void absorb(MemorySegment data, long from, int groups, long[] state);

  @Override
  public final void digest(MemorySegment data, long from, long length, long[] digests, int at) {
    long[] state = STATES.get();
    for (int i = 0; i < WORDS; i++) {
      state[i] = i % 3 == 2 ? FILLING : 0;
    }
    long groups = length / GROUP;
    for (long done = 0; done < groups; done += GROUPS_PER_CALL) {
      int next = (int) Math.min(GROUPS_PER_CALL, groups - done);
      absorb(data, from + done * GROUP, next, state);
    }
    addRest(data, from + groups * GROUP, (int) (length % GROUP), state);
    for (int i = 0; i < 3; i++) {
      mixAlone(state);
    }
    digests[2 * at] = state[0];
    digests[2 * at + 1] = state[1];
  }

  private static void addRest(MemorySegment data, long from, int bytes, long[] state) {
    int words = bytes / Long.BYTES;
    MemorySegment.copy(data, LONG, from, state, REST, words);
    for (int i = words; i < WORDS; i++) {
      state[REST + i] = 0;
    }
    for (int i = words * Long.BYTES; i < bytes; i++) {
      long value = data.get(ValueLayout.JAVA_BYTE, from + i) & 0xFF;
      state[REST + words] |= value << (8 * i);
    }
    state[REST + WORDS - 1] |= (long) bytes << 56;
    for (int i = 0; i < WORDS; i++) {
      state[i] += state[REST + i];
    }
  }

  private static void mixAlone(long[] state) {
    long a = state[0];
    long b = state[1];
    long c = state[2];
    long d = state[3];
    long e = state[4];
    long f = state[5];
    long g = state[6];
    long h = state[7];
    long i = state[8];
    long j = state[9];
    long k = state[10];
    long l = state[11];
    l += b;
    c ^= l;
    b = rotateLeft(b, 44);
    a += c;
    d ^= a;
    c = rotateLeft(c, 15);
    b += d;
    e ^= b;
    d = rotateLeft(d, 34);
    c += e;
    f ^= c;
    e = rotateLeft(e, 21);
    d += f;
    g ^= d;
    f = rotateLeft(f, 38);
    e += g;
    h ^= e;
    g = rotateLeft(g, 33);
    f += h;
    i ^= f;
    h = rotateLeft(h, 10);
    g += i;
    j ^= g;
    i = rotateLeft(i, 13);
    h += j;
    k ^= h;
    j = rotateLeft(j, 38);
    i += k;
    l ^= i;
    k = rotateLeft(k, 53);
    j += l;
    a ^= j;
    l = rotateLeft(l, 42);
    k += a;
    b ^= k;
    a = rotateLeft(a, 54);
    state[0] = a;
    state[1] = b;
    state[2] = c;
    state[3] = d;
    state[4] = e;
    state[5] = f;
    state[6] = g;
    state[7] = h;
    state[8] = i;
    state[9] = j;
    state[10] = k;
    state[11] = l;
  }
}
