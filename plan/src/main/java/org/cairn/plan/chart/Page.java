// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.util.List;

/**
 * An answer with the charts and numbers behind it, as one HTML file.
 *
 * @param title the heading
 * @param answer plain text; an empty line begins a new paragraph
 * @param charts in order
 * @param tableHead the columns; empty for no table
 * @param tableRows as many cells each as there are columns
 * @param command how the page was made, so that it can be made again; may be empty
 */
public record Page(
    String title,
    String answer,
    List<Chart> charts,
    List<String> tableHead,
    List<List<String>> tableRows,
    String command) {
  /** Checks that the table is one. */
  public Page {
    charts = List.copyOf(charts);
    tableHead = List.copyOf(tableHead);
    tableRows = tableRows.stream().map(List::copyOf).toList();
    for (List<String> row : tableRows) {
      if (row.size() != tableHead.size()) {
        throw new IllegalArgumentException(
            "Table of " + tableHead.size() + " columns has a row of " + row.size() + ": " + row);
      }
    }
  }
}
