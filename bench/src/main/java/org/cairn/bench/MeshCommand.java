// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.cairn.bench.mesh.LoopSpeed;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn bench mesh}. */
@Command(
    name = "mesh",
    description = {
      "Measures loops over grids that are made of kernels against the same loops written by hand"
          + " over arrays: woven ones, and their twins, which call the kernel for each point.",
      "Loops of a gas on a square grid; one thread, least processor time of all rounds."
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench mesh                           256 x 256 and 1536 x 1536 cells, two minutes",
      "  cairn bench mesh --cells 512 --rounds 3 --json"
    })
final class MeshCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Option(
      names = "--cells",
      paramLabel = "N,...",
      split = ",",
      defaultValue = "256,1536",
      description = "Cells along a side of the grids (default: ${DEFAULT-VALUE}).")
  private int[] cells = {256, 1536};

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "9",
      description = "How often each is measured (default: ${DEFAULT-VALUE}).")
  private int rounds = 9;

  @Mixin private JsonOption json = new JsonOption();

  MeshCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    List<LoopSpeed.Result> results = LoopSpeed.measure(cells, rounds);
    double call = LoopSpeed.callNanos();
    if (json.requested()) {
      JsonOption.print(terminal, Map.of("loops", results, "callNanos", call));
      return 0;
    }
    terminal.out().print(table(results));
    for (int side : cells) {
      terminal.out().println(mean(results, side));
    }
    terminal
        .out()
        .println(
            String.format(Locale.ROOT, "a call of a woven loop without points: %.0f ns", call));
    return 0;
  }

  private static Table table(List<LoopSpeed.Result> results) {
    Table table = new Table("loop", ">cells", ">by hand, ns a point", ">woven", ">twin");
    for (LoopSpeed.Result result : results) {
      table.row(
          result.loop(),
          String.format(Locale.ROOT, "%d²", result.cells()),
          String.format(Locale.ROOT, "%.2f", result.byHand()),
          String.format(Locale.ROOT, "%.2f", result.woven()),
          String.format(Locale.ROOT, "%.2f", result.twin()));
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
    return String.format(
        Locale.ROOT,
        "%d² cells: woven loops take %.3f times as long as those by hand, in the geometric mean",
        side,
        Math.exp(logarithms / woven.length));
  }
}
