// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A program that draws one chart of each kind, and prints what goes wrong. */
final class ChartProcess {
  private ChartProcess() {}

  /** Something that writes a file. */
  interface Drawing {
    void to(Path file) throws IOException;
  }

  /** Draws into the folder that is given. */
  public static void main(String[] args) {
    Path folder = Path.of(args[0]);
    Page page = new Page("t", "a", List.of(Charts.mtti()), List.of(), "");
    draw(file -> ChartWriter.png(Charts.mtti(), file), folder.resolve("chart.png"));
    draw(file -> ChartWriter.svg(Charts.mtti(), file), folder.resolve("chart.svg"));
    draw(file -> ChartWriter.html(page, file), folder.resolve("page.html"));
  }

  private static void draw(Drawing drawing, Path file) {
    try {
      drawing.to(file);
    } catch (IOException e) {
      System.out.println(e.getMessage());
    }
  }
}
