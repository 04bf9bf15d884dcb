// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.util.List;
import java.util.Random;

/** What nothing makes smaller. */
final class Noise implements Simulation {
  private final long[][] bits;
  private final Random random;

  Noise(Size size) {
    random = new Random(size.seed());
    bits = new long[size.ranks()][size.bytes() / Long.BYTES];
    advance();
  }

  @Override
  public void advance() {
    for (long[] own : bits) {
      for (int i = 0; i < own.length; i++) {
        own[i] = random.nextLong();
      }
    }
  }

  @Override
  public List<StateArray> state(int rank) {
    return List.of(StateArray.longs("/noise", bits[rank]));
  }
}
