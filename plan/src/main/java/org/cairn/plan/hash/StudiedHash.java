// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.cairn.HashAlgorithm;
import org.cairn.hash.BlockHasher;
import org.cairn.hash.Hashers;
import org.cairn.hash.WeakHash;

/**
 * A hash that the study looks at: those of Cairn, weak ones among them, and such that only the
 * study has.
 */
public final class StudiedHash {
  /** What is known of how often a hash misses a change. */
  sealed interface Nature {
    /** Two sums with one modulus, as of Adler and Fletcher; see {@link OneBit}. */
    record Sums(int step, int modulus) implements Nature {}

    /** The change alone decides, whatever the data: XOR and shifts only. */
    record Affine() implements Nature {}

    /** As good as drawn by lot. */
    record Mixing() implements Nature {}
  }

  private static final String XXH3 = "xxh3-";

  /** The fewest bits that XXH3 can be cut to; of fewer a table says nothing. */
  private static final int LEAST_BITS = 8;

  private static final List<StudiedHash> ALL = all();

  private final String name;
  private final int bits;
  private final BlockDigests digests;
  private final Nature nature;
  private final long lowMask;
  private final long highMask;

  private StudiedHash(String name, int bits, BlockDigests digests, Nature nature) {
    this.name = name;
    this.bits = bits;
    this.digests = digests;
    this.nature = nature;
    lowMask = mask(bits);
    highMask = mask(bits - Long.SIZE);
  }

  private static long mask(int bits) {
    return bits <= 0 ? 0 : bits >= Long.SIZE ? -1L : (1L << bits) - 1;
  }

  private static List<StudiedHash> all() {
    List<StudiedHash> all = new ArrayList<>();
    for (HashAlgorithm algorithm : WeakHash.withStrong()) {
      all.add(
          new StudiedHash(algorithm.label(), algorithm.bits(), of(algorithm), nature(algorithm)));
      if (algorithm == HashAlgorithm.XXH3_128) {
        all.add(cut(all.getFirst(), 64));
        all.add(cut(all.getFirst(), 32));
      }
    }
    all.add(new StudiedHash("rotating-xor-32", 32, new RotatingXor32(), new Nature.Affine()));
    return List.copyOf(all);
  }

  private static BlockDigests of(HashAlgorithm algorithm) {
    BlockHasher hasher = Hashers.of(algorithm);
    return (data, offset, length, blockSize, digests) ->
        hasher.hash(data, offset, length, blockSize, digests, 0);
  }

  private static Nature nature(HashAlgorithm algorithm) {
    if (algorithm == WeakHash.ADLER_32) {
      return new Nature.Sums(Long.BYTES, 65521);
    } else if (algorithm == WeakHash.FLETCHER_32_MOD_65535) {
      return new Nature.Sums(Long.BYTES / Short.BYTES, 65535);
    } else if (algorithm == WeakHash.FLETCHER_32_MOD_65536) {
      return new Nature.Sums(Long.BYTES / Short.BYTES, 65536);
    }
    boolean affine =
        algorithm == WeakHash.CRC32
            || algorithm == WeakHash.CRC32C
            || algorithm == WeakHash.ROTATING_XOR;
    return affine ? new Nature.Affine() : new Nature.Mixing();
  }

  /** The first bits of a hash, computed as all of it is. */
  private static StudiedHash cut(StudiedHash whole, int bits) {
    return new StudiedHash(XXH3 + bits, bits, whole.digests, whole.nature);
  }

  /** All of them, those first that Cairn can be told to use; XXH3 also cut to 64 and 32 bits. */
  public static List<StudiedHash> values() {
    return ALL;
  }

  /** Those that are computed on their own, and so have a speed of their own. */
  public static List<StudiedHash> computed() {
    return ALL.stream().filter(hash -> !hash.isCut()).toList();
  }

  /** The algorithm of Cairn that it is, if it is one. */
  Optional<HashAlgorithm> algorithm() {
    return WeakHash.withStrong().stream().filter(one -> one.label().equals(name)).findFirst();
  }

  /** Whether it is a part of a longer hash. */
  public boolean isCut() {
    return name.startsWith(XXH3) && bits < 128;
  }

  /**
   * The hash of this name; {@code xxh3-N} is XXH3 cut to N bits.
   *
   * @throws IllegalArgumentException if there is none, naming those there are
   */
  public static StudiedHash parse(String name) {
    String wanted = name.strip().toLowerCase(Locale.ROOT);
    for (StudiedHash hash : ALL) {
      if (hash.name.equals(wanted)) {
        return hash;
      }
    }
    if (wanted.matches(XXH3 + "\\d{1,3}")) {
      int bits = Integer.parseInt(wanted.substring(XXH3.length()));
      if (bits >= LEAST_BITS && bits < 128) {
        return cut(ALL.getFirst(), bits);
      }
    }
    throw new IllegalArgumentException(
        "there is no hash '%s'; there are %s, and %sN for N bits of it, %d to 128"
            .formatted(
                name,
                ALL.stream().map(StudiedHash::name).collect(Collectors.joining(", ")),
                XXH3,
                LEAST_BITS));
  }

  /** As tables and command lines have it. */
  public String name() {
    return name;
  }

  /** How many bits decide. */
  public int bits() {
    return bits;
  }

  Nature nature() {
    return nature;
  }

  /** What computes it; the same object for the parts of one hash. */
  BlockDigests digests() {
    return digests;
  }

  /** Whether two digests at the same place are equal, as far as this hash looks. */
  boolean equal(long[] a, long[] b, int block) {
    return ((a[2 * block] ^ b[2 * block]) & lowMask) == 0
        && ((a[2 * block + 1] ^ b[2 * block + 1]) & highMask) == 0;
  }

  /** Computes the digests of all blocks of some memory, for whoever measures how long it takes. */
  public void hash(MemorySegment data, long offset, long length, int blockSize, long[] into) {
    digests.hash(data, offset, length, blockSize, into);
  }

  @Override
  public String toString() {
    return name;
  }
}
