// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.answer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.chart.Chart;
import org.cairn.plan.chart.ChartWriter;
import org.cairn.plan.chart.Page;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** In which forms an answer is wanted. */
final class OutputOptions {
  @Mixin private final JsonOption json = new JsonOption();

  @Option(
      names = "--csv",
      description =
          "Print every table as CSV; where there are several, each below a line with # and its name.")
  private boolean csv;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      description = "With --csv: print this table only, without its name.")
  private @Nullable String table;

  @Option(names = "--svg", paramLabel = "FILE", description = "Draw the picture as SVG.")
  private @Nullable Path svg;

  @Option(names = "--png", paramLabel = "FILE", description = "Draw the picture as PNG.")
  private @Nullable Path png;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write the answer with all its pictures and tables as one page.")
  private @Nullable Path html;

  @Option(
      names = "--plot",
      paramLabel = "NAME",
      description = "Which picture to draw; see the end of this help. The first unless given.")
  private @Nullable String plot;

  private boolean wantsPictures() {
    return svg != null || png != null || html != null;
  }

  /** Refuses what excludes each other, before long work is done for nothing. */
  void check() {
    if (json.requested() && csv) {
      throw new IllegalArgumentException("--json and --csv exclude each other; choose one");
    }
    if (table != null && !csv) {
      throw new IllegalArgumentException("--table chooses what --csv prints; add --csv");
    }
  }

  void write(Terminal terminal, Answer answer, String command) throws IOException {
    if (plot != null && !answer.charts().containsKey(plot)) {
      throw new IllegalArgumentException(
          "there is no picture '"
              + plot
              + "' here; there are "
              + String.join(", ", answer.charts().keySet()));
    }
    draw(terminal, answer, command);
    if (json.requested()) {
      JsonOption.print(terminal, toJson(answer, command));
    } else if (csv) {
      printCsv(
          terminal,
          answer.sheets().stream()
              .filter(sheet -> sheet.isForMachines() && !sheet.isEmpty())
              .toList());
    } else {
      print(terminal, answer);
    }
    terminal.out().flush();
  }

  private void draw(Terminal terminal, Answer answer, String command) throws IOException {
    if (!wantsPictures()) {
      return;
    }
    if (answer.charts().isEmpty()) {
      throw new IllegalArgumentException(
          "this question has no picture; leave out --svg, --png and --html");
    }
    if (svg != null || png != null) {
      Map<String, Supplier<Chart>> charts = answer.charts();
      String name = plot == null ? charts.keySet().iterator().next() : plot;
      Chart chart = Objects.requireNonNull(charts.get(name), name).get();
      if (svg != null) {
        ChartWriter.svg(chart, svg);
        terminal.remark("wrote " + svg);
      }
      if (png != null) {
        ChartWriter.png(chart, png);
        terminal.remark("wrote " + png);
      }
    }
    if (html != null) {
      ChartWriter.html(page(answer, command), html);
      terminal.remark("wrote " + html);
    }
  }

  private static Page page(Answer answer, String command) {
    List<Chart> charts = answer.charts().values().stream().map(Supplier::get).toList();
    List<String> paragraphs = new ArrayList<>(answer.sentences());
    paragraphs.addAll(answer.notes());
    List<Page.Table> tables =
        answer.sheets().stream()
            .filter(Sheet::isForPeople)
            .map(sheet -> new Page.Table(sheet.title(), sheet.head(), sheet.texts()))
            .toList();
    return new Page(answer.question(), String.join("\n\n", paragraphs), charts, tables, command);
  }

  private static Map<String, Object> toJson(Answer answer, String command) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("question", answer.question());
    json.put("command", command);
    json.put("answer", answer.sentences());
    json.put("given", answer.parameters());
    answer.sheets().stream()
        .filter(Sheet::isForMachines)
        .forEach(sheet -> json.put(sheet.key(), sheet.toJson()));
    json.put("notes", answer.notes());
    return json;
  }

  private void printCsv(Terminal terminal, List<Sheet> sheets) {
    if (table != null) {
      Sheet wanted =
          sheets.stream()
              .filter(sheet -> sheet.key().equals(table))
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "there is no table '"
                              + table
                              + "' here; there are "
                              + String.join(", ", sheets.stream().map(Sheet::key).toList())));
      terminal.out().print(wanted.toCsv());
      return;
    }
    for (int i = 0; i < sheets.size(); i++) {
      if (sheets.size() > 1) {
        terminal.out().print((i == 0 ? "" : "\n") + "# " + sheets.get(i).key() + "\n");
      }
      terminal.out().print(sheets.get(i).toCsv());
    }
  }

  private static void print(Terminal terminal, Answer answer) {
    terminal.say(String.join(" ", answer.sentences()));
    for (Sheet sheet : answer.sheets()) {
      if (!sheet.isForPeople()) {
        continue;
      }
      terminal.out().println();
      terminal.say(sheet.title());
      terminal.print(sheet.toTable());
    }
    if (!answer.notes().isEmpty()) {
      terminal.out().println();
      answer.notes().forEach(terminal::say);
    }
  }
}
