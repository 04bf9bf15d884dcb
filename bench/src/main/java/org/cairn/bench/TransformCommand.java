// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.SizeConverter;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.transform.TransformPath;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn bench transform}. */
@Command(
    name = "transform",
    description = {
      "Measures how fast typed bytes are made easier to compress, and brought back, by one thread,",
      "against a copy of the same bytes in cache."
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench transform                          pieces of 256 KiB",
      "  cairn bench transform --size 4MiB --rounds 51 --json"
    })
final class TransformCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "256KiB",
      description = "Size of a piece (default: ${DEFAULT-VALUE}).")
  private long size = 256L << 10;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      defaultValue = "60",
      description = "Rounds before those that count (default: ${DEFAULT-VALUE}).")
  private int warmup = 60;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "41",
      description = "How often each is measured (default: ${DEFAULT-VALUE}).")
  private int rounds = 41;

  @Mixin private JsonOption json = new JsonOption();

  TransformCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    try (TransformBandwidth bandwidth = new TransformBandwidth(size)) {
      print(bandwidth.run(TransformBandwidth.usual(), warmup, rounds));
    }
    return 0;
  }

  private void print(List<TransformBandwidth.Result> results) {
    String settings =
        "pieces of %s, %d repetitions; path: %s"
            .formatted(Quantities.bytes(size), rounds, TransformPath.current());
    if (json.requested()) {
      JsonOption.print(terminal, Map.of("settings", settings, "results", results));
      return;
    }
    terminal.out().println(settings);
    Table table = new Table("", "elements", ">GB/s", ">of copy", ">back", ">of copy");
    for (TransformBandwidth.Result result : results) {
      table.row(
          result.transform(),
          result.elements(),
          rate(result.forward()),
          share(result.forwardOfCopy()),
          rate(result.inverse()),
          share(result.inverseOfCopy()));
    }
    terminal.out().print(table);
  }

  private static String rate(double rate) {
    return String.format(Locale.ROOT, "%.2f", rate);
  }

  private static String share(double share) {
    return String.format(Locale.ROOT, "%.1f%%", 100 * share);
  }
}
