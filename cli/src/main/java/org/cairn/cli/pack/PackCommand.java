// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.cairn.Compression;
import org.cairn.Label;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.frame.Choice;
import org.cairn.pack.PackDirectoryWriter;
import org.cairn.pack.PackReport;
import org.cairn.pack.PackSettings;
import org.cairn.pack.Packer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
      "  cairn pack ckpt_*.h5 --to PACKS --keep 3      the next version of a directory of packs",
      "  cairn pack --watch RUN --match 'chk(?<set>\\d+)/r(?<rank>\\d+)\\.h5' --ranks 32 --to PACKS --keep 3",
      "                                                sets of files as a program writes them",
      "  cairn pack --compression fast *.nc -o p       little work",
      "  cairn ls step100.cairnpack                    what is in it",
      "  cairn unpack step100.cairnpack -C folder      all of it back",
      "",
      "Exit codes: 0 packed, 1 nothing was packed, 2 wrong usage."
    })
public final class PackCommand implements Callable<Integer> {
  private static final int SHOWN = 5;

  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "PACK",
      description = "The pack, a new file. It appears when all of it is durable.")
  private @Nullable Path target;

  @Option(
      names = "--to",
      paramLabel = "PACKS",
      description =
          "A directory of packs, made if new, in place of -o: the files become its next version,"
              + " and what the version before has is not stored again.")
  private @Nullable Path directory;

  @Option(
      names = "--keep",
      paramLabel = "N",
      description = "With --to: how many versions stay; all unless given.")
  private @Nullable Integer keep;

  @Option(
      names = "--label",
      paramLabel = "TEXT",
      description = "With --to: what the version is called, for ls.")
  private @Nullable String label;

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

  @Mixin private final WatchOptions watch = new WatchOptions();

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
      long sharedBytes,
      double seconds,
      List<String> notes) {}

  @Override
  public Integer call() throws IOException {
    PackSettings settings = options.settings().with(effort());
    if (watch.isAsked()) {
      if (directory == null || target != null || label != null || options.hasFiles()) {
        throw new ParameterException(
            spec.commandLine(), "--watch wants --to, and no files, -o or --label");
      }
      requireKeep();
      return watch.run(terminal, spec, settings, directory, kept(), json.requested());
    }
    watch.requireNone(spec);
    requireTarget();
    List<Packer.Input> inputs = options.inputs(directory);
    long total = 0;
    for (Packer.Input input : inputs) {
      total += Files.size(input.path());
    }
    long start = System.nanoTime();
    PackReport report;
    try (ProgressBar bar = terminal.bar("pack", total, Quantities::bytes);
        Packer packer = new Packer(settings, bar::reach)) {
      report = pack(packer, inputs);
    }
    print(report, Duration.ofNanos(System.nanoTime() - start));
    return 0;
  }

  private void requireTarget() {
    if ((target == null) == (directory == null)) {
      throw new ParameterException(spec.commandLine(), "say where to: either -o or --to");
    }
    if (directory == null && (keep != null || label != null)) {
      throw new ParameterException(spec.commandLine(), "--keep and --label are for --to");
    }
    requireKeep();
  }

  private void requireKeep() {
    if (keep != null && keep < 1) {
      throw new ParameterException(spec.commandLine(), "--keep wants at least 1, not " + keep);
    }
  }

  private int kept() {
    return keep == null ? Integer.MAX_VALUE : keep;
  }

  private PackReport pack(Packer packer, List<Packer.Input> inputs) throws IOException {
    if (target != null) {
      return packer.pack(inputs, target);
    }
    Path to = Objects.requireNonNull(directory);
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(to, kept())) {
      PackReport report = packer.pack(inputs, writer, label());
      writer.obstacle().ifPresent(why -> terminal.remark(Printable.oneLine(why)));
      return report;
    }
  }

  private Label label() {
    try {
      return label == null ? Label.none() : Label.of(label);
    } catch (IllegalArgumentException e) {
      throw CommandFailedException.ambiguous("--label: " + e.getMessage());
    }
  }

  /** What was made: a file, or a version of a directory. */
  private String made(PackReport report) {
    return report
        .version()
        .map(version -> "%s@%s".formatted(directory, version.id()))
        .orElseGet(() -> String.valueOf(target));
  }

  private Compression effort() {
    if (level != null && spec.commandLine().getParseResult().hasMatchedOption("--compression")) {
      throw new ParameterException(
          spec.commandLine(), "--level is in place of --compression: leave one of them out");
    }
    try {
      return level == null ? Compression.parse(compression) : Compression.small(level);
    } catch (IllegalArgumentException e) {
      throw CommandFailedException.ambiguous(String.valueOf(e.getMessage()));
    }
  }

  private void print(PackReport report, Duration time) {
    List<String> notes = new ArrayList<>(options.leftOut());
    for (PackReport.FileNote one : report.notes()) {
      notes.add(
          "%s, offset %d: %s"
              .formatted(one.file().readable(), one.note().offset(), one.note().text()));
    }
    if (json.requested()) {
      JsonOption.print(
          terminal,
          new Report(
              made(report),
              report.files(),
              report.bytes(),
              report.stored(),
              report.ratio(),
              report.frames(),
              report.shared(),
              time.toNanos() * 1e-9,
              notes));
      return;
    }
    notes.stream().limit(SHOWN).forEach(note -> terminal.remark(Printable.oneLine(note)));
    if (notes.size() > SHOWN) {
      terminal.remark("and %d notes more; --json has all".formatted(notes.size() - SHOWN));
    }
    if (explain) {
      terminal.print(choices(report.choices()));
    }
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "%s: %s, %s in %s, %s, in %s%s%n",
            Printable.oneLine(made(report)),
            Packs.files(report.files()),
            Quantities.bytes(report.bytes()),
            Quantities.bytes(report.stored()),
            Packs.smaller(report.bytes(), report.stored()),
            Quantities.duration(time),
            report.shared() == 0
                ? ""
                : "; %s were stored already".formatted(Quantities.bytes(report.shared())));
  }

  /** What was chosen for each class, and tried: the smallest, or the soonest stored. */
  static Table choices(List<Choice> choices) {
    Table table = new Table("class", "chosen", "tried");
    choices.stream()
        .sorted(Comparator.comparing(Choice::key))
        .forEach(
            choice ->
                table.row(
                    Printable.oneLine(choice.key()),
                    choice
                        .taken()
                        .map(taken -> taken.recipe() + ", level " + taken.level())
                        .orElse("-"),
                    String.join(
                        "; ", choice.tried().stream().map(Choice.Estimate::toString).toList())));
    return table;
  }
}
