// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;
import org.cairn.erasure.Decoder;
import org.cairn.erasure.ReedSolomon;
import org.jspecify.annotations.Nullable;

/** By what the unit of one member is multiplied in the sum that is the lost data of another. */
final class Decoding {
  private final Stripes stripes;
  private final @Nullable Decoder[] decoders;

  /**
   * The way back.
   *
   * @param data the members whose data is there
   * @param parities the members whose parity is there
   */
  Decoding(Stripes stripes, BitSet data, BitSet parities) {
    this.stripes = stripes;
    this.decoders = new Decoder[stripes.members()];
    ReedSolomon code = new ReedSolomon(stripes.data(), stripes.parity());
    for (int stripe = 0; stripe < stripes.members(); stripe++) {
      int[] missing = missing(stripe, data, parities);
      boolean losesData = Arrays.stream(missing).anyMatch(unit -> unit < stripes.data());
      decoders[stripe] = losesData ? code.decoder(missing) : null;
    }
  }

  private int[] missing(int stripe, BitSet data, BitSet parities) {
    return IntStream.range(0, stripes.members())
        .filter(member -> !(stripes.isParity(member, stripe) ? parities : data).get(member))
        .map(member -> stripes.codeUnit(member, stripe))
        .toArray();
  }

  /** Whether the unit of {@code source} is part of the sum that is that of {@code lost}. */
  boolean isNeeded(int stripe, int source, int lost) {
    Decoder decoder = decoders[stripe];
    return decoder != null
        && !stripes.isParity(lost, stripe)
        && index(decoder.missing(), stripes.codeUnit(lost, stripe)) >= 0
        && index(decoder.sources(), stripes.codeUnit(source, stripe)) >= 0;
  }

  byte coefficient(int stripe, int source, int lost) {
    Decoder decoder = decoders[stripe];
    if (decoder == null || !isNeeded(stripe, source, lost)) {
      throw new IllegalArgumentException(
          "member %d has nothing of stripe %d for member %d".formatted(source, stripe, lost));
    }
    return decoder.coefficient(
        index(decoder.missing(), stripes.codeUnit(lost, stripe)),
        index(decoder.sources(), stripes.codeUnit(source, stripe)));
  }

  private static int index(int[] units, int unit) {
    for (int i = 0; i < units.length; i++) {
      if (units[i] == unit) {
        return i;
      }
    }
    return -1;
  }
}
