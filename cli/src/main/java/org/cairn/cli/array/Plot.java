// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.array;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.cairn.Part;
import org.cairn.SavedArray;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.terminal.Colours;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;

/**
 * A field as a small picture for a terminal, and whose elements are whose. Of more than two axes
 * the middle of the first ones is taken. With colours a character shows two elements, one above the
 * other; without, a shade for each. A field of one axis becomes a curve.
 */
public final class Plot {
  private static final String SHADES = " .:-=+*#%@";
  private static final String RANKS =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  private static final char NO_NUMBER = '?';
  private static final int MOST_COLUMNS = 80;
  private static final int MOST_LINES = 20;
  private static final int CURVE_LINES = 10;
  private static final int DIVISION_LINES = 10;

  /** Long and narrow fields are stretched until they have as many, if they do. */
  private static final int FEWEST = 8;

  private final SavedArray array;
  private final Slice.Of field;

  /** Every such row, and every such element of it, is drawn. */
  private final long down;

  private final long across;
  private final Samples samples;

  private Plot(SavedArray array, Slice.Of field, long down, long across, Samples samples) {
    this.array = array;
    this.field = field;
    this.down = down;
    this.across = across;
    this.samples = samples;
  }

  /**
   * What was drawn; printed as it is with {@code --json}.
   *
   * @param from where the field begins in the array
   * @param shape elements along the axes of the field
   * @param distances of the elements that were drawn, along the same axes
   * @param values those elements
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes or compares them
  public record Drawn(
      String name,
      String type,
      List<Long> from,
      List<Long> shape,
      List<Long> distances,
      double min,
      double max,
      long notFinite,
      double[][] values) {}

  /**
   * Reads what is drawn.
   *
   * @param wanted what a person wants of it; all axes whole if nothing was said
   * @throws CommandFailedException if nothing is left to be drawn
   */
  public static Plot of(SavedArray array, Slice wanted, Terminal terminal) {
    Slice.Of field = wanted.of(array);
    if (field.shape().size() > 2) {
      field = middle(array, field);
    }
    if (field.shape().isEmpty() || field.array().size() == 0) {
      throw new CommandFailedException(
          "there is nothing to draw: --slice %s of %s has shape %s"
              .formatted(wanted, Printable.name(array.name()), field.shape()));
    }
    int width = Math.clamp(terminal.columns() - 1, FEWEST, MOST_COLUMNS);
    boolean halves = terminal.colours() != Colours.NONE;
    int lines = halves ? 2 * MOST_LINES : MOST_LINES;
    // A character is about twice as high as wide.
    long step =
        Math.max(
            Math.ceilDiv(field.columns(), width),
            Math.ceilDiv(field.rows(), lines) / (halves ? 1 : 2));
    long across = distance(field.columns(), step, width);
    long down = distance(field.rows(), halves ? step : 2 * step, lines);
    try (ProgressBar bar = terminal.bar("show", field.array().byteSize(), Quantities::bytes)) {
      return new Plot(array, field, down, across, Samples.of(field, down, across, bar::reach));
    }
  }

  /** At least so far apart that all fit, and not so far that almost nothing is left. */
  private static long distance(long extent, long wanted, int most) {
    long fits = Math.max(1, Math.ceilDiv(extent, most));
    long tells = Math.max(1, extent / FEWEST);
    return Math.max(fits, Math.min(wanted, tells));
  }

  /** A plane of the last two axes. */
  private static Slice.Of middle(SavedArray array, Slice.Of field) {
    StringBuilder slice = new StringBuilder();
    int left = field.axes().size();
    for (int axis = 0; axis < array.shape().size(); axis++) {
      long from = field.from().get(axis);
      long extent = field.array().shape().get(axis);
      boolean kept = field.axes().contains(axis);
      boolean whole = kept && left <= 2;
      left -= kept ? 1 : 0;
      slice.append(axis == 0 ? "" : ",");
      slice.append(whole ? from + ":" + (from + extent) : String.valueOf(from + extent / 2));
    }
    return Slice.parse(slice.toString()).of(array);
  }

  /** What was drawn. */
  public Drawn drawn() {
    return new Drawn(
        array.name(),
        array.type().label(),
        field.from(),
        field.shape(),
        field.axes().size() == 2 ? List.of(down, across) : List.of(across),
        samples.min(),
        samples.max(),
        samples.notFinite(),
        samples.values());
  }

  // ---------------------------------------------------------------- printing

  /** Draws it, and how it is divided. */
  public void print(Terminal terminal) {
    terminal.out().println(head());
    boolean curve = field.axes().size() == 1;
    List<String> lines =
        curve
            ? curve()
            : terminal.colours() == Colours.NONE ? shades() : colours(terminal.colours());
    lines.forEach(terminal.out()::println);
    terminal.out().println(legend(curve, terminal.colours()));
    long ranks = array.parts().stream().mapToInt(SavedArray.Owned::rank).distinct().count();
    if (ranks > 1) {
      terminal.out().println("Whose it is:");
      division().forEach(terminal.out()::println);
    }
  }

  private String head() {
    List<String> axes = new ArrayList<>();
    for (int axis = 0; axis < field.from().size(); axis++) {
      long from = field.from().get(axis);
      long extent = field.array().shape().get(axis);
      axes.add(
          !field.axes().contains(axis)
              ? String.valueOf(from)
              : extent == array.shape().get(axis) ? ":" : from + ":" + (from + extent));
    }
    String distance =
        down == 1 && across == 1
            ? "all elements"
            : field.axes().size() == 1
                ? "1 of %d elements".formatted(across)
                : "1 of %d rows, 1 of %d columns".formatted(down, across);
    return "%s: %s%s, [%s], %s"
        .formatted(
            Printable.name(array.name()),
            array.type().label(),
            Quantities.shape(array.shape()),
            String.join(", ", axes),
            distance);
  }

  private String legend(boolean curve, Colours colours) {
    String how =
        curve
            ? "From %s (below) to %s (above)"
            : colours == Colours.NONE
                ? "From %s (' ') to %s ('@')"
                : "From %s (dark blue) to %s (yellow)";
    String none = curve || colours == Colours.NONE ? "'" + NO_NUMBER + "'" : "grey";
    String range =
        Double.isNaN(samples.min())
            ? "Nothing is finite"
            : String.format(Locale.ROOT, how, samples.min(), samples.max());
    return range
        + (samples.notFinite() == 0
            ? "."
            : "; %s not finite: %s.".formatted(Quantities.count(samples.notFinite()), none));
  }

  private List<String> shades() {
    List<String> lines = new ArrayList<>();
    for (double[] row : samples.values()) {
      StringBuilder line = new StringBuilder();
      for (double value : row) {
        line.append(shade(value));
      }
      lines.add(line.toString());
    }
    return lines;
  }

  private char shade(double value) {
    double share = samples.share(value);
    return Double.isNaN(share)
        ? NO_NUMBER
        : SHADES.charAt((int) Math.min(SHADES.length() - 1, share * SHADES.length()));
  }

  private List<String> colours(Colours colours) {
    double[][] values = samples.values();
    List<String> lines = new ArrayList<>();
    for (int y = 0; y < values.length; y += 2) {
      StringBuilder line = new StringBuilder();
      for (int x = 0; x < values[y].length; x++) {
        int upper = Palette.colour(samples.share(values[y][x]));
        line.append(
            y + 1 < values.length
                ? colours.halves(upper, Palette.colour(samples.share(values[y + 1][x])))
                : colours.half(upper));
      }
      lines.add(line.append(colours.end()).toString());
    }
    return lines;
  }

  private List<String> curve() {
    double[] values = samples.values()[0];
    List<String> lines = new ArrayList<>();
    for (int line = CURVE_LINES - 1; line >= 0; line--) {
      StringBuilder text = new StringBuilder();
      for (double value : values) {
        double share = samples.share(value);
        int place =
            Double.isNaN(share) ? 0 : (int) Math.min(CURVE_LINES - 1.0, share * CURVE_LINES);
        text.append(place != line ? ' ' : Double.isNaN(share) ? NO_NUMBER : '*');
      }
      lines.add(text.toString().stripTrailing());
    }
    return lines;
  }

  // ---------------------------------------------------------------- whose it is

  /** A character for each rank; those of many ranks come again. */
  private List<String> division() {
    int most = samples.values().length;
    int count = Math.min(most, DIVISION_LINES);
    List<String> lines = new ArrayList<>();
    for (int y = 0; y < count; y++) {
      long row = (long) y * most / count * down;
      StringBuilder line = new StringBuilder();
      for (int x = 0; x < samples.values()[0].length; x++) {
        line.append(owner(field.place(row, x * across)));
      }
      lines.add(line.toString());
    }
    return lines;
  }

  private char owner(List<Long> place) {
    return array.parts().stream()
        .filter(one -> has(one.part(), place))
        .findFirst()
        .map(one -> RANKS.charAt(one.rank() % RANKS.length()))
        .orElse('.');
  }

  private static boolean has(Part part, List<Long> place) {
    for (int axis = 0; axis < place.size(); axis++) {
      long in = place.get(axis) - part.offset().get(axis);
      if (in < 0 || in >= part.extent().get(axis)) {
        return false;
      }
    }
    return true;
  }
}
