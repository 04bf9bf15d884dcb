// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.answer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.cairn.plan.chart.Chart;

/** What a question is answered with: words first, then tables; pictures if somebody wants them. */
public final class Answer {
  private final String question;
  private final List<String> sentences = new ArrayList<>();
  private final Map<String, Object> parameters = new LinkedHashMap<>();
  private final List<Sheet> sheets = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final Map<String, Supplier<Chart>> charts = new LinkedHashMap<>();

  /** An answer to a question, as the title of its page has it. */
  public Answer(String question) {
    this.question = question;
  }

  /** The next sentence of the answer in plain language. */
  public Answer say(String sentence) {
    sentences.add(sentence);
    return this;
  }

  /** What was asked for, for machines. */
  public Answer given(String name, Object value) {
    parameters.put(name, value);
    return this;
  }

  /** A table. */
  public Answer sheet(Sheet sheet) {
    sheets.add(sheet);
    return this;
  }

  /** Which model was used, and what it leaves out. */
  public Answer note(String note) {
    notes.add(note);
    return this;
  }

  /** A picture, made only if wanted; the first one is what {@code --png} and {@code --svg} draw. */
  public Answer chart(String name, Supplier<Chart> chart) {
    charts.put(name, chart);
    return this;
  }

  String question() {
    return question;
  }

  List<String> sentences() {
    return sentences;
  }

  Map<String, Object> parameters() {
    return parameters;
  }

  List<Sheet> sheets() {
    return sheets;
  }

  List<String> notes() {
    return notes;
  }

  Map<String, Supplier<Chart>> charts() {
    return charts;
  }
}
