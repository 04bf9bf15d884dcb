// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.array;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.cairn.SavedArray;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;

/** What the numbers of all arrays of a version are like; printed as it is with {@code --json}. */
public record ArrayStatistics(String version, List<Row> arrays) {

  /** An array. */
  public record Row(String name, String type, List<Long> shape, Statistics figures) {}

  /** Looks at all elements of all arrays. */
  public static ArrayStatistics of(JobArrays arrays, Terminal terminal) throws IOException {
    long total = arrays.all().stream().mapToLong(SavedArray::byteSize).sum();
    List<Row> rows = new ArrayList<>();
    try (ProgressBar bar = terminal.bar("show", total, Quantities::bytes)) {
      long before = 0;
      for (SavedArray array : arrays.all()) {
        long start = before;
        Statistics figures = Statistics.of(array, done -> bar.reach(start + done));
        rows.add(new Row(array.name(), array.type().label(), array.shape(), figures));
        before += array.byteSize();
      }
    }
    return new ArrayStatistics(arrays.version().id().toString(), rows);
  }

  /** As a table. */
  public void print(Terminal terminal) {
    terminal.out().printf("Version %s%n", version);
    Table table = new Table("array", "type", "shape", ">smallest", ">largest", ">mean", ">NaN");
    for (Row row : arrays) {
      Statistics figures = row.figures;
      table.row(
          Printable.name(row.name),
          row.type,
          row.shape.toString(),
          String.valueOf(figures.min()),
          String.valueOf(figures.max()),
          String.valueOf(figures.mean()),
          Quantities.count(figures.nans()));
    }
    terminal.print(table);
  }
}
