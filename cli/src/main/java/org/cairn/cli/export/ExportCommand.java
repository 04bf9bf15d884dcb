// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Checkpoints;
import org.cairn.SavedArray;
import org.cairn.SavedDataset;
import org.cairn.SavedVersion;
import org.cairn.VersionName;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.VersionConverter;
import org.cairn.cli.inspect.Opened;
import org.cairn.cli.inspect.StateOption;
import org.cairn.cli.pack.PackExport;
import org.cairn.cli.pack.Packs;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.pack.Pack;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cairn export}. */
@Command(
    name = "export",
    description = {
      "Writes datasets to files that other programs can read: one file each, every block verified.",
      "",
      "Of a job of many ranks: arrays that its ranks have together, each as one array. With --rank:"
          + " what one of them has.",
      "",
      "Files are named after datasets; characters that could mean something to a file system are"
          + " written as %% and two hexadecimal digits.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn export checkpoints --to out                  the newest version, as .npy files",
      "  cairn export checkpoints --dataset u --to out      one dataset",
      "  cairn export checkpoints --dataset u --file u.npy  the same, to a file of that name",
      "  cairn export job --dataset u --file u.npy          an array that is divided among ranks",
      "  cairn export job --dataset u --slice 0:100,:,5 --file cut.npy     some of it",
      "  cairn export job --rank 3 --to out                 one rank of a job of many",
      "  cairn export /scratch/s --rank 3 --to out          the same, of a shared directory alone",
      "  cairn export checkpoints --format raw --version 1.3 --to out",
      "  cairn export step100.cairnpack --member ckpt_3.h5 --dataset /rho --file rho.npy",
      "  python3 -c \"import numpy; print(numpy.load('out/u.npy', mmap_mode='r'))\""
    })
public final class ExportCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Parameters(
      paramLabel = "DIR",
      description =
          "A directory of checkpoints, a shared directory, a container file, a pack, or a directory"
              + " of packs.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path path;

  @Option(
      names = "--version",
      paramLabel = "V",
      converter = VersionConverter.class,
      description = "Export this version; the newest unless given.")
  private @Nullable VersionName version;

  @Option(
      names = "--dataset",
      paramLabel = "NAME",
      description =
          "Export this dataset; may be given several times. All unless given; of a pack, one.")
  private List<String> names = List.of();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "npy",
      description =
          "npy for NumPy (the default), or raw for the bare elements; both are little-endian. Of a"
              + " pack elements stay as they are, and raw has its bytes as they lie in the file.")
  private Format format = Format.NPY;

  @Option(
      names = "--to",
      paramLabel = "DIR",
      description = "Directory for the files; made if new. Not for packs: see --file.")
  private @Nullable Path directory;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "File for the one dataset that is exported, in place of --to.")
  private @Nullable Path file;

  @Option(
      names = "--member",
      paramLabel = "FILE",
      description = "Of a pack: the file whose variable is exported.")
  private @Nullable String member;

  @Option(
      names = "--describe",
      paramLabel = "TOML",
      description = "Of a pack: what is in plain binary files, as it was said to pack.")
  private @Nullable Path description;

  @Option(
      names = "--slice",
      paramLabel = "SLICE",
      description =
          "Of an array that ranks have together: these elements of each axis, as NumPy writes them:"
              + " 0:100,:,5. Only what is wanted is read.")
  private @Nullable String slice;

  @Option(names = "--force", description = "Replace files that exist.")
  private boolean force;

  @Mixin private final StateOption state = new StateOption();

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public ExportCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** What was written; printed as it is with {@code --json}. */
  record Report(String container, String version, List<Exported> files) {}

  record Exported(String dataset, String file, String type, List<Long> shape, long bytes) {}

  @Override
  public Integer call() throws IOException {
    requireTarget();
    if (Packs.isAny(path)) {
      return exportFromPack();
    }
    if (!Files.exists(path)) {
      throw new CommandFailedException(path + " does not exist");
    }
    if (member != null) {
      throw new ParameterException(spec.commandLine(), "--member is for packs");
    }
    try {
      if (Files.isDirectory(path) && state.rank() == null && exportArrays()) {
        return 0;
      }
      if (slice != null) {
        throw new ParameterException(
            spec.commandLine(), "--slice is for arrays that ranks have together, not with --rank");
      }
      exportState();
      return 0;
    } catch (CheckpointUnavailableException e) {
      throw new CommandFailedException(
          e.problems().isEmpty() ? String.valueOf(e.getMessage()) : e.problems().getFirst());
    }
  }

  /** What one rank has. */
  private void exportState() throws IOException {
    try (Opened opened = state.open(path, version);
        Checkpoints saved = Checkpoints.open(opened.file())) {
      VersionId wanted = version(opened);
      List<Exportable> all = chosen(saved.version(wanted)).stream().map(Exportable::of).toList();
      export(opened.location(), wanted, all);
    }
  }

  /** What all ranks have together; false if that is not what was asked for. */
  private boolean exportArrays() throws IOException {
    try (Checkpoints saved = Checkpoints.open(path)) {
      Optional<SavedVersion> meant = version(saved);
      if (meant.isEmpty()) {
        return false;
      }
      List<SavedArray> arrays = arrays(meant.get());
      if (arrays.isEmpty()) {
        return false;
      }
      Slice wanted = Slice.parse(slice == null ? ":" : slice);
      export(
          path.toString(),
          meant.get().id(),
          arrays.stream().map(wanted::of).map(Exportable::of).toList());
      return true;
    }
  }

  /** The version that is meant, if there is one of which every rank is here. */
  private Optional<SavedVersion> version(Checkpoints all) {
    String job = state.job();
    Checkpoints saved = job == null ? all : all.job(job);
    try {
      return Optional.of(version == null ? saved.newest() : saved.version(version.toString()));
    } catch (CheckpointUnavailableException e) {
      if (saved.versions().stream().anyMatch(one -> one.ranksHere().size() > 1)) {
        throw e;
      }
      return Optional.empty(); // the state of one rank, perhaps
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(String.valueOf(e.getMessage()));
    }
  }

  /** Those that were asked for; all, of a job of many ranks, if nothing was. */
  private List<SavedArray> arrays(SavedVersion saved) {
    if (names.isEmpty()) {
      return saved.ranks() > 1 ? saved.arrays() : List.of();
    }
    List<SavedArray> all = saved.arrays();
    List<SavedArray> wanted = all.stream().filter(array -> names.contains(array.name())).toList();
    boolean missing = wanted.size() < names.stream().distinct().count();
    if (missing && !all.isEmpty() && saved.ranks() > 1) {
      throw new CommandFailedException(
          "ranks of version %s have %s together; for a dataset of one rank say --rank"
              .formatted(
                  saved.id(),
                  String.join(
                      ", ", all.stream().map(array -> Printable.name(array.name())).toList())));
    }
    return missing ? List.of() : wanted;
  }

  private void export(String location, VersionId wanted, List<Exportable> all) throws IOException {
    List<Target> targets = all.stream().map(one -> new Target(one, fileFor(one))).toList();
    refuseToOverwrite(targets);
    long total = all.stream().mapToLong(Exportable::bytes).sum();
    List<Exported> exported = new ArrayList<>();
    try (ProgressBar bar = terminal.bar("export", total, Quantities::bytes)) {
      long before = 0;
      for (Target target : targets) {
        exported.add(export(target, bar, before));
        before += target.exportable.bytes();
      }
    }
    print(new Report(location, wanted.toString(), exported));
  }

  private int exportFromPack() throws IOException {
    if (member == null || file == null) {
      throw new ParameterException(
          spec.commandLine(), "of a pack: say --member, --dataset and --file");
    }
    refuseToOverwrite(file);
    try (Pack pack = Packs.open(path, version)) {
      boolean npy = format == Format.NPY;
      PackExport export = PackExport.of(pack, member, names.getFirst(), npy, description);
      export.requireSpace(file);
      String type = npy ? export.numpyType() : "raw";
      List<Long> shape = npy ? export.shape() : List.of(export.bytes());
      byte[] head = npy ? NpyHeader.of(type, shape) : new byte[0];
      try (ProgressBar bar = terminal.bar("export", export.bytes(), Quantities::bytes)) {
        DatasetFile.write(export::writeTo, head, file, force, bar::reach);
      }
      Exported exported =
          new Exported(names.getFirst(), file.toString(), type, shape, export.bytes());
      print(new Report(path.toString(), member, List.of(exported)));
      return 0;
    }
  }

  private void requireTarget() {
    if ((directory == null) == (file == null)) {
      throw new ParameterException(spec.commandLine(), "say where to: either --to or --file");
    }
    if (file != null && names.size() != 1) {
      throw new ParameterException(
          spec.commandLine(), "--file is for one dataset; name it with --dataset");
    }
  }

  private static VersionId version(Opened opened) {
    VersionId version = opened.version();
    if (version == null) {
      throw new CommandFailedException(opened.location() + " holds no version yet");
    }
    return version;
  }

  /** What is exported, and the file it goes to. */
  private record Target(Exportable exportable, Path file) {}

  private List<SavedDataset> chosen(SavedVersion saved) {
    List<SavedDataset> all = saved.datasets();
    return names.isEmpty()
        ? all
        : names.stream().distinct().map(name -> find(name, all, saved.id())).toList();
  }

  private static SavedDataset find(String name, List<SavedDataset> all, VersionId version) {
    return all.stream()
        .filter(dataset -> dataset.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new CommandFailedException(
                    "version %s has no dataset %s; it has %s"
                        .formatted(version, Printable.name(name), known(all))));
  }

  private static String known(List<SavedDataset> all) {
    int shown = 20;
    List<String> known =
        all.stream().limit(shown).map(dataset -> Printable.name(dataset.name())).toList();
    int more = all.size() - known.size();
    return String.join(", ", known) + (more > 0 ? " and " + more + " more" : "");
  }

  private Path fileFor(Exportable exportable) {
    if (file != null) {
      return file;
    }
    Path target = directory == null ? Path.of(".") : directory;
    return target.resolve(FileNames.of(exportable.name()) + "." + format.extension());
  }

  /** Before anything is written; {@link DatasetFile} looks again when it is done. */
  private void refuseToOverwrite(List<Target> targets) throws IOException {
    for (Target target : targets) {
      refuseToOverwrite(target.file);
    }
    if (directory != null) {
      Files.createDirectories(directory);
    }
  }

  private void refuseToOverwrite(Path target) throws IOException {
    if (!force && Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(
          target.toString(), null, "exists already; --force replaces it");
    }
  }

  private Exported export(Target target, ProgressBar bar, long before) throws IOException {
    Exportable one = target.exportable;
    byte[] head =
        switch (format) {
          case NPY -> NpyHeader.of(one.type().numpy(), one.shape());
          case RAW -> new byte[0];
        };
    DatasetFile.write(one.content(), head, target.file, force, done -> bar.reach(before + done));
    return new Exported(
        one.name(), target.file.toString(), one.type().label(), one.shape(), one.bytes());
  }

  private void print(Report report) {
    if (json.requested()) {
      JsonOption.print(terminal, report);
      return;
    }
    Table table = new Table("dataset", "type", ">size", "file");
    for (Exported exported : report.files) {
      table.row(
          Printable.name(exported.dataset),
          exported.type,
          Quantities.bytes(exported.bytes),
          Printable.oneLine(exported.file));
    }
    terminal.out().print(table);
  }

  /** What the files look like. */
  enum Format {
    NPY,
    RAW;

    String extension() {
      return toString();
    }

    /** As users write it. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
