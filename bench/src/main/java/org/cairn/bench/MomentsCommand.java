// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.SizeConverter;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn bench moments}. */
@Command(
    name = "moments",
    description = {
      "Measures the moments that users feel: opening, restart and first checkpoint of processes",
      "that have just begun, as plain java -cp; large changes after small ones; and, if told, what",
      "remains beside hashing and writing, waiting, parity and memory.",
      "Ratios of medians of measurements in turn, with intervals of 95 %%. What was measured while",
      "others had more than 0.2 cores is void."
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench moments --quick                  64 MiB, five rounds",
      "  cairn bench moments --dir /scratch           512 MiB, nine rounds",
      "  cairn bench moments --parts fixed,asynchronous",
      "",
      "Exit codes: 0 all bounds kept, 1 a bound missed or a line void."
    })
final class MomentsCommand implements Callable<Integer> {
  private static final long MIB = 1 << 20;

  private final Terminal terminal;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "Size of the protected state (default: 512MiB, with --quick 64MiB).")
  private @Nullable Long size;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where to write; a folder in it is made and deleted (default: the temporary one).")
  private @Nullable Path directory;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Measurements of each (default: 9, with --quick 5).")
  private @Nullable Integer rounds;

  @Option(
      names = "--parts",
      paramLabel = "PART",
      split = ",",
      defaultValue = "cold,changes",
      description = "What to measure: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private List<Moments.Part> parts = List.of();

  @Option(names = "--quick", description = "A smaller state and fewer rounds.")
  private boolean quick;

  @Mixin private JsonOption json = new JsonOption();

  MomentsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    long bytes = size != null ? size : (quick ? 64 : 512) * MIB;
    int times = rounds != null ? rounds : quick ? 5 : 9;
    try (TargetsCommand.Scratch scratch = TargetsCommand.Scratch.in(directory)) {
      List<Moment> moments = new Moments(scratch.path(), bytes, times, terminal).measure(parts);
      print(bytes, times, moments);
      return moments.stream().allMatch(Moment::passed) ? 0 : 1;
    }
  }

  private void print(long bytes, int times, List<Moment> moments) {
    if (json.requested()) {
      JsonOption.print(terminal, Map.of("bytes", bytes, "rounds", times, "moments", moments));
      return;
    }
    terminal
        .out()
        .print(Moments.table(moments, Quantities.bytes(bytes) + ", " + times + " rounds"));
    terminal.out().println(Moments.LEGEND);
    terminal.out().flush();
  }
}
