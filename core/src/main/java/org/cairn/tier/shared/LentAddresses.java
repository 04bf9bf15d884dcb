// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** Where those blocks of a member lie that others have, too. */
final class LentAddresses {
  private final int[] ordinals;
  private final long[] addresses;

  /**
   * Puts together what is known of a member.
   *
   * @param lent the ordinals of its blocks
   * @param positions for each, in its own frames, or among its small variables
   * @param own how many of the member's ordinals are of its own frames
   * @param start the address of the first of these frames
   * @param small where its small variables lie
   * @throws IllegalArgumentException if these do not fit together
   */
  LentAddresses(BitSet lent, long[] positions, int own, long start, List<FramePlaces.Part> small) {
    ordinals = lent.stream().toArray();
    if (positions.length != ordinals.length) {
      throw new IllegalArgumentException(
          "places of %d blocks were told, of %d that others have"
              .formatted(positions.length, ordinals.length));
    }
    addresses = new long[ordinals.length];
    int part = 0;
    long before = 0;
    for (int i = 0; i < ordinals.length; i++) {
      if (ordinals[i] < own) {
        addresses[i] = start + positions[i];
        continue;
      }
      while (part < small.size() && positions[i] >= before + small.get(part).length()) {
        before += small.get(part++).length();
      }
      if (part == small.size()) {
        throw new IllegalArgumentException("no block lies at " + positions[i]);
      }
      addresses[i] = small.get(part).address() + positions[i] - before;
    }
  }

  long of(int ordinal) {
    return addresses[Arrays.binarySearch(ordinals, ordinal)];
  }
}
