// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.font.FontRenderContext;
import java.awt.geom.AffineTransform;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Writes text. It remembers where each text was anchored, as a viewer of an SVG may have another
 * font, in which the text is narrower or wider than here.
 */
final class Pen {
  /** Which point of a text is given, in the words of SVG. */
  enum Anchor {
    START(0),
    MIDDLE(0.5),
    END(1);

    private final double share;

    Anchor(double share) {
      this.share = share;
    }
  }

  /** A text that was written: where its anchor is, before any rotation. */
  record Written(Anchor anchor, double x) {}

  /** The font that setup installs; Java falls back to its default where there is none. */
  static final String FAMILY = "DejaVu Sans";

  static final Font PLAIN = new Font(FAMILY, Font.PLAIN, 12);
  static final Font SMALL = new Font(FAMILY, Font.PLAIN, 11);
  static final Font LABEL = new Font(FAMILY, Font.PLAIN, 13);
  static final Font TITLE = new Font(FAMILY, Font.BOLD, 16);

  /** Measures alike for every picture, whatever it is drawn on. */
  private static final FontRenderContext MEASURE =
      new FontRenderContext(new AffineTransform(), true, true);

  /** What XML cannot hold. */
  private static final Pattern UNWRITABLE = Pattern.compile("[\\p{Cc}\\p{Cs}\\uFFFE\\uFFFF]");

  private final Graphics2D g;
  private final List<Written> written = new ArrayList<>();

  Pen(Graphics2D g) {
    this.g = g;
  }

  /** The text without characters that no picture can show. */
  static String clean(String text) {
    return UNWRITABLE.matcher(text).replaceAll(" ");
  }

  static double width(String text, Font font) {
    return text.isEmpty() ? 0 : font.getStringBounds(clean(text), MEASURE).getWidth();
  }

  /** The room that a text takes when its base line begins at the given point. */
  static Rectangle2D bounds(String text, Font font, double x, double y) {
    double size = font.getSize2D();
    return new Rectangle2D.Double(x, y - 0.8 * size, width(text, font), 1.05 * size);
  }

  /** The text in lines of at most this width, broken between words, not before a unit. */
  static List<String> wrap(String text, Font font, double width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String glued : Glue.glued(clean(text).strip()).split(" +", -1)) {
      String word = glued.replace(Glue.NO_BREAK, ' ');
      if (!line.isEmpty() && width(line + " " + word, font) > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    if (!line.isEmpty()) {
      lines.add(line.toString());
    }
    return lines;
  }

  void write(String text, Font font, Color colour, double x, double y, Anchor anchor) {
    String clean = clean(text);
    if (clean.isBlank()) {
      return;
    }
    g.setFont(font);
    g.setColor(colour);
    g.drawString(clean, (float) (x - anchor.share * width(clean, font)), (float) y);
    written.add(new Written(anchor, x));
  }

  /** Writes upwards, around the middle. */
  void writeUp(String text, Font font, Color colour, double x, double y) {
    AffineTransform saved = g.getTransform();
    g.translate(x, y);
    g.rotate(-Math.PI / 2);
    write(text, font, colour, 0, 0, Anchor.MIDDLE);
    g.setTransform(saved);
  }

  /** All texts in the order in which they were written. */
  List<Written> written() {
    return List.copyOf(written);
  }
}
