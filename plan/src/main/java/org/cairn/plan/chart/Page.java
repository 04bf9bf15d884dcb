// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.util.List;

/**
 * An answer with the charts and numbers behind it, as one HTML file.
 *
 * @param title the heading
 * @param answer plain text; an empty line begins a new paragraph
 * @param charts in order
 * @param tables in order
 * @param command how the page was made, so that it can be made again; may be empty
 */
public record Page(
    String title, String answer, List<Chart> charts, List<Table> tables, String command) {
  /** Copies the lists. */
  public Page {
    charts = List.copyOf(charts);
    tables = List.copyOf(tables);
  }

  /**
   * A table.
   *
   * @param title above it; may be empty
   * @param head the columns
   * @param rows as many cells each as there are columns
   */
  public record Table(String title, List<String> head, List<List<String>> rows) {
    /** Checks that the table is one. */
    public Table {
      head = List.copyOf(head);
      rows = rows.stream().map(List::copyOf).toList();
      for (List<String> row : rows) {
        if (row.size() != head.size()) {
          throw new IllegalArgumentException(
              "Table of " + head.size() + " columns has a row of " + row.size() + ": " + row);
        }
      }
    }
  }
}
