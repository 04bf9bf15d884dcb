// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/**
 * Finds out, on all ranks alike, whether their sizes fit together before any data moves. The
 * smallest and the largest size, each with its rank, climb a binomial tree to rank 0 and come back;
 * if they differ, every rank throws the same message.
 */
final class SizeAgreement {

  /** The kinds of collectives, each with the tag of its messages. */
  enum Kind {
    BARRIER(-2),
    BROADCAST(-3),
    REDUCE(-4),
    GATHER(-5),
    ALL_GATHER(-6),
    SCATTER(-7),
    ALL_TO_ALL(-8),
    SCAN(-9);

    private final int tag;

    Kind(int tag) {
      this.tag = tag;
    }

    int tag() {
      return tag;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  private static final int SMALLEST = 0;
  private static final int OF_RANK = 1;
  private static final int LARGEST = 2;

  private final Communicator ranks;
  private final int tag;

  private SizeAgreement(Communicator ranks, Kind kind) {
    this.ranks = ranks;
    this.tag = kind.tag();
  }

  /** Says that memory for all ranks has the wrong size, in place of a size. */
  static long misfit(long bytes) {
    return -1 - bytes;
  }

  /** Throws unless all ranks come with the same size, and none with a {@link #misfit}. */
  static void onBytes(Communicator ranks, Kind kind, long bytes) {
    long[] range = new SizeAgreement(ranks, kind).range(bytes);
    if (range[SMALLEST] < 0) {
      throw new CommunicationException(
          "%s: rank %d has memory of %d bytes for the parts of %d ranks, which does not fit them"
              .formatted(kind, range[OF_RANK], -1 - range[SMALLEST], ranks.size()));
    }
    if (range[SMALLEST] != range[LARGEST]) {
      throw differ(kind, range, "bytes");
    }
  }

  /** Throws unless all ranks come with as many parts as there are ranks. */
  static void onCount(Communicator ranks, Kind kind, long count) {
    long[] range = new SizeAgreement(ranks, kind).range(count);
    if (range[SMALLEST] != range[LARGEST]) {
      throw differ(kind, range, "parts");
    }
    if (range[SMALLEST] != ranks.size()) {
      throw new CommunicationException(
          "%s: %d parts do not go to %d ranks".formatted(kind, range[SMALLEST], ranks.size()));
    }
  }

  /** Throws, on all ranks alike, what the first rank that has something to object to says. */
  static void onComplaints(Communicator ranks, Kind kind, Optional<String> mine) {
    int none = ranks.size();
    long first =
        new SizeAgreement(ranks, kind).range(mine.isEmpty() ? none : ranks.rank())[SMALLEST];
    if (first < none) {
      byte[] words = ranks.announce(mine.orElse("").getBytes(StandardCharsets.UTF_8), (int) first);
      throw new CommunicationException(kind + ": " + new String(words, StandardCharsets.UTF_8));
    }
  }

  private static CommunicationException differ(Kind kind, long[] range, String unit) {
    return new CommunicationException(
        "%s: sizes differ: rank %d has %d %s, rank %d has %d"
            .formatted(
                kind,
                range[OF_RANK],
                range[SMALLEST],
                unit,
                range[LARGEST + OF_RANK],
                range[LARGEST]));
  }

  private long[] range(long value) {
    int rank = ranks.rank();
    int size = ranks.size();
    long[] range = {value, rank, value, rank};
    int distance = 1;
    for (; distance < size && (rank & distance) == 0; distance *= 2) {
      if (rank + distance < size) {
        widen(range, receive(rank + distance));
      }
    }
    if (rank > 0) {
      ranks.send(range, rank - distance, tag);
      range = receive(rank - distance);
    }
    for (distance /= 2; distance > 0; distance /= 2) {
      if (rank + distance < size) {
        ranks.send(range, rank + distance, tag);
      }
    }
    return range;
  }

  private long[] receive(int from) {
    long[] range = new long[4];
    ranks.receive(range, from, tag);
    return range;
  }

  private static void widen(long[] range, long[] other) {
    if (other[SMALLEST] < range[SMALLEST]) {
      System.arraycopy(other, SMALLEST, range, SMALLEST, 2);
    }
    if (other[LARGEST] > range[LARGEST]) {
      System.arraycopy(other, LARGEST, range, LARGEST, 2);
    }
  }
}
