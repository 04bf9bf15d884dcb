// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import java.io.PrintStream;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Where a command writes: results to {@link #out}, everything else (errors, remarks, progress) to
 * {@link #err}, so that output can be piped.
 */
public final class Terminal {
  private final PrintStream out;
  private final Supplier<PrintStream> err;
  private final int columns;
  private final Colours colours;
  private boolean progress;

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
    this.out = out;
    this.err = err;
    this.columns = columns == 0 ? 100 : columns;
    this.colours = colours;
    this.progress = columns > 0;
  }

  /** The standard streams of this process, as {@code ./cairn} describes them. */
  public static Terminal standard() {
    return new Terminal(
        System.out,
        StandardError::get,
        Math.max(0, Integer.getInteger("cairn.columns", 0)),
        Colours.of(Boolean.getBoolean("cairn.terminal"), System.getenv()));
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

  /** Shows progress even if nobody seems to watch. */
  public void showProgress() {
    progress = true;
  }

  /** A bar for work of a known size, for example {@code bar("verify", size, Quantities::bytes)}. */
  public ProgressBar bar(String label, long total, LongFunction<String> unit) {
    return new ProgressBar(progress ? err() : out, progress, columns, label, total, unit);
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

  /** A remark for people, on a line of its own; it does not disturb what is piped elsewhere. */
  public void remark(String text) {
    err().println(text);
  }
}
