// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.SizeConverter;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.erasure.ErasurePath;
import org.cairn.erasure.ReedSolomon;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn bench erasure}. */
@Command(
    name = "erasure",
    description = {
      "Measures how fast Reed-Solomon codes are computed, against a copy of the data and ISA-L.",
      "Decoding recomputes as many data units as the code can lose. Rates are bytes of data."
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench erasure                            3+1, 4+2 and 6+2, on one and two threads",
      "  cairn bench erasure --codes 8+3 --threads 2 --json"
    })
final class ErasureCommand implements Callable<Integer> {

  private final Terminal terminal;

  @Option(
      names = "--codes",
      paramLabel = "K+M",
      split = ",",
      defaultValue = "3+1,4+2,6+2",
      description = "Data and parity units (default: ${DEFAULT-VALUE}).")
  private List<String> codes = List.of();

  @Option(
      names = "--threads",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,2",
      description = "Numbers of threads to measure with (default: ${DEFAULT-VALUE}).")
  private List<Integer> threads = List.of();

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "192MiB",
      description = "Size of the data units together (default: ${DEFAULT-VALUE}).")
  private long size = 192L << 20;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "15",
      description = "How often each is measured (default: ${DEFAULT-VALUE}).")
  private int rounds = 15;

  @Mixin private JsonOption json = new JsonOption();

  ErasureCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    Optional<IsaL> isaL = IsaL.load();
    List<ErasureBandwidth.Result> results = new ArrayList<>();
    for (String code : codes) {
      for (int count : threads) {
        try (ErasureBandwidth bandwidth = new ErasureBandwidth(parse(code), count, size)) {
          results.addAll(bandwidth.run(rounds, isaL));
        }
      }
    }
    print(results, isaL.isPresent());
    return 0;
  }

  private static ReedSolomon parse(String code) {
    int[] units = Arrays.stream(code.split("\\+", -1)).mapToInt(Integer::parseInt).toArray();
    if (units.length != 2) {
      throw new IllegalArgumentException("A code like 4+2 is expected, not " + code);
    }
    return new ReedSolomon(units[0], units[1]);
  }

  private void print(List<ErasureBandwidth.Result> results, boolean compared) {
    String settings =
        "%s of data, %d repetitions; path: %s"
            .formatted(Quantities.bytes(size), rounds, ErasurePath.current());
    if (json.requested()) {
      JsonOption.print(terminal, Map.of("settings", settings, "results", results));
      return;
    }
    terminal.out().println(settings);
    if (!compared) {
      terminal.out().println(IsaL.REMEDY);
    }
    Table table = new Table("code", ">threads", "", ">GB/s", ">best", ">of copy");
    for (ErasureBandwidth.Result result : results) {
      table.row(
          result.code(),
          String.valueOf(result.threads()),
          result.subject(),
          String.format(Locale.ROOT, "%.2f", result.median()),
          String.format(Locale.ROOT, "%.2f", result.best()),
          String.format(Locale.ROOT, "%.0f%%", 100 * result.ofCopy()));
    }
    terminal.out().print(table);
  }
}
