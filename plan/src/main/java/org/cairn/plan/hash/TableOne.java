// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.util.List;
import java.util.OptionalDouble;

/** Collision rates as table I of the paper on differential checkpoints prints them. */
public final class TableOne {
  private static final List<String> CHANGES =
      List.of("1 bit", "2 bits", "4 bits", "8 bits", "16 bits", "random");

  private static final int SMALLEST = 128;

  private static final double[][] ADLER = {
    {6.84e-3, 1.42e-3, 8.56e-5, 3.68e-7, 6.13e-9, 1.23e-8},
    {1.70e-3, 3.46e-4, 2.12e-5, 8.59e-8, 1.23e-8, 1.23e-8},
    {4.24e-4, 8.69e-5, 5.39e-6, 1.84e-8, 0, 6.13e-9},
    {1.06e-4, 2.21e-5, 5.39e-6, 1.84e-8, 0, 6.13e-9},
    {2.56e-5, 5.21e-6, 2.58e-7, 0, 6.13e-9, 0},
    {6.23e-6, 1.37e-6, 9.20e-8, 0, 6.13e-9, 0},
    {1.56e-6, 2.70e-7, 1.84e-8, 6.13e-9, 0, 0},
    {3.56e-7, 4.91e-8, 4.29e-8, 6.13e-9, 0, 0},
    {1.41e-7, 7.98e-8, 1.84e-8, 0, 0, 0}
  };

  private static final double[][] FLETCHER = {
    {1.54e-5, 1.47e-5, 1.52e-5, 1.52e-5, 1.50e-5, 1.54e-5},
    {1.53e-5, 1.55e-5, 1.53e-5, 1.54e-5, 1.56e-5, 1.54e-5},
    {1.48e-5, 1.56e-5, 1.53e-5, 1.52e-5, 1.53e-5, 1.52e-5},
    {1.48e-5, 1.55e-5, 1.51e-5, 1.53e-5, 1.58e-5, 1.56e-5},
    {1.49e-5, 1.51e-5, 1.49e-5, 1.49e-5, 1.50e-5, 1.56e-5},
    {1.57e-5, 1.53e-5, 1.57e-5, 1.53e-5, 1.51e-5, 1.50e-5},
    {1.55e-5, 1.51e-5, 1.49e-5, 1.54e-5, 1.47e-5, 1.54e-5},
    {1.51e-5, 1.55e-5, 1.52e-5, 1.54e-5, 1.55e-5, 1.52e-5},
    {1.56e-5, 1.59e-5, 1.48e-5, 1.57e-5, 1.53e-5, 1.52e-5}
  };

  private TableOne() {}

  /** The printed rate; those of CRC32 and MD5 are 0, and what was not tried has none. */
  public static OptionalDouble rate(StudiedHash hash, Change change, int block) {
    int row = Integer.numberOfTrailingZeros(block) - Integer.numberOfTrailingZeros(SMALLEST);
    int column = CHANGES.indexOf(change.label());
    if (Integer.bitCount(block) != 1 || row < 0 || row >= ADLER.length || column < 0) {
      return OptionalDouble.empty();
    }
    return switch (hash.name()) {
      case "adler-32" -> OptionalDouble.of(ADLER[row][column]);
      case "fletcher-32-mod-65536" -> OptionalDouble.of(FLETCHER[row][column]);
      case "crc32", "md5" -> OptionalDouble.of(0);
      default -> OptionalDouble.empty();
    };
  }
}
