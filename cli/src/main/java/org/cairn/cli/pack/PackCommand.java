// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.cairn.Compression;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.frame.Choice;
import org.cairn.pack.PackReport;
import org.cairn.pack.PackSettings;
import org.cairn.pack.Packer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn pack}. */
@Command(
    name = "pack",
    description = {
      "Packs files of any program into one small file, from which each comes back byte for byte.",
      "",
      "HDF5, netCDF, AMReX FAB and .npy files are understood: their variables are put side by side"
          + " with those of the same name and type in other files, and each is changed, reversibly,"
          + " to what compresses best. Other files are packed, too.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn pack ckpt_*.h5 -o step100.cairnpack     checkpoints of many ranks",
      "  cairn pack -r chk00100 -o chk00100.cairnpack  a folder, with all below it",
      "  cairn pack *.h5 --map 'it=\\d+=it=#' -o p      variables that differ in a number are alike",
      "  cairn pack --compression fast *.nc -o p       little work",
      "  cairn ls step100.cairnpack                    what is in it",
      "  cairn unpack step100.cairnpack -C folder      all of it back",
      "",
      "Exit codes: 0 packed, 1 nothing was packed, 2 wrong usage."
    })
public final class PackCommand implements Callable<Integer> {
  private static final int SHOWN = 5;

  private final Terminal terminal;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "PACK",
      required = true,
      description = "The pack, a new file. It appears when all of it is durable.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path target;

  @Option(
      names = "--compression",
      paramLabel = "EFFORT",
      defaultValue = "small",
      description =
          "none, fast, small or auto (the least time for compressing and storing, see"
              + " --bandwidth); ${DEFAULT-VALUE} unless given.")
  private String compression = "small";

  @Option(
      names = "--level",
      paramLabel = "N",
      description = "As small as Zstandard's level 1 to 19 makes it, in place of --compression.")
  private @Nullable Integer level;

  @Option(names = "--explain", description = "Show what was chosen for each class, and why.")
  private boolean explain;

  @Mixin private final PackOptions options = new PackOptions();

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public PackCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** What was done, for machines. */
  record Report(
      String pack,
      int files,
      long bytes,
      long packedBytes,
      double ratio,
      int frames,
      double seconds,
      List<String> notes) {}

  @Override
  public Integer call() throws IOException {
    PackSettings settings = options.settings().with(effort());
    List<Packer.Input> inputs = options.inputs();
    long total = 0;
    for (Packer.Input input : inputs) {
      total += Files.size(input.path());
    }
    long start = System.nanoTime();
    PackReport report;
    try (ProgressBar bar = terminal.bar("pack", total, Quantities::bytes);
        Packer packer = new Packer(settings, bar::reach)) {
      report = packer.pack(inputs, target);
    }
    print(report, Duration.ofNanos(System.nanoTime() - start));
    return 0;
  }

  private Compression effort() {
    try {
      return level == null ? Compression.parse(compression) : Compression.small(level);
    } catch (IllegalArgumentException e) {
      throw CommandFailedException.ambiguous(String.valueOf(e.getMessage()));
    }
  }

  private void print(PackReport report, Duration time) {
    List<String> notes =
        report.notes().stream()
            .map(
                one ->
                    "%s, offset %d: %s"
                        .formatted(one.file(), one.note().offset(), one.note().text()))
            .toList();
    if (json.requested()) {
      JsonOption.print(
          terminal,
          new Report(
              target.toString(),
              report.files(),
              report.bytes(),
              report.stored(),
              report.ratio(),
              report.frames(),
              time.toNanos() * 1e-9,
              notes));
      return;
    }
    notes.stream().limit(SHOWN).forEach(note -> terminal.remark(Printable.oneLine(note)));
    if (notes.size() > SHOWN) {
      terminal.remark("and %d notes more; --json has all".formatted(notes.size() - SHOWN));
    }
    if (explain) {
      terminal.out().print(choices(report.choices()));
    }
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "%s: %s, %s in %s, %.2f times smaller, in %s%n",
            Printable.oneLine(target.toString()),
            Packs.files(report.files()),
            Quantities.bytes(report.bytes()),
            Quantities.bytes(report.stored()),
            report.ratio(),
            Quantities.duration(time));
  }

  /** What was tried for each class. */
  static Table choices(List<Choice> choices) {
    Table table = new Table("class", "tried");
    choices.stream()
        .sorted(Comparator.comparing(Choice::key))
        .forEach(
            choice ->
                table.row(
                    Printable.oneLine(choice.key()),
                    String.join(
                        "; ", choice.tried().stream().map(Choice.Estimate::toString).toList())));
    return table;
  }
}
