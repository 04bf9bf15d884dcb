// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * How blocks are told apart: a digest, and the number under which files name it. Where nobody chose
 * one, new datasets take {@link #XXH3_128}, or {@link #SPOOKY_128} on processors whose vectors are
 * too short for it; those that exist keep theirs.
 *
 * <p>There is one object for each algorithm, so {@code ==} compares them.
 */
public class HashAlgorithm {
  /** XXH3 with 128 bits and seed 0, as published with xxHash 0.8. Not cryptographic. */
  public static final HashAlgorithm XXH3_128 = new HashAlgorithm(1, 128, "xxh3-128");

  /**
   * MD5, all 128 bits. Collisions can be forged, but do not happen by chance; it serves where
   * changes are not made by an adversary.
   */
  public static final HashAlgorithm MD5 = new HashAlgorithm(4, 128, "md5");

  /** SHA-256 truncated to its first 128 bits. */
  public static final HashAlgorithm SHA_256 = new HashAlgorithm(5, 128, "sha-256");

  /**
   * SpookyHash V2 with 128 bits and both seeds 0, as published by Bob Jenkins in 2012. It needs no
   * multiplications. Not cryptographic.
   */
  public static final HashAlgorithm SPOOKY_128 = new HashAlgorithm(10, 128, "spooky-128");

  private static final List<HashAlgorithm> VALUES = List.of(XXH3_128, MD5, SHA_256, SPOOKY_128);

  private final int id;
  private final int bits;
  private final String label;

  /** For algorithms that are not on offer here; what computes them has to know them. */
  protected HashAlgorithm(int id, int bits, String label) {
    this.id = id;
    this.bits = bits;
    this.label = label;
  }

  /** The number that stands for this algorithm in files: at least 1, fits a byte, never reused. */
  public final int id() {
    return id;
  }

  /** How many bits of a stored digest carry information; at most 128. */
  public final int bits() {
    return bits;
  }

  /**
   * Whether equal digests say too little: a changed block may be taken for clean. None of the
   * constants here is weak.
   */
  public final boolean weak() {
    return bits < 128;
  }

  /** The name shown to users, such as {@code xxh3-128}; {@link #parse} reads it. */
  public final String label() {
    return label;
  }

  /** The algorithms on offer, by their numbers. */
  public static List<HashAlgorithm> values() {
    return VALUES;
  }

  /**
   * The algorithm on offer with this label or constant name, whatever its case; {@code -}, {@code
   * _} and spaces do not count.
   *
   * @throws IllegalArgumentException if there is none, naming those there are
   */
  public static HashAlgorithm parse(String name) {
    for (HashAlgorithm algorithm : VALUES) {
      if (simplified(algorithm.label).equals(simplified(name))) {
        return algorithm;
      }
    }
    throw new IllegalArgumentException(
        "Unknown hash algorithm \""
            + name
            + "\"; known are "
            + VALUES.stream().map(HashAlgorithm::label).collect(Collectors.joining(", ")));
  }

  private static String simplified(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[-_ ]", "");
  }

  @Override
  public final String toString() {
    return label;
  }
}
