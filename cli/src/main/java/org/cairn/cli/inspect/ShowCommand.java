// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.cairn.CheckpointUnavailableException;
import org.cairn.SavedArray;
import org.cairn.VersionName;
import org.cairn.cli.array.ArrayStatistics;
import org.cairn.cli.array.JobArrays;
import org.cairn.cli.array.Plot;
import org.cairn.cli.array.Slice;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Explanations;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.VersionConverter;
import org.cairn.cli.pack.Efforts;
import org.cairn.cli.pack.PackShown;
import org.cairn.cli.pack.Packs;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.hash.HashPath;
import org.cairn.tier.shared.FrameUse;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Lineage;
import org.cairn.version.RunInfo;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.work.Workers;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cairn show}. */
@Command(
    name = "show",
    description = {
      "Shows what a container holds: its versions, the datasets of one of them, and its space.",
      "",
      "Of a job of many ranks, or a shared directory, it shows the versions and, for each rank, how"
          + " far every tier is.",
      "",
      "Of a pack, or a version of a directory of packs, it shows how large files are, what is stored"
          + " for them, and how much has to be read to bring one back.",
      "",
      "\"Dirty\" is what changed since the version before, where that is still there.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn show checkpoints                    the newest version",
      "  cairn show --version 1.3 checkpoints      another one",
      "  cairn show job                            a job of many ranks: versions and tiers",
      "  cairn show --rank 3 job                   the container of one of its ranks",
      "  cairn show --job 91c3aa02 /scratch/s      one job of a shared directory",
      "  cairn show step100.cairnpack              a pack",
      "  cairn show --version 2.5 PACKS            a version of a directory of packs",
      "  cairn show --stats job                    smallest, largest, mean, NaNs of its arrays",
      "  cairn show --plot --dataset u job         a small picture of an array, and who has what",
      "  cairn show --plot --dataset u --slice 5 job      of a plane of three axes",
      "  cairn show --json checkpoints             for machines"
    })
public final class ShowCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Parameters(
      paramLabel = "DIR",
      description = "A directory of checkpoints, a shared directory, or a container file.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path path;

  @Option(
      names = "--version",
      paramLabel = "V",
      converter = VersionConverter.class,
      description = "Show this version; the newest unless given.")
  private @Nullable VersionName version;

  @Option(
      names = "--stats",
      description =
          "Show smallest, largest and mean value and the number of NaNs of each array of the version"
              + " that is shown; reads all of them.")
  private boolean stats;

  @Option(
      names = "--plot",
      description =
          "Draw arrays of the version that is shown, and whose elements are whose: in colours where"
              + " the terminal has them and NO_COLOR is not set, else in shades. Reads what is drawn,"
              + " not all of them.")
  private boolean plot;

  @Option(
      names = "--dataset",
      paramLabel = "NAME",
      description = "With --plot: this array only; may be given several times.")
  private List<String> names = List.of();

  @Option(
      names = "--slice",
      paramLabel = "SLICE",
      description =
          "With --plot: these elements of each axis, as NumPy writes them: 0:100,:,5. Of more than"
              + " two axes the middle of the first ones is drawn.")
  private @Nullable String slice;

  @Mixin private final StateOption state = new StateOption();

  @Mixin private final SharedOption shared = new SharedOption();

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public ShowCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** One container; {@code shown} is the version that {@code datasets} belong to. */
  record Shown(
      String container,
      String id,
      String holds,
      Origin origin,
      long openings,
      long fileBytes,
      @Nullable Long liveBytes,
      @Nullable Long freeBytes,
      List<VersionSummary> versions,
      @Nullable String shown,
      @Nullable String comparedWith,
      List<ShownDataset> datasets,
      List<SeenDataset> seen,
      String hashPath,
      List<String> problems) {}

  /** One dataset; {@code dirtyBlocks} is null where there is nothing to compare with. */
  record ShownDataset(
      String name,
      String type,
      List<Long> shape,
      long bytes,
      long storedBytes,
      int blockSize,
      long blocks,
      long zeroBlocks,
      @Nullable Long dirtyBlocks,
      String hash,
      String codec) {}

  /**
   * Whose a state is.
   *
   * @param runs the runs that it descends from, its own first
   */
  record Origin(String job, String run, String name, String life, List<Run> runs) {
    static Origin of(Lineage lineage) {
      return new Origin(
          lineage.job().toString(),
          lineage.run().id().toString(),
          lineage.name(),
          lineage.brief(),
          lineage.descent().stream().map(Run::of).toList());
    }
  }

  /**
   * A run.
   *
   * @param continued the version that it went on with; null if it began from nothing
   * @param leftBehind what it saw and did not go on with
   */
  record Run(
      String run,
      String began,
      int ranks,
      @Nullable String continued,
      boolean chosen,
      List<String> leftBehind) {
    static Run of(RunInfo info) {
      return new Run(
          info.id().toString(),
          info.began().toString(),
          info.ranks(),
          info.continues().map(VersionId::exact).orElse(null),
          info.chosen(),
          info.leftBehind().stream().map(VersionId::exact).toList());
    }
  }

  /**
   * A job of many ranks: its versions, and what every tier has of every rank.
   *
   * @param oldWorld what other numbers of ranks have left; null if nothing
   * @param restart what a restart would do, by the names of jobs
   */
  record ShownJob(
      String directory,
      int ranks,
      int files,
      long fileBytes,
      Origin origin,
      List<JobVersion> versions,
      List<JobSurvey.Tier> tiers,
      List<ShownArray> arrays,
      @Nullable OldWorld oldWorld,
      Map<String, String> oldestVerification,
      Map<String, FrameUse> frames,
      Map<String, String> restart,
      List<String> problems) {

    static ShownJob of(JobSurvey survey, Map<String, String> restart, List<String> problems) {
      return new ShownJob(
          survey.inventory().path().toString(),
          survey.ranks(),
          survey.files(),
          survey.fileBytes(),
          Origin.of(survey.life().life().lineage()),
          survey.versions(),
          survey.tiers(),
          ShownArray.of(survey, problems),
          OldWorld.of(survey).orElse(null),
          verifications(survey, problems),
          frames(survey, problems),
          restart,
          problems);
    }

    private static Map<String, FrameUse> frames(JobSurvey survey, List<String> problems) {
      Map<String, FrameUse> uses = new LinkedHashMap<>();
      SharedPlace shared = survey.inventory().shared();
      if (shared != null) {
        try {
          shared
              .frames(survey.life().life().versions())
              .forEach((version, use) -> uses.put(version.toString(), use));
        } catch (IOException e) {
          problems.add(Explanations.of(e));
        }
      }
      return uses;
    }

    private static Map<String, String> verifications(JobSurvey survey, List<String> problems) {
      Map<String, String> oldest = new LinkedHashMap<>();
      SharedPlace shared = survey.inventory().shared();
      if (shared != null) {
        try {
          shared
              .verifications(survey.life().life().versions())
              .forEach((version, time) -> oldest.put(version.toString(), time.toString()));
        } catch (IOException e) {
          problems.add(Explanations.of(e));
        }
      }
      return oldest;
    }
  }

  @Override
  public Integer call() throws IOException {
    if (Packs.isAny(path)) {
      PackShown shown = PackShown.of(path, version);
      if (json.requested()) {
        JsonOption.print(terminal, shown);
      } else {
        shown.print(terminal);
      }
      return shown.problems().isEmpty() ? 0 : 1;
    }
    boolean many =
        JobDirectory.find(path).isPresent()
            || SharedPlace.isOne(path)
            || (Files.isDirectory(path) && shared.directory() != null);
    if (!plot && (slice != null || !names.isEmpty())) {
      throw new ParameterException(
          spec.commandLine(), "--dataset and --slice say what --plot draws; add --plot");
    }
    if (stats && plot) {
      throw new ParameterException(spec.commandLine(), "either --stats or --plot");
    }
    if (stats) {
      return ofArrays("--stats", this::showStatistics);
    }
    if (plot) {
      return ofArrays("--plot", this::showPlots);
    }
    if (state.rank() != null || (many && version != null)) {
      return showState();
    }
    return many ? showJob() : showContainers();
  }

  /** Something that is done with what ranks have together. */
  private interface Showing {
    void show(JobArrays arrays) throws IOException;
  }

  private int ofArrays(String option, Showing showing) throws IOException {
    if (state.rank() != null) {
      throw new CommandFailedException(
          option
              + " is of arrays of all ranks; for one rank name its container in place of --rank");
    }
    try (JobArrays arrays =
        WholeArrays.open(path, shared.directory(), state.job(), version)
            .orElseThrow(
                () ->
                    new CommandFailedException(
                        path + " has no version of which every rank is there"))) {
      showing.show(arrays);
      WholeArrays.tell("show", arrays.detours(), terminal);
      return 0;
    } catch (CheckpointUnavailableException e) {
      throw new CommandFailedException(Explanations.of(e), e);
    }
  }

  private void showStatistics(JobArrays arrays) throws IOException {
    ArrayStatistics figures = ArrayStatistics.of(arrays, terminal);
    if (json.requested()) {
      JsonOption.print(terminal, figures);
    } else {
      figures.print(terminal);
    }
  }

  private void showPlots(JobArrays arrays) {
    Slice wanted = Slice.parse(slice == null ? ":" : slice);
    List<Plot> plots =
        drawable(arrays).stream().map(array -> Plot.of(array, wanted, terminal)).toList();
    if (json.requested()) {
      JsonOption.print(terminal, plots.stream().map(Plot::drawn).toList());
      return;
    }
    terminal.tell(
        "Version %s%s", arrays.version().id(), plots.isEmpty() ? " has no arrays to be drawn" : "");
    for (Plot one : plots) {
      terminal.out().println();
      one.print(terminal);
    }
  }

  /** Of those that somebody asked for it is told if they are empty; one is in no other's way. */
  private List<SavedArray> drawable(JobArrays arrays) {
    List<SavedArray> chosen =
        names.isEmpty() ? arrays.all() : names.stream().map(arrays::array).toList();
    List<SavedArray> drawable = chosen.stream().filter(array -> array.size() > 0).toList();
    if (names.isEmpty() || drawable.size() == chosen.size()) {
      return drawable;
    }
    String empty =
        chosen.stream()
            .filter(array -> array.size() == 0)
            .map(ShowCommand::nameAndShape)
            .distinct()
            .collect(Collectors.joining(", "));
    String nothing = "there is nothing to draw of %s: no elements".formatted(empty);
    if (drawable.isEmpty()) {
      throw new CommandFailedException(nothing);
    }
    terminal.remark("cairn show: " + nothing);
    return drawable;
  }

  private static String nameAndShape(SavedArray array) {
    return "%s (%s%s)"
        .formatted(
            Printable.name(array.name()), array.type().label(), Quantities.shape(array.shape()));
  }

  private int showState() throws IOException {
    try (Opened opened = state.open(path, shared.directory(), version)) {
      return print(List.of(show(opened.location(), opened.reader(), opened.version())));
    }
  }

  private int showJob() throws IOException {
    Inventory all = shared.inventory(path);
    LifeEntry life = all.choose(state.job()).orElseThrow(all::several);
    return showJob(
        ShownJob.of(JobSurvey.of(all, life), RestartLine.all(all.outlooks()), all.problems()));
  }

  private int showContainers() throws IOException {
    if (version != null || state.job() != null) {
      return showState();
    }
    List<Shown> shown = new ArrayList<>();
    for (ContainerPath container : ContainerPath.all(path)) {
      try (ContainerReader reader = container.open()) {
        shown.add(show(container.toString(), reader, newest(reader)));
      }
    }
    return print(shown);
  }

  private static @Nullable VersionId newest(ContainerReader reader) {
    return reader.versions().isEmpty() ? null : reader.versions().getFirst().id();
  }

  private int print(List<Shown> shown) {
    if (json.requested()) {
      JsonOption.print(terminal, shown.size() == 1 ? shown.getFirst() : shown);
    } else {
      shown.forEach(this::print);
    }
    return shown.stream().allMatch(container -> container.problems.isEmpty()) ? 0 : 1;
  }

  private int showJob(ShownJob job) {
    if (json.requested()) {
      JsonOption.print(terminal, job);
    } else {
      LsCommand.printHead(terminal, job.directory, job.ranks, job.files, job.fileBytes);
      print(job.origin);
      terminal.out().println();
      if (job.versions.isEmpty()) {
        terminal.out().println("It holds no version yet.");
      } else {
        terminal.print(JobVersion.table(job.versions));
        terminal.out().println();
      }
      terminal.print(TierTable.of(job.tiers));
      terminal.out().println("\n\"Behind\" is behind the newest checkpoint of any rank.");
      TierTable.remarks(job.tiers)
          .forEach(remark -> terminal.tell("%s", Printable.oneLine(remark)));
      ShownArray.print(terminal, job.arrays);
      if (job.oldWorld != null) {
        job.oldWorld.print(terminal);
      }
      job.oldestVerification.forEach(this::printVerification);
      job.frames.forEach(this::printFrames);
      if (shared.directory() != null) {
        RestartLine.print(terminal, job.restart);
      }
      terminal.out().flush();
      TierTable.failures(job.tiers)
          .forEach(failure -> terminal.remark("cairn show: " + Printable.oneLine(failure)));
      job.problems.forEach(problem -> terminal.remark("cairn show: " + Printable.oneLine(problem)));
    }
    return job.problems.isEmpty() ? 0 : 1;
  }

  private void printFrames(String id, FrameUse use) {
    terminal.tell(
        "Version %s in the shared directory: %s, %s in %s; a restart of all ranks expands %.2f times what it needs.",
        id,
        use.frames() == 1 ? "1 frame" : Quantities.count(use.frames()) + " frames",
        Quantities.bytes(use.plain()),
        Quantities.bytes(use.stored()),
        use.amplification());
    Efforts.print(terminal, use.efforts());
  }

  /** How long ago bytes in the shared directory were read that were not for the longest time. */
  private void printVerification(String id, String time) {
    Duration age = Duration.between(Instant.parse(time), Instant.now());
    terminal.tell(
        "Version %s in the shared directory: oldest verification of a block %s ago, %s.",
        id,
        Quantities.seconds(Math.max(0, age.toMillis() / 1e3)),
        VersionSummary.localTime(Instant.parse(time)));
  }

  private void print(Origin origin) {
    terminal.tell(
        "Life %s%s: job %s, run %s",
        origin.life,
        origin.name.isEmpty() ? "" : " \"" + Printable.oneLine(origin.name) + "\"",
        origin.job,
        origin.run);
    for (Run run : origin.runs) {
      terminal.tell(
          "  run %s begun %s%s%s%s",
          run.run.substring(0, 8),
          VersionSummary.localTime(Instant.parse(run.began)),
          run.continued == null ? ", from nothing" : ", continued from " + run.continued,
          run.chosen ? ", as a person chose" : "",
          run.leftBehind.isEmpty() ? "" : "; left behind " + String.join(", ", run.leftBehind));
    }
  }

  private Shown show(String location, ContainerReader reader, @Nullable VersionId wanted) {
    Set<String> problems = new LinkedHashSet<>(reader.problems());
    VersionView view = wanted == null ? null : attempt(() -> reader.view(wanted), problems);
    VersionView previous = view == null ? null : attempt(() -> previous(reader, view), problems);
    List<ShownDataset> datasets =
        view == null ? null : attempt(() -> datasets(view, previous), problems);
    List<SeenDataset> seen =
        view == null
            ? null
            : attempt(
                () ->
                    SeenDataset.of(
                        folderOf(location),
                        Origin.of(reader.ownership().lineage()).name,
                        view.info().id()),
                problems);
    Long live = attempt(reader::liveBytes, problems);
    Long size = attempt(reader::fileBytes, problems);
    return new Shown(
        location,
        reader.id().toString(),
        Contents.of(reader.ownership()),
        Origin.of(reader.ownership().lineage()),
        reader.epoch(),
        size == null ? 0 : size,
        live,
        live == null || size == null ? null : Math.max(0, size - live),
        reader.versions().stream().map(VersionSummary::of).toList(),
        view == null ? null : view.info().id().toString(),
        previous == null ? null : previous.info().id().toString(),
        datasets == null ? List.of() : datasets,
        seen == null ? List.of() : seen,
        HashPath.current().toString(),
        List.copyOf(problems));
  }

  private static Path folderOf(String location) {
    Path parent = Path.of(location).toAbsolutePath().getParent();
    return parent == null ? Path.of("") : parent;
  }

  /** Something that damage may hide; what else there is should be shown all the same. */
  private interface Reading<T> {
    @Nullable T read() throws IOException;
  }

  private static <T> @Nullable T attempt(Reading<T> reading, Set<String> problems) {
    try {
      return reading.read();
    } catch (IOException | CommandFailedException e) {
      problems.add(Explanations.of(e));
      return null;
    }
  }

  private static @Nullable VersionView previous(ContainerReader reader, VersionView view)
      throws IOException {
    for (VersionInfo older : reader.versions()) {
      if (older.id().compareTo(view.info().id()) < 0) {
        return reader.view(older.id());
      }
    }
    return null;
  }

  private static List<ShownDataset> datasets(VersionView view, @Nullable VersionView previous)
      throws IOException {
    Map<String, Long> dirty = previous == null ? Map.of() : dirtyBlocks(previous, view);
    return view.datasets().stream()
        .map(dataset -> dataset(view, dataset, dirty.get(dataset.name())))
        .toList();
  }

  private static Map<String, Long> dirtyBlocks(VersionView before, VersionView after)
      throws IOException {
    Map<String, Long> dirty = new HashMap<>();
    try (Workers workers = new Workers(1, "show")) {
      for (DatasetDifference difference : VersionDifference.of(before, after, workers)) {
        if (difference.after() != null && difference.unit() == difference.after().blockSize()) {
          dirty.put(
              difference.name(),
              Math.min(difference.changed().count(), difference.after().blocks()));
        }
      }
    }
    return dirty;
  }

  private static ShownDataset dataset(
      VersionView view, DatasetEntry dataset, @Nullable Long dirtyBlocks) {
    long stored = 0;
    long zeros = 0;
    int block = 0;
    while (block < dataset.blocks()) {
      int run = view.zerosFrom(dataset, block);
      stored += run > 0 ? 0 : view.place(dataset, block).storedLength();
      zeros += run;
      block += Math.max(1, run);
    }
    return new ShownDataset(
        dataset.name(),
        dataset.spec().type().label(),
        dataset.spec().shape(),
        dataset.spec().byteLength(),
        stored,
        dataset.spec().blockSize(),
        dataset.blocks(),
        zeros,
        dirtyBlocks,
        dataset.spec().algorithm().label(),
        dataset.spec().codec().label());
  }

  private void print(Shown shown) {
    terminal.out().println(Printable.oneLine(shown.container));
    terminal.tell(
        "%s: %s in the file%s; epoch %s; container %s",
        Character.toUpperCase(shown.holds.charAt(0)) + shown.holds.substring(1),
        Quantities.bytes(shown.fileBytes),
        space(shown),
        Quantities.count(shown.openings),
        shown.id);
    print(shown.origin);
    terminal.out().println();
    if (shown.versions.isEmpty()) {
      terminal.out().println("It holds no version yet.");
    } else {
      terminal.print(VersionSummary.table(shown.versions));
      terminal.out().println();
    }
    if (shown.shown != null) {
      printDatasets(shown);
    }
    terminal.out().flush();
    shown.problems.forEach(problem -> terminal.remark("cairn show: " + Printable.oneLine(problem)));
  }

  private static String space(Shown shown) {
    if (shown.liveBytes == null || shown.freeBytes == null) {
      return "";
    }
    return ", of which %s (%s) are in use and %s free"
        .formatted(
            Quantities.bytes(shown.liveBytes),
            Quantities.percent(shown.liveBytes, shown.fileBytes),
            Quantities.bytes(shown.freeBytes));
  }

  private void printDatasets(Shown shown) {
    terminal.tell(
        "Datasets of version %s%s:",
        shown.shown, shown.comparedWith == null ? "" : ", dirty since " + shown.comparedWith);
    Table table =
        new Table(
            "dataset",
            "type",
            ">size",
            ">stored",
            ">blocks",
            ">zero",
            ">dirty",
            ">share",
            ">block size",
            "hash",
            "codec");
    for (ShownDataset dataset : shown.datasets) {
      table.row(
          Printable.name(dataset.name),
          dataset.type + shape(dataset.shape),
          Quantities.bytes(dataset.bytes),
          Quantities.bytes(dataset.storedBytes),
          Quantities.count(dataset.blocks),
          Quantities.count(dataset.zeroBlocks),
          dataset.dirtyBlocks == null ? "-" : Quantities.count(dataset.dirtyBlocks),
          dataset.dirtyBlocks == null
              ? "-"
              : Quantities.percent(dataset.dirtyBlocks, dataset.blocks),
          Quantities.bytes(dataset.blockSize),
          dataset.hash,
          dataset.codec);
    }
    terminal.print(table);
    if (!shown.seen.isEmpty()) {
      terminal.tell("%nWhat its checkpoint saw of them:");
      terminal.print(SeenDataset.table(shown.seen));
    }
    terminal.out().println();
    terminal.tell("Hash path of this machine: %s", shown.hashPath);
  }

  private static String shape(List<Long> shape) {
    return shape.isEmpty()
        ? ""
        : shape.stream().map(String::valueOf).collect(Collectors.joining(" x ", "[", "]"));
  }
}
