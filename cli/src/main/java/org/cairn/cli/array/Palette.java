// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.array;

/** Numbers as colours, from dark blue (smallest) to yellow (largest); what is none is grey. */
final class Palette {
  /** Of what is not finite. */
  private static final int GREY = 0x808080;

  /** Colours of equal distance; between them it is mixed. */
  private static final int[] COLOURS = {
    0x440154, 0x472D7B, 0x3B528B, 0x2C728E, 0x21918C, 0x28AE80, 0x5EC962, 0xADDC30, 0xFDE725
  };

  private Palette() {}

  /** The colour of a number of which {@link Samples#share} is known. */
  static int colour(double share) {
    if (Double.isNaN(share)) {
      return GREY;
    }
    double place = share * (COLOURS.length - 1);
    int below = Math.min((int) place, COLOURS.length - 2);
    double part = place - below;
    int colour = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
      int low = COLOURS[below] >> shift & 0xFF;
      int high = COLOURS[below + 1] >> shift & 0xFF;
      colour |= (int) Math.round(low + part * (high - low)) << shift;
    }
    return colour;
  }
}
