// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows → Row (LineEnd Row)*. Row → Field (',' Field)*. Field → plain text, or quoted text, in which
 * commas and line ends are ordinary and a quote is written twice. LineEnd → CR LF, LF or CR.
 *
 * <p>Rows without any text in them, such as spreadsheets leave at the end, are left out.
 */
final class Csv {
  /**
   * A row.
   *
   * @param line where it begins, counted from 1
   * @param fields without blanks around them
   */
  record Row(int line, List<String> fields) {}

  private final Object source;
  private final String text;
  private final List<Row> rows = new ArrayList<>();
  private int at;
  private int line = 1;

  private Csv(Object source, String text) {
    this.source = source;
    this.text = text;
  }

  /**
   * All rows.
   *
   * @param source how to call it where something is wrong
   */
  static List<Row> rows(Object source, String text) {
    Csv csv = new Csv(source, text);
    while (csv.at < text.length()) {
      csv.readRow();
    }
    return csv.rows;
  }

  private void readRow() {
    int first = line;
    List<String> fields = new ArrayList<>();
    fields.add(readField());
    while (at < text.length() && text.charAt(at) == ',') {
      at++;
      fields.add(readField());
    }
    if (at < text.length()) {
      readLineEnd();
    }
    if (fields.stream().anyMatch(field -> !field.isEmpty())) {
      rows.add(new Row(first, fields));
    }
  }

  private String readField() {
    skipBlanks();
    StringBuilder field = new StringBuilder();
    if (at < text.length() && text.charAt(at) == '"') {
      readQuoted(field);
    }
    int from = at;
    while (at < text.length() && ",\r\n".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    return field.append(text, from, at).toString().strip();
  }

  private void skipBlanks() {
    while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
      at++;
    }
  }

  private void readQuoted(StringBuilder field) {
    int first = line;
    at++;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '"') {
        at++;
        if (at == text.length() || text.charAt(at) != '"') {
          return;
        }
      } else if (isLineEnd(c)) {
        line++;
      }
      field.append(c);
      at++;
    }
    throw new IllegalArgumentException(
        source + ", line " + first + ": a quoted field begins here and does not end");
  }

  private void readLineEnd() {
    if (text.startsWith("\r\n", at)) {
      at++;
    }
    at++;
    line++;
  }

  /** Whether a line ends with this character, which in CR LF is the second. */
  private boolean isLineEnd(char c) {
    return c == '\n' || (c == '\r' && !text.startsWith("\r\n", at));
  }
}
