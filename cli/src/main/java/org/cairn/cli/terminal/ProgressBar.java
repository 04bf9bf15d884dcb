// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * A line that fills while something long is going on:
 *
 * <pre>
 * verify ███████████·········  56 %  1.40 GiB of 2.50 GiB
 * </pre>
 *
 * <p>It is redrawn in place a few times a second and stays behind when it is closed. Where nobody
 * watches it, it prints nothing. Safe for use by many threads.
 */
public final class ProgressBar implements AutoCloseable {
  private static final int CELLS = 20;
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(80);

  private final PrintStream out;
  private final boolean visible;
  private final int columns;
  private final String label;
  private final long total;
  private final LongFunction<String> unit;

  private long done;
  private String note = "";
  private long drawnAt;
  private int drawnLength;
  private boolean closed;

  ProgressBar(
      PrintStream out,
      boolean visible,
      int columns,
      String label,
      long total,
      LongFunction<String> unit) {
    this.out = out;
    this.visible = visible;
    this.columns = columns;
    this.label = label;
    this.total = total;
    this.unit = unit;
    this.drawnAt = System.nanoTime() - PAUSE;
  }

  /** That this much, in all, is done. */
  public synchronized void reach(long amount) {
    done = amount;
    drawIfTime();
  }

  /** That this much more is done. */
  public synchronized void advance(long amount) {
    reach(done + amount);
  }

  /** What to say behind the numbers from now on. */
  public synchronized void note(String text) {
    note = text;
    draw();
  }

  /** Prints lines above the bar, which would else be torn by them. */
  public synchronized void aside(Runnable printing) {
    if (visible && !closed) {
      out.print("\r" + " ".repeat(drawnLength) + "\r");
      out.flush();
    }
    printing.run();
    draw();
  }

  private void drawIfTime() {
    if (System.nanoTime() - drawnAt >= PAUSE) {
      draw();
    }
  }

  private void draw() {
    if (!visible || closed) {
      return;
    }
    String line = line();
    out.print("\r" + line + " ".repeat(Math.max(0, drawnLength - line.length())));
    out.flush();
    drawnLength = line.length();
    drawnAt = System.nanoTime();
  }

  private String line() {
    double share = total <= 0 ? 1 : Math.clamp((double) done / total, 0, 1);
    int full = (int) (share * CELLS);
    String line =
        "%s %s%s %3d %%  %s of %s%s"
            .formatted(
                label,
                "█".repeat(full),
                "·".repeat(CELLS - full),
                (int) (share * 100),
                unit.apply(done),
                unit.apply(total),
                note.isEmpty() ? "" : "  " + note);
    // A line that wraps could not be redrawn in place.
    return line.length() < columns ? line : line.substring(0, Math.max(0, columns - 1));
  }

  /** Draws the bar a last time and ends its line. */
  @Override
  public synchronized void close() {
    draw();
    if (visible && !closed) {
      out.println();
      out.flush();
    }
    closed = true;
  }
}
