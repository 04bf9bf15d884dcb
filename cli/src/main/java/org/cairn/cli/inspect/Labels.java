// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import org.cairn.Label;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Table;
import org.jspecify.annotations.Nullable;

/**
 * What was said of versions, as {@code --json} prints it and as a table.
 *
 * @param label null if there is none
 * @param note null if there is none
 * @param kept whether it is to be kept for ever
 */
record Labels(@Nullable String label, @Nullable String note, boolean kept) {

  static Labels of(Label said) {
    return new Labels(
        said.text().isEmpty() ? null : said.text(),
        said.note().isEmpty() ? null : said.note(),
        said.kept());
  }

  private boolean isNone() {
    return label == null && note == null && !kept;
  }

  static Table table() {
    return new Table("version", "kept", "label", "note");
  }

  /** Adds a row, if there is something to say. */
  void addTo(Table table, String version) {
    if (!isNone()) {
      table.row(version, kept ? "kept" : "-", text(label), text(note));
    }
  }

  private static String text(@Nullable String text) {
    return text == null ? "-" : Printable.oneLine(text);
  }
}
