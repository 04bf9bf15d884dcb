// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * Something that happens to the elements of a block, 64 bits each, between two checkpoints.
 *
 * <p>The changes of algorithm 1 strike random integers, {@link Xor}; those that simulations make
 * strike a smooth field of numbers, {@link Move}.
 */
public sealed interface Change {
  /** As tables and command lines have it. */
  String label();

  /**
   * Makes {@code after[from, from + count)} of the elements before; the arrays are not the same.
   */
  void apply(long[] before, long[] after, int from, int count, SplittableRandom random);

  /**
   * Every element is combined with one pattern, by XOR.
   *
   * @param label as it was asked for
   * @param pattern not 0, except for the random one, which is another each time
   */
  record Xor(String label, long pattern) implements Change {
    /** Another pattern for every block. */
    static final Xor RANDOM = new Xor("random", 0);

    private static final String ALLOWED =
        "; a pattern is a number of last bits, 1 to 64, a hexadecimal number such as 0xff, or"
            + " random";

    /** Those of the paper: the last 1, 2, 4, 8 and 16 bits, and a random one. */
    public static List<Change> ofThePaper() {
      return List.of(lastBits(1), lastBits(2), lastBits(4), lastBits(8), lastBits(16), RANDOM);
    }

    private static Xor lastBits(int bits) {
      return new Xor(bits == 1 ? "1 bit" : bits + " bits", -1L >>> (Long.SIZE - bits));
    }

    /**
     * Reads a pattern: {@code 4} are the last four bits, {@code 0xff} is itself.
     *
     * @throws IllegalArgumentException if it is none, saying what is
     */
    public static Xor parse(String text) {
      String wanted = text.strip().toLowerCase(Locale.ROOT);
      if (wanted.equals(RANDOM.label)) {
        return RANDOM;
      }
      if (wanted.matches("0x[0-9a-f]{1,16}")) {
        long pattern = Long.parseUnsignedLong(wanted.substring(2), 16);
        if (pattern == 0) {
          throw new IllegalArgumentException("pattern " + text + " changes nothing" + ALLOWED);
        }
        return new Xor(wanted, pattern);
      }
      if (wanted.matches("\\d{1,2}")) {
        int bits = Integer.parseInt(wanted);
        if (bits >= 1 && bits <= Long.SIZE) {
          return lastBits(bits);
        }
      }
      throw new IllegalArgumentException("'" + text + "' is no pattern" + ALLOWED);
    }

    /** Whether it is another one for every block. */
    boolean isRandom() {
      return pattern == 0;
    }

    @Override
    public void apply(long[] before, long[] after, int from, int count, SplittableRandom random) {
      long mask = pattern;
      while (mask == 0) {
        mask = random.nextLong();
      }
      for (int i = from; i < from + count; i++) {
        after[i] = before[i] ^ mask;
      }
    }
  }

  /** What a simulation does to its numbers. */
  enum Move implements Change {
    /** One element becomes the next larger or smaller number. */
    ULP("ulp", "one element moves by one unit in the last place") {
      @Override
      void strike(long[] after, int from, int count, SplittableRandom random) {
        after[from + random.nextInt(count)] += random.nextBoolean() ? 1 : -1;
      }
    },
    /** What one element gains another one loses. */
    ULP_PAIR("ulp-pair", "one element moves up by one unit in the last place, another down") {
      @Override
      void strike(long[] after, int from, int count, SplittableRandom random) {
        int one = random.nextInt(count);
        after[from + one]++;
        after[from + another(one, count, random)]--;
      }
    },
    /** Two elements change places, as particles that are sorted anew. */
    SWAP("swap", "two elements change places") {
      @Override
      void strike(long[] after, int from, int count, SplittableRandom random) {
        int one = from + random.nextInt(count);
        int other = from + another(one - from, count, random);
        long kept = after[one];
        after[one] = after[other];
        after[other] = kept;
      }
    },
    /** One element is reflected. */
    SIGN("sign", "the sign of one element flips") {
      @Override
      void strike(long[] after, int from, int count, SplittableRandom random) {
        after[from + random.nextInt(count)] ^= Long.MIN_VALUE;
      }
    },
    /** All of them are. */
    NEGATE("negate", "the signs of all elements flip") {
      @Override
      void strike(long[] after, int from, int count, SplittableRandom random) {
        for (int i = from; i < from + count; i++) {
          after[i] ^= Long.MIN_VALUE;
        }
      }
    },
    /** The field moves on by one element, and its first one stays. */
    SHIFT("shift", "all elements move on by one, the first stays") {
      @Override
      void strike(long[] after, int from, int count, SplittableRandom random) {
        System.arraycopy(after, from, after, from + 1, count - 1);
      }
    },
    /** An eighth of the block is a row that comes from the other side of a periodic field. */
    HALO("halo", "the first eighth becomes what the last one is, as a halo row does") {
      @Override
      void strike(long[] after, int from, int count, SplittableRandom random) {
        int row = Math.max(1, count / 8);
        System.arraycopy(after, from + count - row, after, from, row);
      }
    };

    private final String label;
    private final String words;

    Move(String label, String words) {
      this.label = label;
      this.words = words;
    }

    abstract void strike(long[] after, int from, int count, SplittableRandom random);

    private static int another(int one, int count, SplittableRandom random) {
      return (one + 1 + random.nextInt(count - 1)) % count;
    }

    @Override
    public String label() {
      return label;
    }

    /** What it does. */
    public String words() {
      return words;
    }

    @Override
    public void apply(long[] before, long[] after, int from, int count, SplittableRandom random) {
      System.arraycopy(before, from, after, from, count);
      strike(after, from, count, random);
    }

    /**
     * The change of this name.
     *
     * @throws IllegalArgumentException if there is none, naming those there are
     */
    public static Move parse(String name) {
      String wanted = name.strip().toLowerCase(Locale.ROOT);
      return Arrays.stream(values())
          .filter(move -> move.label.equals(wanted))
          .findFirst()
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "there is no change '%s'; there are %s, all and none"
                          .formatted(
                              name,
                              Arrays.stream(values())
                                  .map(Move::label)
                                  .collect(Collectors.joining(", ")))));
    }
  }
}
