// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.figure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.cairn.plan.chart.Colour;

/** Each strategy has one colour, in whichever picture it is. */
final class Hues {
  static final Colour PLAIN = Colour.BLUE;
  static final Colour PAIRS = Colour.VERMILION;
  static final Colour TRIPLES = Colour.GREEN;
  private static final Colour PARTIAL = Colour.PURPLE;
  private static final Colour LEVELS = Colour.BLACK;
  private static final Colour DIFFERENTIAL = Colour.ORANGE;
  private static final Colour OTHER = Colour.SKY;

  /** Of more than three replicas, where several of them are in one picture. */
  private static final List<Colour> MANY =
      List.of(Colour.PURPLE, Colour.BLACK, Colour.ORANGE, Colour.SKY, Colour.BLUE);

  private Hues() {}

  /** Colours of these numbers of replicas, which are in one picture. */
  static List<Colour> ofReplicas(int... degrees) {
    List<Colour> colours = new ArrayList<>();
    int many = 0;
    for (int degree : degrees) {
      Colour own = of(degree + " replicas");
      colours.add(own == OTHER ? MANY.get(many++ % MANY.size()) : own);
    }
    return colours;
  }

  /** The colour of a strategy, by the name that all commands have for it. */
  static Colour of(String strategy) {
    String name = strategy.toLowerCase(Locale.ROOT);
    if (name.startsWith("full") || name.startsWith("without") || name.startsWith("checkpoints")) {
      return PLAIN;
    }
    if (name.startsWith("differential")) {
      return DIFFERENTIAL;
    }
    if (name.contains("level")) {
      return LEVELS;
    }
    if (name.contains("replicas of ")) {
      return PARTIAL;
    }
    if (name.startsWith("2 ") || name.startsWith("two ")) {
      return PAIRS;
    }
    return name.startsWith("3 ") || name.startsWith("three ") ? TRIPLES : OTHER;
  }
}
