// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;

/** The constants of XXH3: its primes and its default secret, as published. */
final class Xxh3Secret {

  static final long PRIME32_1 = 0x9E3779B1L;
  static final long PRIME32_2 = 0x85EBCA77L;
  static final long PRIME32_3 = 0xC2B2AE3DL;
  static final long PRIME64_1 = 0x9E3779B185EBCA87L;
  static final long PRIME64_2 = 0xC2B2AE3D27D4EB4FL;
  static final long PRIME64_3 = 0x165667B19E3779F9L;
  static final long PRIME64_4 = 0x85EBCA77C2B2AE63L;
  static final long PRIME64_5 = 0x27D4EB2F165667C5L;
  static final long PRIME_MX1 = 0x165667919E3779F9L;
  static final long PRIME_MX2 = 0x9FB21C651E98DF25L;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final byte[] BYTES =
      HexFormat.of()
          .parseHex(
              "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
                  + "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
                  + "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
                  + "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
                  + "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
                  + "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e");

  private Xxh3Secret() {}

  /** The little-endian 64-bit word at this byte of the secret. */
  static long word(int at) {
    return (long) LONGS.get(BYTES, at);
  }

  /** {@code count} words in a row, from this byte of the secret on. */
  static long[] words(int at, int count) {
    long[] words = new long[count];
    for (int i = 0; i < count; i++) {
      words[i] = word(at + 8 * i);
    }
    return words;
  }

  /** What the last stripe is keyed with. */
  static long[] lastStripe() {
    return words(192 - 64 - 7, 8);
  }

  /** The key of each lane for scrambling: {@code acc = (acc ^ acc >>> 47 ^ key) * PRIME32_1}. */
  static long[] scramble() {
    return words(192 - 64, 8);
  }
}
