// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a command writes: results to {@link #out}, everything else (errors, remarks, progress) to
 * {@link #err}, so that output can be piped.
 */
public final class Terminal {
  private static final int DEFAULT_COLUMNS = 100;

  /** In less nothing can be said. */
  private static final int FEWEST_COLUMNS = 40;

  private final PrintStream out;
  private final Supplier<PrintStream> err;
  private final int columns;

  /** A bar that wraps fills the screen, so it takes the width as it is. */
  private final int barColumns;

  private final boolean widthKnown;
  private Colours colours;
  private boolean progress;
  private boolean debugging;

  /**
   * Makes a terminal of two streams.
   *
   * @param columns width of the terminal that {@code err} is, or 0 if it is none
   */
  public Terminal(PrintStream out, Supplier<PrintStream> err, int columns) {
    this(out, err, columns, Colours.NONE);
  }

  /**
   * The same with colours.
   *
   * @param colours those that {@code out} has
   */
  public Terminal(PrintStream out, Supplier<PrintStream> err, int columns, Colours colours) {
    this(out, err, columns, columns > 0, colours);
  }

  /**
   * The same where the width is known though nobody watches.
   *
   * @param columns how many characters fit into a line, or 0 if nobody knows
   * @param progress whether somebody watches
   */
  public Terminal(
      PrintStream out, Supplier<PrintStream> err, int columns, boolean progress, Colours colours) {
    this.out = out;
    this.err = err;
    this.columns = columns == 0 ? DEFAULT_COLUMNS : Math.max(FEWEST_COLUMNS, columns);
    this.barColumns = columns == 0 ? DEFAULT_COLUMNS : columns;
    this.widthKnown = columns > 0;
    this.colours = colours;
    this.progress = progress;
  }

  /** The standard streams of this process, as {@code ./cairn} describes them. */
  public static Terminal standard() {
    int watched = Math.max(0, Integer.getInteger("cairn.columns", 0));
    return new Terminal(
        System.out,
        StandardError::get,
        watched > 0 ? watched : told(System.getenv().getOrDefault("COLUMNS", "")),
        watched > 0,
        Colours.of(Boolean.getBoolean("cairn.terminal"), System.getenv()));
  }

  /** A width that a person has exported, for output that goes elsewhere. */
  private static int told(String columns) {
    return columns.matches("[1-9]\\d{1,3}") ? Integer.parseInt(columns) : 0;
  }

  /** How many characters fit into a line; some number if nobody knows. */
  public int columns() {
    return columns;
  }

  /** The colours of {@link #out}. */
  public Colours colours() {
    return colours;
  }

  public PrintStream out() {
    return out;
  }

  public PrintStream err() {
    return err.get();
  }

  /** Prints a table; one that is too wide for a known width is turned on its side. */
  public void print(Table table) {
    out.print(widthKnown ? table.toString(columns) : table.toString());
  }

  /** Uses colours, or none, whatever the terminal says of itself. */
  public void useColours(Colours chosen) {
    colours = chosen;
  }

  /** From now on failures are shown with their place in the code. */
  public void debug() {
    debugging = true;
  }

  /** Whether they are. */
  public boolean isDebugging() {
    return debugging;
  }

  /** Shows progress even if nobody seems to watch. */
  public void showProgress() {
    progress = true;
  }

  /** A bar for work of a known size, for example {@code bar("verify", size, Quantities::bytes)}. */
  public ProgressBar bar(String label, long total, LongFunction<String> unit) {
    return new ProgressBar(progress ? err() : out, progress, barColumns, label, total, unit);
  }

  /** What a bar would have shown, in words, where there are no bars. */
  public void milestone(String text) {
    if (!progress) {
      err().println(text);
    }
  }

  /** Prints sentences to {@link #out}, on lines that fit. */
  public void say(String text) {
    out.println(Text.wrap(text, columns));
  }

  /** As {@link #say}, of sentences that stay as they are where nobody knows the width. */
  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be one more library
  public void tell(String format, @Nullable Object... values) {
    String text = String.format(Locale.ROOT, format, values);
    out.println(widthKnown ? Text.wrap(text, columns) : text);
  }

  /** A remark for people, on a line of its own; it does not disturb what is piped elsewhere. */
  public void remark(String text) {
    err().println(text);
  }
}
