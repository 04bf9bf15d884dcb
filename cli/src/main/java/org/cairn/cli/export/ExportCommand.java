// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Checkpoints;
import org.cairn.SavedArray;
import org.cairn.SavedDataset;
import org.cairn.VersionName;
import org.cairn.cli.array.JobArrays;
import org.cairn.cli.array.Picture;
import org.cairn.cli.array.Slice;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Explanations;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.VersionConverter;
import org.cairn.cli.inspect.Opened;
import org.cairn.cli.inspect.SharedOption;
import org.cairn.cli.inspect.StateOption;
import org.cairn.cli.inspect.WholeArrays;
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
      "Writes datasets to files that other programs can read: one file each, every block verified."
          + " What is damaged or lost in one place is read from another: from copies, parity, or a"
          + " shared directory that --shared names; damaged blocks are told.",
      "",
      "Of a job of many ranks: arrays that its ranks have together, each as one array. With --rank:"
          + " what one of them has.",
      "",
      "Of a mesh: fields without the halo around the grid, with coordinates, step and time where the"
          + " format has room for them; --slice counts with the halo.",
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
      "  cairn export job --dataset u --file u.vti          the same for ParaView",
      "  cairn export job --dataset u --file u.xdmf         the same, in two files: u.xdmf and u.raw",
      "  cairn export job --dataset u --slice :,:,5 --png u.png     a picture of a slice",
      "  cairn export job --dataset plate/u --file u.h5     a field of a mesh, with coordinates",
      "  cairn export job --dataset plate/u --per-rank --file u.h5    the same, a file for each rank",
      "  cairn export job --rank 3 --to out                 one rank of a job of many",
      "  cairn export /scratch/s --rank 3 --to out          the same, of a shared directory alone",
      "  cairn export job --shared /scratch/s --dataset u --file u.npy     also what was flushed there",
      "  cairn export checkpoints --format raw --version 1.3 --to out",
      "  cairn export step100.cairnpack --member ckpt_3.h5 --dataset /rho --file rho.npy",
      "  cairn export checkpoints --dataset u --file u.npy --python | python3 -     look at it"
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
      converter = FormatConverter.class,
      description =
          "npy for NumPy, h5 for HDF5, vti or xdmf for ParaView (xdmf has the elements in a .raw file"
              + " beside it), or raw for the bare elements, all little-endian; npy unless the name of"
              + " --file ends with another of them. Of a pack elements stay as they are, and raw has"
              + " its bytes as they lie in the file.")
  private @Nullable Format chosenFormat;

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

  @Option(
      names = "--png",
      paramLabel = "FILE",
      description = "Draw a field of two axes, or such a slice, in place of --file.")
  private @Nullable Path picture;

  @Option(
      names = "--per-rank",
      description =
          "Of fields of a mesh: a file for each rank, with what it computed; -rank0, -rank1 … come"
              + " behind the name.")
  private boolean perRank;

  @Option(
      names = "--python",
      description = "Print, in place of a table, a few lines of Python that read the files.")
  private boolean python;

  @Option(names = "--force", description = "Replace files that exist.")
  private boolean force;

  @Mixin private final StateOption state = new StateOption();

  @Mixin private final SharedOption shared = new SharedOption();

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public ExportCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** What was written; printed as it is with {@code --json}. */
  record Report(String container, String version, List<Exported> files) {}

  /**
   * One dataset.
   *
   * @param elements the file that has them; null if {@code file} does
   */
  record Exported(
      String dataset,
      String file,
      @Nullable String elements,
      String type,
      List<Long> shape,
      long bytes) {}

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
      if (slice != null || picture != null || perRank) {
        throw new ParameterException(
            spec.commandLine(),
            "--slice, --png and --per-rank are for arrays that ranks have together, not with --rank");
      }
      exportState();
      return 0;
    } catch (CheckpointUnavailableException e) {
      throw new CommandFailedException(Explanations.of(e), e);
    }
  }

  /** What one rank has. */
  private void exportState() throws IOException {
    try (Opened opened = state.open(path, shared.directory(), version);
        Checkpoints saved = opened.withOthers(path, shared.directory())) {
      VersionId wanted = version(opened);
      List<SavedDataset> all = saved.version(wanted).rank(opened.rank()).datasets();
      export(opened.location(), wanted, chosen(wanted, all).stream().map(Exportable::of).toList());
      WholeArrays.tell("export", saved.detours(), terminal);
    }
  }

  /** What all ranks have together; false if that is not what was asked for. */
  private boolean exportArrays() throws IOException {
    Optional<JobArrays> opened = WholeArrays.open(path, shared.directory(), state.job(), version);
    if (opened.isEmpty()) {
      return false;
    }
    try (JobArrays arrays = opened.get()) {
      MeshFields mesh = MeshFields.of(arrays.version());
      List<SavedArray> chosen = chosen(arrays, mesh);
      if (chosen.isEmpty()) {
        return false;
      }
      Optional<Slice> wanted = Optional.ofNullable(slice).map(Slice::parse);
      List<Slice.Of> slices =
          chosen.stream()
              .map(array -> wanted.map(one -> one.of(array)).orElseGet(() -> mesh.whole(array)))
              .toList();
      slices.forEach(
          one -> mesh.remark(one).ifPresent(text -> terminal.remark("cairn export: " + text)));
      if (picture != null) {
        draw(slices.getFirst(), arrays.version().id(), picture);
      } else {
        List<Exportable> all =
            perRank
                ? chosen.stream().flatMap(array -> mesh.perRank(array).stream()).toList()
                : slices.stream().map(mesh::exportable).toList();
        export(path.toString(), arrays.version().id(), all);
      }
      WholeArrays.tell("export", arrays.detours(), terminal);
      return true;
    }
  }

  /** Those that were asked for; all, of a job of many ranks, if nothing was. */
  private List<SavedArray> chosen(JobArrays arrays, MeshFields mesh) {
    boolean many = arrays.version().ranks() > 1;
    if (names.isEmpty()) {
      boolean together = many || mesh.isMesh();
      return together
          ? arrays.all().stream().filter(one -> many || mesh.has(one.name())).toList()
          : List.of();
    }
    names.forEach(mesh::requireSaved);
    List<SavedArray> wanted =
        arrays.all().stream().filter(array -> names.contains(array.name())).toList();
    boolean missing = wanted.size() < names.stream().distinct().count();
    if (missing && many && !arrays.all().isEmpty()) {
      throw new CommandFailedException(
          "ranks of version %s have %s together; for a dataset of one rank say --rank"
              .formatted(arrays.version().id(), arrays.names()));
    }
    // What one rank has is read as it is, unless something is to be done with it.
    boolean asTheyAre = !many && slice == null && picture == null;
    return missing || (asTheyAre && !names.stream().allMatch(mesh::has)) ? List.of() : wanted;
  }

  private void draw(Slice.Of field, VersionId wanted, Path target) throws IOException {
    List<Long> shape = field.shape();
    if (shape.size() != 2) {
      throw new CommandFailedException(
          "a picture has two axes; %s has shape %s: take a --slice of it"
              .formatted(Printable.name(field.array().name()), shape));
    }
    if (field.array().size() == 0) {
      throw new CommandFailedException(
          "there is nothing to draw: %s has shape %s"
              .formatted(Printable.name(field.array().name()), shape));
    }
    refuseToOverwrite(target);
    Picture drawn;
    try (ProgressBar bar = terminal.bar("export", field.array().byteSize(), Quantities::bytes)) {
      drawn = Picture.of(field, bar::reach);
    }
    DatasetFile.write(
        (channel, from, progress) -> drawn.write(Channels.newOutputStream(channel)),
        new byte[0],
        target,
        force,
        done -> {});
    Exported exported =
        new Exported(
            field.array().name(),
            target.toString(),
            null,
            field.array().type().label(),
            shape,
            Files.size(target));
    print(new Report(path.toString(), wanted.toString(), List.of(exported)));
    if (!json.requested()) {
      terminal.out().printf(Locale.ROOT, "Colours go from %s to %s.%n", drawn.min(), drawn.max());
    }
  }

  private void export(String location, VersionId wanted, List<Exportable> all) throws IOException {
    List<Target> targets = all.stream().map(one -> target(one, wanted)).toList();
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
    if (python) {
      PythonLines lines = new PythonLines(format(), "version %s of %s".formatted(wanted, location));
      targets.forEach(target -> lines.add(format(), target.exportable, target.file));
      lines.all().forEach(terminal.out()::println);
    } else {
      print(new Report(location, wanted.toString(), exported));
    }
  }

  private int exportFromPack() throws IOException {
    if (member == null || file == null) {
      throw new ParameterException(
          spec.commandLine(), "of a pack: say --member, --dataset and --file");
    }
    if (format() != Format.NPY && format() != Format.RAW) {
      throw new ParameterException(
          spec.commandLine(), "of a pack: --format npy or raw, not " + format());
    }
    refuseToOverwrite(file);
    try (Pack pack = Packs.open(path, version)) {
      boolean npy = format() == Format.NPY;
      PackExport export = PackExport.of(pack, member, names.getFirst(), npy, description);
      export.requireSpace(file);
      String type = npy ? export.numpyType() : "raw";
      List<Long> shape = npy ? export.shape() : List.of(export.bytes());
      byte[] head = npy ? NpyHeader.of(type, shape) : new byte[0];
      try (ProgressBar bar = terminal.bar("export", export.bytes(), Quantities::bytes)) {
        DatasetFile.write(export::writeTo, head, file, force, bar::reach);
      }
      Exported exported =
          new Exported(names.getFirst(), file.toString(), null, type, shape, export.bytes());
      print(new Report(path.toString(), member, List.of(exported)));
      return 0;
    }
  }

  private void requireTarget() {
    int targets = (directory == null ? 0 : 1) + (file == null ? 0 : 1) + (picture == null ? 0 : 1);
    if (targets != 1) {
      throw new ParameterException(
          spec.commandLine(), "say where to: either --to, --file or --png");
    }
    if (directory == null && names.size() != 1) {
      throw new ParameterException(
          spec.commandLine(), "--file and --png are for one dataset; name it with --dataset");
    }
    requireFormatOfName();
    if (python && (json.requested() || picture != null || !isForPython())) {
      throw new ParameterException(
          spec.commandLine(), "--python is for npy, h5 and raw, without --json and --png");
    }
    if (perRank && (slice != null || picture != null)) {
      throw new ParameterException(
          spec.commandLine(),
          "--per-rank has what each rank computed, whole: leave out --slice and --png");
    }
  }

  private boolean isForPython() {
    return !Packs.isAny(path)
        && switch (format()) {
          case NPY, H5, RAW -> true;
          case VTI, XDMF -> false;
        };
  }

  /** A file that says that it is something else would be read as that. */
  private void requireFormatOfName() {
    Format chosen = chosenFormat;
    Optional<Format> said = formatOf(file);
    if (chosen != null && said.isPresent() && said.get() != chosen) {
      throw new ParameterException(
          spec.commandLine(),
          "--format %s and the name %s do not agree; leave out --format, or let the name end with .%s"
              .formatted(chosen, file, chosen.extension()));
    }
  }

  private static VersionId version(Opened opened) {
    VersionId version = opened.version();
    if (version == null) {
      throw new CommandFailedException(opened.location() + " holds no version yet");
    }
    return version;
  }

  /**
   * What is exported, and the file it goes to.
   *
   * @param head what is before the elements in the file, or all there is
   * @param elements the file that has them, where that is another one
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes or compares them
  private record Target(Exportable exportable, Path file, byte[] head, Optional<Path> elements) {}

  /** Refuses what the format cannot say. */
  private Target target(Exportable one, VersionId wanted) {
    Path target = fileFor(one);
    Path elements = Xdmf.elements(target);
    byte[] head =
        switch (format()) {
          case NPY -> NpyHeader.of(one.type().numpy(), one.shape());
          case H5 -> Hdf5Head.of(one, attributes(one, wanted));
          case VTI -> VtkImage.head(one);
          case XDMF -> Xdmf.of(one, elements, wanted.sequence(), attributes(one, wanted));
          case RAW -> new byte[0];
        };
    boolean apart = format() == Format.XDMF;
    return new Target(one, target, head, apart ? Optional.of(elements) : Optional.empty());
  }

  private List<SavedDataset> chosen(VersionId version, List<SavedDataset> all) {
    return names.isEmpty()
        ? all
        : names.stream().distinct().map(name -> find(name, all, version)).toList();
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
    String suffix = exportable.suffix();
    if (file != null) {
      return suffix.isEmpty() ? file : file.resolveSibling(withSuffix(file, suffix));
    }
    Path target = directory == null ? Path.of(".") : directory;
    return target.resolve(FileNames.of(exportable.name()) + suffix + "." + format().extension());
  }

  /** Before what the name ends with. */
  private static String withSuffix(Path file, String suffix) {
    String name = String.valueOf(file.getFileName());
    int end = name.lastIndexOf('.');
    int at = end > 0 ? end : name.length();
    return name.substring(0, at) + suffix + name.substring(at);
  }

  /** Before anything is written; {@link DatasetFile} looks again when it is done. */
  private void refuseToOverwrite(List<Target> targets) throws IOException {
    for (Target target : targets) {
      refuseToOverwrite(target.file);
      if (target.elements.isPresent()) {
        refuseToOverwrite(target.elements.get());
      }
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
    LongConsumer progress = done -> bar.reach(before + done);
    if (target.elements.isPresent()) {
      DatasetFile.writePair(
          one.content(), target.elements.get(), target.head, target.file, force, progress);
    } else {
      byte[] tail = format() == Format.VTI ? VtkImage.tail() : new byte[0];
      DatasetFile.write(one.endingWith(tail), target.head, target.file, force, progress);
    }
    return new Exported(
        one.name(),
        target.file.toString(),
        target.elements.map(Path::toString).orElse(null),
        one.type().label(),
        one.shape(),
        one.bytes());
  }

  /** Texts, numbers and lists of numbers, by their names. */
  private static Map<String, Object> attributes(Exportable one, VersionId version) {
    Map<String, Object> attributes = new LinkedHashMap<>();
    attributes.put("name", one.name());
    attributes.put("shape", one.shape());
    OptionalLong step = one.geometry().step();
    OptionalDouble time = one.geometry().time();
    if (step.isPresent() && time.isPresent()) {
      attributes.put("step", step.getAsLong());
      attributes.put("time", time.getAsDouble());
    } else {
      attributes.put("step", version.sequence());
    }
    attributes.put("version", version.exact());
    attributes.put("job", version.job().toString());
    return attributes;
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
          Printable.oneLine(
              exported.elements == null
                  ? exported.file
                  : exported.file + ", " + exported.elements));
    }
    terminal.print(table);
  }

  /** What was asked for, or what the name of the file says. */
  private Format format() {
    return chosenFormat != null ? chosenFormat : formatOf(file).orElse(Format.NPY);
  }

  private static Optional<Format> formatOf(@Nullable Path file) {
    String name = file == null ? "" : file.toString().toLowerCase(Locale.ROOT);
    return Arrays.stream(Format.values())
        .filter(one -> name.endsWith("." + one.extension()))
        .findFirst();
  }

  /** What the files look like. */
  enum Format {
    NPY,
    H5,
    VTI,
    XDMF,
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
