// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static java.lang.Long.rotateLeft;

import java.lang.foreign.MemorySegment;

/** SpookyHash of long input, read where it lies. */
final class PlainSpooky extends LongSpooky {

  @Override
  void absorb(MemorySegment data, long from, int groups, long[] state) {
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
      long p = from + (long) n * GROUP;
      a += data.get(LONG, p);
      c ^= k;
      l ^= a;
      a = rotateLeft(a, 11);
      l += b;
      b += data.get(LONG, p + 8);
      d ^= l;
      a ^= b;
      b = rotateLeft(b, 32);
      a += c;
      c += data.get(LONG, p + 16);
      e ^= a;
      b ^= c;
      c = rotateLeft(c, 43);
      b += d;
      d += data.get(LONG, p + 24);
      f ^= b;
      c ^= d;
      d = rotateLeft(d, 31);
      c += e;
      e += data.get(LONG, p + 32);
      g ^= c;
      d ^= e;
      e = rotateLeft(e, 17);
      d += f;
      f += data.get(LONG, p + 40);
      h ^= d;
      e ^= f;
      f = rotateLeft(f, 28);
      e += g;
      g += data.get(LONG, p + 48);
      i ^= e;
      f ^= g;
      g = rotateLeft(g, 39);
      f += h;
      h += data.get(LONG, p + 56);
      j ^= f;
      g ^= h;
      h = rotateLeft(h, 57);
      g += i;
      i += data.get(LONG, p + 64);
      k ^= g;
      h ^= i;
      i = rotateLeft(i, 55);
      h += j;
      j += data.get(LONG, p + 72);
      l ^= h;
      i ^= j;
      j = rotateLeft(j, 54);
      i += k;
      k += data.get(LONG, p + 80);
      a ^= i;
      j ^= k;
      k = rotateLeft(k, 22);
      j += l;
      l += data.get(LONG, p + 88);
      b ^= j;
      k ^= l;
      l = rotateLeft(l, 46);
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
