// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

/**
 * Draws 0 … n−1 in random order without replacement, each draw in constant time, and starts over in
 * constant time as well: the shuffle of Fisher and Yates, of which only the places that a draw
 * touched are stored. A place carries the number of the round that wrote it; one of another round
 * holds its own index still.
 */
final class Lottery {
  private final long[] places;
  private int round;
  private int drawn;

  Lottery(int n) {
    places = new long[n];
  }

  /** All are in the pot again. */
  void begin() {
    round++;
    drawn = 0;
  }

  int left() {
    return places.length - drawn;
  }

  int draw(Chance chance) {
    int place = drawn + chance.below(left());
    int result = get(place);
    places[place] = (long) round << 32 | get(drawn);
    drawn++;
    return result;
  }

  private int get(int place) {
    long entry = places[place];
    return (int) (entry >>> 32) == round ? (int) entry : place;
  }
}
