// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.cairn.bench.mesh.CallCost;
import org.cairn.bench.mesh.LoopSpeed;
import org.cairn.bench.mesh.PaperTable;
import org.cairn.bench.mesh.ProgramSpeed;
import org.cairn.bench.mesh.SavedSize;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn bench mesh}. */
@Command(
    name = "mesh",
    description = {
      "Measures what it costs to write a program as loops of a mesh, and to be saved by it:",
      "  loops     loops made of kernels against the same loops written by hand over arrays: woven"
          + " ones, and their twins, which call the kernel for each point; one thread, least"
          + " processor time of all rounds",
      "  programs  CloverLeaf 2D and a stencil of seven points against the same programs by hand,"
          + " one thread and two",
      "  calls     what a call of a loop costs, one that is replayed, and the search for a place",
      "  save      what a checkpoint writes against the least that has to be saved",
      "  table1    CloverLeaf 2D with checkpoints in all ways, as in Table 1 of the paper on OPS"
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench mesh                           everything, 256 x 256 and 1536 x 1536 cells",
      "  cairn bench mesh --parts loops --cells 512 --rounds 3 --json",
      "  cairn bench mesh --parts table1 --table-cells 480 --steps 40"
    })
final class MeshCommand implements Callable<Integer> {
  /** What is measured. */
  enum Part {
    loops,
    programs,
    calls,
    save,
    table1
  }

  private final Terminal terminal;

  @Option(
      names = "--parts",
      paramLabel = "PART",
      split = ",",
      defaultValue = "loops,programs,calls,save,table1",
      description = "What to measure: ${COMPLETION-CANDIDATES} (default: all).")
  private List<Part> parts = List.of();

  @Option(
      names = "--cells",
      paramLabel = "N,...",
      split = ",",
      defaultValue = "256,1536",
      description = "Cells along a side of the grids (default: ${DEFAULT-VALUE}).")
  private int[] cells = {256, 1536};

  @Option(
      names = "--cube-cells",
      paramLabel = "N,...",
      split = ",",
      defaultValue = "64,160",
      description = "Cells along a side of the cubes (default: ${DEFAULT-VALUE}).")
  private int[] cubeCells = {64, 160};

  @Option(
      names = "--table-cells",
      paramLabel = "N",
      defaultValue = "960",
      description = "Cells along a side of the grid of table1 (default: ${DEFAULT-VALUE}).")
  private int tableCells = 960;

  @Option(
      names = "--steps",
      paramLabel = "N",
      defaultValue = "87",
      description = "Steps of the runs of table1 (default: ${DEFAULT-VALUE}).")
  private long steps = 87;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "9",
      description = "How often loops and programs are measured (default: ${DEFAULT-VALUE}).")
  private int rounds = 9;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where to write; a folder in it is made and deleted (default: the temporary one).")
  private @Nullable Path directory;

  @Mixin private JsonOption json = new JsonOption();

  MeshCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    Map<String, Object> results = new LinkedHashMap<>();
    try (TargetsCommand.Scratch scratch = TargetsCommand.Scratch.in(directory)) {
      for (Part part : Part.values()) {
        if (parts.contains(part)) {
          measure(part, scratch.path(), results);
        }
      }
    }
    if (json.requested()) {
      JsonOption.print(terminal, results);
    }
    return 0;
  }

  private void measure(Part part, Path folder, Map<String, Object> results) throws IOException {
    switch (part) {
      case loops -> loops(results);
      case programs -> {
        List<ProgramSpeed.Result> programs = ProgramSpeed.measure(folder, cells, cubeCells, rounds);
        results.put("programs", programs);
        print(programTable(programs));
      }
      case calls -> {
        CallCost.Result calls = CallCost.measure(folder);
        results.put("calls", calls);
        print(callTable(calls));
      }
      case save -> {
        List<SavedSize.Result> saved = SavedSize.measure(folder, cells, cubeCells);
        results.put("save", saved);
        print(savedTable(saved));
      }
      case table1 -> {
        List<PaperTable.Row> rows = PaperTable.measure(folder, tableCells, steps);
        results.put("table1", rows);
        print(paperTable(rows));
      }
    }
  }

  private void print(Object text) {
    if (!json.requested()) {
      terminal.out().println(text);
      terminal.out().flush();
    }
  }

  // ---------------------------------------------------------------- loops

  private void loops(Map<String, Object> results) {
    List<LoopSpeed.Result> loops = LoopSpeed.measure(cells, rounds);
    double call = LoopSpeed.callNanos();
    results.put("loops", loops);
    results.put("callNanos", call);
    StringBuilder text = new StringBuilder().append(loopTable(loops));
    for (int side : cells) {
      text.append(mean(loops, side)).append('\n');
    }
    text.append(format("a call of a woven loop without points: %.0f ns%n", call));
    print(text);
  }

  private static Table loopTable(List<LoopSpeed.Result> results) {
    Table table = new Table("loop", ">cells", ">by hand, ns a point", ">woven", ">twin");
    for (LoopSpeed.Result result : results) {
      table.row(
          result.loop(),
          format("%d²", result.cells()),
          format("%.2f", result.byHand()),
          format("%.2f", result.woven()),
          format("%.2f", result.twin()));
    }
    return table;
  }

  private static String mean(List<LoopSpeed.Result> results, int side) {
    double[] woven =
        results.stream()
            .filter(result -> result.cells() == side)
            .mapToDouble(LoopSpeed.Result::woven)
            .toArray();
    double logarithms = Arrays.stream(woven).map(Math::log).sum();
    return format(
        "%d² cells: woven loops take %.3f times as long as those by hand, in the geometric mean",
        side, Math.exp(logarithms / woven.length));
  }

  // ---------------------------------------------------------------- other tables

  private static Table programTable(List<ProgramSpeed.Result> results) {
    Table table =
        new Table("program", ">cells", ">threads", ">by hand, ns a cell", ">mesh", ">bound", "");
    for (ProgramSpeed.Result result : results) {
      table.row(
          result.program(),
          result.cells(),
          format("%d", result.threads()),
          format("%.1f", result.byHand()),
          format("%.2f", result.mesh()),
          "≤ 1.15",
          verdict(result.mesh() <= 1.15));
    }
    return table;
  }

  private static Table callTable(CallCost.Result calls) {
    return new Table("calls", ">measured", ">bound", "")
        .row(
            "a call of a loop of one point",
            format("%.0f ns", calls.callNanos()),
            "≤ 150 ns",
            verdict(calls.callNanos() <= 150))
        .row(
            format("replay of %,d loops, loops a second", calls.replayed()),
            format("%.1f million", calls.replayedPerSecond() * 1e-6),
            "≥ 10 million",
            verdict(calls.replayedPerSecond() >= 1e7))
        .row(
            "search for the best place, part of CloverLeaf 256², 200 steps",
            format("%.2f %%", calls.shortPercent()),
            "≤ 1 %",
            verdict(calls.shortPercent() <= 1))
        .row(
            "search for the best place, part of CloverLeaf 960², 87 steps",
            format("%.2f %%", calls.analysisPercent()),
            "≤ 1 %",
            verdict(calls.analysisPercent() <= 1));
  }

  private static Table savedTable(List<SavedSize.Result> results) {
    Table table =
        new Table(
            "program",
            ">cells",
            ">fields, MB",
            ">least, MB",
            ">saved, MB",
            ">ratio",
            ">bound",
            "",
            ">written, MB");
    for (SavedSize.Result result : results) {
      table.row(
          result.program(),
          result.cells(),
          megabytes(result.fields()),
          megabytes(result.least()),
          megabytes(result.saved()),
          format("%.3f", result.ratio()),
          "≤ 1.05",
          verdict(result.ratio() <= 1.05),
          megabytes(result.written()));
    }
    return table;
  }

  private static Table paperTable(List<PaperTable.Row> rows) {
    Table table =
        new Table(
            "CloverLeaf 2D",
            ">ranks",
            ">time, s",
            ">checkpointing, s",
            ">restore, s",
            ">size, MB",
            ">differential, MB",
            ">checkpoints",
            "bits");
    for (PaperTable.Row row : rows) {
      boolean saves = row.checkpoints() > 0;
      table.row(
          row.name(),
          format("%d", row.ranks()),
          format("%.2f", row.seconds()),
          saves ? format("%.3f", row.waited()) : "-",
          saves ? format("%.3f", row.restored()) : "-",
          saves ? megabytes(row.bytes()) : "-",
          row.checkpoints() > 1 ? megabytes(row.differential()) : "-",
          format("%d", row.checkpoints()),
          row.isSame() ? "same" : "DIFFERENT");
    }
    return table;
  }

  private static String verdict(boolean passed) {
    return passed ? "PASS" : "MISS";
  }

  private static String megabytes(long bytes) {
    return format("%.2f", bytes * 1e-6);
  }

  @SuppressWarnings("AnnotateFormatMethod") // for Error Prone, whose annotations are not here
  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
