// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

/**
 * Colours of series: those of Okabe and Ito, which readers with any kind of colour vision can tell
 * apart; their yellow is left out, as it is too faint on white. On a dark page each is lighter.
 */
public enum Colour {
  /** Of the first series, unless something else is said. */
  BLUE(0x0072b2, 0x4aa8e0),
  /** Of the second. */
  VERMILION(0xd55e00, 0xf0853a),
  /** Of the third. */
  GREEN(0x009e73, 0x2fc79a),
  /** Of the fourth. */
  PURPLE(0xcc79a7, 0xe09cc2),
  /** Of the fifth; nearly white on a dark page. */
  BLACK(0x000000, 0xe8e8e6),
  /** Of the sixth. */
  ORANGE(0xe69f00, 0xf2b632),
  /** Of the seventh. */
  SKY(0x56b4e9, 0x8fd0f5);

  private final int onLight;
  private final int onDark;

  Colour(int onLight, int onDark) {
    this.onLight = onLight;
    this.onDark = onDark;
  }

  int onLight() {
    return onLight;
  }

  int onDark() {
    return onDark;
  }
}
