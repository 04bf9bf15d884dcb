// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;

/**
 * SpookyHash of long input for a process that is cold: it copies a tile into an array and hashes
 * that, for the reasons that {@link TiledXxh3} gives. One instance serves all kinds of memory.
 */
final class TiledSpooky extends LongSpooky {

  /** Small: it is to stay in the innermost cache. */
  private static final int TILE = 20;

  private static final ThreadLocal<long[]> TILES =
      ThreadLocal.withInitial(() -> new long[TILE * WORDS]);

  @Override
  void absorb(MemorySegment data, long from, int groups, long[] state) {
    long[] tile = TILES.get();
    for (int done = 0; done < groups; done += TILE) {
      int next = Math.min(TILE, groups - done);
      MemorySegment.copy(data, LONG, from + (long) done * GROUP, tile, 0, next * WORDS);
      mix(tile, next, state);
    }
  }

  /** No calls in the loop, not even rotations: the first compiler would leave them calls. */
  private static void mix(long[] words, int groups, long[] state) {
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
    for (int n = 0; n < groups; n++) {
      int p = n * WORDS;
      a += words[p];
      c ^= k;
      l ^= a;
      a = a << 11 | a >>> 53;
      l += b;
      b += words[p + 1];
      d ^= l;
      a ^= b;
      b = b << 32 | b >>> 32;
      a += c;
      c += words[p + 2];
      e ^= a;
      b ^= c;
      c = c << 43 | c >>> 21;
      b += d;
      d += words[p + 3];
      f ^= b;
      c ^= d;
      d = d << 31 | d >>> 33;
      c += e;
      e += words[p + 4];
      g ^= c;
      d ^= e;
      e = e << 17 | e >>> 47;
      d += f;
      f += words[p + 5];
      h ^= d;
      e ^= f;
      f = f << 28 | f >>> 36;
      e += g;
      g += words[p + 6];
      i ^= e;
      f ^= g;
      g = g << 39 | g >>> 25;
      f += h;
      h += words[p + 7];
      j ^= f;
      g ^= h;
      h = h << 57 | h >>> 7;
      g += i;
      i += words[p + 8];
      k ^= g;
      h ^= i;
      i = i << 55 | i >>> 9;
      h += j;
      j += words[p + 9];
      l ^= h;
      i ^= j;
      j = j << 54 | j >>> 10;
      i += k;
      k += words[p + 10];
      a ^= i;
      j ^= k;
      k = k << 22 | k >>> 42;
      j += l;
      l += words[p + 11];
      b ^= j;
      k ^= l;
      l = l << 46 | l >>> 18;
      k += a;
    }
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
