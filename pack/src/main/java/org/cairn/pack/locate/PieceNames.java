// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.cairn.transform.Elements;

/**
 * What pieces belong together: those of one class, which is a name, a type and a number of axes.
 *
 * <pre>
 * Class → Name "_" Type "_" Axes "D" | Name "_coded" | "rest"
 * Name  → that of the variable without the first "/", changed by all rules, one after the other
 * Type  → "F" Bits Order | "I" Bits Order | "B8" | "R" Bits       R: records, of any size
 * Order → "LE" | "BE"
 * </pre>
 *
 * <p>As {@code ToyGrp/T_F32LE_2D}. A rule replaces what a regular expression finds, as {@code
 * it=\d+} by {@code it=#}: variables that differ in a number are of one class then.
 */
public final class PieceNames {
  /** The class of what nobody knows. */
  public static final String REST = "rest";

  /** No rules but that a box of a grid is like the others. */
  public static final PieceNames USUAL = new PieceNames(List.of(new Rule("\\bfab=\\d+", "fab=#")));

  private final List<Rule> rules;

  /**
   * Something that names are changed by.
   *
   * @param replacement may have groups of the pattern, as {@code $1}
   */
  public record Rule(Pattern pattern, String replacement) {
    /**
     * Compiles the pattern.
     *
     * @throws java.util.regex.PatternSyntaxException if it is none
     */
    public Rule(String pattern, String replacement) {
      this(Pattern.compile(pattern), replacement);
    }

    /** Finds out now whether the replacement asks for groups that the pattern has not. */
    public Rule {
      checkGroups(pattern, replacement);
    }

    private static void checkGroups(Pattern pattern, String replacement) {
      Pattern orNothing = Pattern.compile(pattern.pattern() + "|", pattern.flags());
      try {
        String _ = orNothing.matcher("").replaceFirst(replacement);
      } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "\"%s\" does not fit %s: %s".formatted(replacement, pattern, e.getMessage()), e);
      }
    }

    private String apply(String name) {
      return pattern.matcher(name).replaceAll(replacement);
    }
  }

  private PieceNames(List<Rule> rules) {
    this.rules = List.copyOf(rules);
  }

  /** The same, with more rules behind those that it has. */
  public PieceNames with(List<Rule> more) {
    List<Rule> all = new ArrayList<>(rules);
    all.addAll(more);
    return new PieceNames(all);
  }

  /** The class of a tile. Takes microseconds: whoever has a million tiles remembers it. */
  public String classOf(Tile tile) {
    Variable variable = tile.variable().orElse(null);
    if (variable == null) {
      return REST;
    }
    return tile.isCoded() ? codedClassOf(variable) : classOf(variable);
  }

  /** The class of chunks of a variable that went through filters. */
  public String codedClassOf(Variable variable) {
    return mapped(variable.name()) + "_coded";
  }

  /** The class of the elements of a variable. */
  public String classOf(Variable variable) {
    return "%s_%s_%dD"
        .formatted(mapped(variable.name()), type(variable.elements()), variable.shape().size());
  }

  private String mapped(String name) {
    String mapped = name.startsWith("/") ? name.substring(1) : name;
    for (Rule rule : rules) {
      mapped = rule.apply(mapped);
    }
    return mapped;
  }

  private static String type(Elements elements) {
    int bits = 8 * elements.width();
    if (elements.width() == 1) {
      return "B8";
    }
    if (!elements.isNumeric()) {
      return "R" + bits; // the order of its parts is their own affair
    }
    String order = elements.order() == ByteOrder.BIG_ENDIAN ? "BE" : "LE";
    return (elements.floating() ? "F" : "I") + bits + order;
  }
}
