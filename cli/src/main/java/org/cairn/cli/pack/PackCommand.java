// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import org.cairn.Compression;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.frame.Choice;
import org.cairn.frame.FrameOrder;
import org.cairn.pack.PackName;
import org.cairn.pack.PackReport;
import org.cairn.pack.PackSettings;
import org.cairn.pack.Packer;
import org.cairn.pack.locate.Locators;
import org.cairn.pack.locate.PieceNames;
import org.cairn.pack.locate.Tiling;
import org.cairn.pack.raw.Description;
import org.cairn.pack.raw.RawLocator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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

  @Parameters(paramLabel = "FILE", arity = "1..*", description = "Files; with -r folders, too.")
  private List<Path> paths = List.of();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "PACK",
      required = true,
      description = "The pack, a new file. It appears when all of it is durable.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path target;

  @Option(
      names = {"-r", "--recursive"},
      description = "Pack folders with all files below them; links are left out.")
  private boolean recursive;

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

  @Option(
      names = "--bandwidth",
      paramLabel = "MB/S",
      defaultValue = "500",
      description = "How fast the pack's storage is, for auto; ${DEFAULT-VALUE} unless given.")
  private double bandwidth = 500;

  @Option(
      names = "--order",
      paramLabel = "ORDER",
      defaultValue = "aware",
      description =
          "How data of files follow each other: agnostic, agnostic-block, aware or aware-block"
              + " (aware: variables of one class side by side); ${DEFAULT-VALUE} unless given.")
  private String order = "aware";

  @Option(
      names = "--map",
      paramLabel = "REGEX=TEXT",
      description =
          "Variables whose names are equal once this is replaced are of one class; may be given"
              + " several times. Its middle = divides it, as in 'it=\\d+=it=#'.")
  private List<String> maps = List.of();

  @Option(
      names = "--describe",
      paramLabel = "TOML",
      description = "What is in plain binary files; see docs/pack.md.")
  private @Nullable Path description;

  @Option(
      names = "--strict",
      description = "Refuse files whose metadata contradicts itself, in place of a note.")
  private boolean strict;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "How many compress; as many as there are cores unless given.")
  private @Nullable Integer threads;

  @Option(names = "--explain", description = "Show what was chosen for each class, and why.")
  private boolean explain;

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
    PackSettings settings = settings();
    List<Packer.Input> inputs = inputs();
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

  private PackSettings settings() throws IOException {
    PackSettings usual = PackSettings.usual();
    try {
      Locators locators = usual.locators();
      if (description != null) {
        locators = locators.after(new RawLocator(Description.read(description)));
      }
      PackSettings chosen =
          usual
              .with(level == null ? Compression.parse(compression) : Compression.small(level))
              .with(FrameOrder.parse(order), usual.sizes())
              .with(PieceNames.USUAL.with(rules()))
              .with(new Tiling.Rules(Tiling.THRESHOLD, strict), locators)
              .bandwidth(bandwidth * 1e6);
      return threads == null ? chosen : chosen.threads(threads);
    } catch (IllegalArgumentException e) {
      throw CommandFailedException.ambiguous(String.valueOf(e.getMessage()));
    }
  }

  private List<PieceNames.Rule> rules() {
    List<PieceNames.Rule> rules = new ArrayList<>();
    for (String map : maps) {
      int divide = map.indexOf('=');
      // A pattern has = itself, as it=\d+: the text is as long as what is before its own =.
      int middle = middle(map, divide);
      if (divide < 0 || middle < 0) {
        throw CommandFailedException.ambiguous("--map wants REGEX=TEXT, not " + map);
      }
      try {
        rules.add(new PieceNames.Rule(map.substring(0, middle), map.substring(middle + 1)));
      } catch (PatternSyntaxException e) {
        throw CommandFailedException.ambiguous("--map " + map + ": " + e.getDescription());
      }
    }
    return rules;
  }

  /** With an odd number of = the middle one divides; with an even number none does. */
  private static int middle(String map, int first) {
    if (first < 0) {
      return -1;
    }
    List<Integer> all = new ArrayList<>();
    for (int at = first; at >= 0; at = map.indexOf('=', at + 1)) {
      all.add(at);
    }
    return all.size() % 2 == 1 ? all.get(all.size() / 2) : -1;
  }

  // ---------------------------------------------------------------- files

  private List<Packer.Input> inputs() throws IOException {
    List<Packer.Input> inputs = new ArrayList<>();
    for (Path path : paths) {
      Path base = baseOf(path);
      if (!Files.isDirectory(path)) {
        inputs.add(new Packer.Input(path, PackName.of(base, path)));
      } else if (recursive) {
        addAll(path, base, inputs);
      } else {
        throw new CommandFailedException(path + " is a folder; -r packs folders");
      }
    }
    return inputs;
  }

  /** What is below the current folder keeps its path, other things their own names. */
  private static Path baseOf(Path path) {
    Path here = Path.of("").toAbsolutePath().normalize();
    Path whole = path.toAbsolutePath().normalize();
    if (whole.startsWith(here) && !whole.equals(here)) {
      return here;
    }
    return Objects.requireNonNullElse(whole.getParent(), whole);
  }

  private static void addAll(Path folder, Path base, List<Packer.Input> inputs) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : (Iterable<Path>) files.sorted(Comparator.naturalOrder())::iterator) {
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
          inputs.add(new Packer.Input(file, PackName.of(base, file)));
        }
      }
    }
  }

  // ---------------------------------------------------------------- what was done

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
            "%s: %s files, %s in %s, %.2f times smaller, in %s%n",
            Printable.oneLine(target.toString()),
            Quantities.count(report.files()),
            Quantities.bytes(report.bytes()),
            Quantities.bytes(report.stored()),
            report.ratio(),
            Quantities.duration(time));
  }

  private static Table choices(List<Choice> choices) {
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
