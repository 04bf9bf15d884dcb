// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.cairn.VersionName;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Explanations;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.VersionConverter;
import org.cairn.cli.pack.PackListing;
import org.cairn.cli.pack.PackVersions;
import org.cairn.cli.pack.Packs;
import org.cairn.cli.pack.Sums;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.container.ContainerReader;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn ls}. */
@Command(
    name = "ls",
    description = {
      "Lists containers: how many versions they hold, and which is the newest.",
      "",
      "Of a job of many ranks it lists the versions: which of them every rank has (complete), which"
          + " can be had with the help of other tiers (restorable), and which tiers hold them. DIR"
          + " can also be a shared directory.",
      "",
      "Of a pack it lists the files, of a directory of packs the versions.",
      "",
      "Where there are several jobs, or several lives of one, it lists these, and says which a"
          + " restart would go on with.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn ls                            the containers of this directory",
      "  cairn ls checkpoints other/run      those of two others",
      "  cairn ls job job/rank3              the versions of a job; the files of one of its ranks",
      "  cairn ls --job 91c3aa02 job         the versions of one of several jobs",
      "  cairn ls --shared /scratch/s job    with what was flushed there",
      "  cairn ls /scratch/s                 all jobs of a shared directory",
      "  cairn ls step100.cairnpack          the files of a pack",
      "  cairn ls PACKS                      the versions of a directory of packs",
      "  cairn ls --version 2.5 PACKS        the files of one of them",
      "  cairn ls --json checkpoints         with all versions, for machines"
    })
public final class LsCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(
      paramLabel = "DIR",
      arity = "0..*",
      defaultValue = ".",
      description = "Directories of checkpoints, or container files; this directory unless given.")
  private List<Path> paths = List.of();

  @Option(
      names = "--sha256",
      description = "Of a pack: print what sha256sum -c reads; all files are read for that.")
  private boolean sha256;

  @Option(
      names = "--force",
      description =
          "With --sha256: also of files with more than 1 TiB of zeros that are not stored, which"
              + " takes minutes to years.")
  private boolean force;

  @Option(
      names = "--version",
      paramLabel = "V",
      converter = VersionConverter.class,
      description = "Of a directory of packs: list the files of this version.")
  private @Nullable VersionName version;

  @Mixin private final JobOption job = new JobOption();

  @Mixin private final SharedOption shared = new SharedOption();

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public LsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** One container; of one that cannot be read, only the path and what is wrong. */
  record Listed(
      String path,
      @Nullable String id,
      @Nullable String life,
      @Nullable String name,
      long fileBytes,
      List<VersionSummary> versions,
      List<String> problems) {}

  /**
   * What is found in a directory of many ranks, or in a shared one; in one of a single rank only if
   * there are several lives.
   *
   * @param restart what a restart would do, by the names of jobs
   * @param shown the life that the versions belong to; null if none was chosen
   */
  record ListedJob(
      String path,
      int ranks,
      int files,
      long fileBytes,
      List<LifeEntry.Listed> lives,
      Map<String, String> restart,
      @Nullable String shown,
      List<JobVersion> versions,
      List<String> problems) {

    /** Whether a restart would refuse. */
    private boolean isRefused() {
      return restart.values().stream().anyMatch(RestartLine::isRefusal);
    }

    private ListedJob withProblems(List<String> others) {
      return new ListedJob(path, ranks, files, fileBytes, lives, restart, shown, versions, others);
    }
  }

  @Override
  public Integer call() {
    if (force && !sha256) {
      throw CommandFailedException.ambiguous("--force is for --sha256");
    }
    Optional<Sums> sums = sha256 ? Optional.of(new Sums(terminal, force)) : Optional.empty();
    List<Listed> listed = new ArrayList<>();
    List<ListedJob> jobs = new ArrayList<>();
    List<PackListing> packs = new ArrayList<>();
    List<PackVersions> directories = new ArrayList<>();
    for (Path path : paths) {
      if (Packs.isDirectory(path) && version == null && !sha256) {
        directories.add(PackVersions.of(path));
      } else if (Packs.isAny(path)) {
        packs.add(PackListing.of(path, version, sums));
      } else {
        list(path, listed, jobs);
      }
    }
    if (sha256 && packs.size() < paths.size()) {
      requireAllThere(paths);
      throw CommandFailedException.ambiguous("--sha256 is for packs");
    }
    if (version != null && packs.size() < paths.size()) {
      throw CommandFailedException.ambiguous(
          "--version is for directories of packs; cairn show has it for others");
    }
    if (json.requested()) {
      List<Object> all = new ArrayList<>(listed);
      all.addAll(jobs);
      all.addAll(packs);
      all.addAll(directories);
      JsonOption.print(terminal, all);
    } else {
      if (!listed.isEmpty() || packs.isEmpty() && directories.isEmpty()) {
        print(listed);
      }
      jobs.forEach(this::print);
      packs.forEach(pack -> pack.print(terminal, sha256));
      directories.forEach(directory -> directory.print(terminal));
    }
    boolean sound =
        packs.stream().allMatch(pack -> pack.problems().isEmpty())
            && directories.stream().allMatch(directory -> directory.problems().isEmpty())
            && listed.stream().allMatch(container -> container.problems.isEmpty())
            && jobs.stream().allMatch(one -> one.problems.isEmpty());
    return sound ? 0 : 1;
  }

  private static void requireAllThere(List<Path> paths) {
    for (Path path : paths) {
      if (!Packs.isAny(path) && Files.notExists(path)) {
        throw new CommandFailedException(path + " does not exist");
      }
    }
  }

  private void list(Path path, List<Listed> listed, List<ListedJob> jobs) {
    try {
      if (JobDirectory.find(path).isPresent() || SharedPlace.isOne(path) || isGone(path)) {
        jobs.add(listJob(shared.inventory(path)));
        return;
      }
      for (ContainerPath container : ContainerPath.all(path)) {
        listed.add(list(container));
      }
      if (Files.isDirectory(path)) {
        listLives(shared.inventory(path), listed, jobs);
      }
    } catch (CommandFailedException e) {
      if (e.isUsage()) {
        throw e;
      }
      listed.add(unreadable(path.toString(), e));
    } catch (IOException e) {
      listed.add(unreadable(path.toString(), e));
    }
  }

  /** Whether all containers are gone, and something else tells of them. */
  private boolean isGone(Path path) throws IOException {
    if (!Files.isDirectory(path) || !ContainerPath.in(path).isEmpty()) {
      return false;
    }
    return shared.directory() != null || !ContainerPath.putAside(path).isEmpty();
  }

  private static Listed list(ContainerPath container) {
    try (ContainerReader reader = container.open()) {
      return new Listed(
          container.toString(),
          reader.id().toString(),
          reader.ownership().lineage().brief(),
          reader.ownership().lineage().name(),
          reader.fileBytes(),
          reader.versions().stream().map(VersionSummary::of).toList(),
          reader.problems());
    } catch (IOException e) {
      return unreadable(container.toString(), e);
    }
  }

  /** The directory of a single rank, or of one of many: its files are listed already. */
  private void listLives(Inventory all, List<Listed> listed, List<ListedJob> jobs)
      throws IOException {
    if (job.id() != null) {
      LifeEntry chosen = all.choose(job.id()).orElseThrow();
      List<String> mine = chosen.files().stream().map(file -> file.path().toString()).toList();
      listed.removeIf(
          file -> file.path.startsWith(all.path().toString()) && !mine.contains(file.path));
    }
    SharedPlace place = all.shared();
    if (job.id() != null && place == null) {
      return;
    }
    ListedJob found = listJob(all);
    if (found.lives.size() > 1 || found.isRefused() || place != null) {
      // Those of containers are with the files.
      jobs.add(found.withProblems(place == null ? List.of() : place.problems()));
    }
  }

  private ListedJob listJob(Inventory all) throws IOException {
    Optional<LifeEntry> chosen = all.choose(job.id());
    List<JobVersion> versions =
        chosen.isEmpty() ? List.of() : JobSurvey.of(all, chosen.get()).versions();
    return new ListedJob(
        all.path().toString(),
        chosen.map(LifeEntry::ranks).orElse(0),
        all.fileCount(),
        all.bytes(),
        all.lives().stream().map(LifeEntry::listed).toList(),
        RestartLine.all(all.outlooks()),
        chosen.map(LifeEntry::id).orElse(null),
        versions,
        all.problems());
  }

  private static Listed unreadable(String path, Exception e) {
    return new Listed(path, null, null, null, 0, List.of(), List.of(Explanations.of(e)));
  }

  private void print(List<Listed> listed) {
    Table table =
        new Table("container", ">versions", "newest", "taken", ">protected", ">file size");
    for (Listed container : listed) {
      if (container.id != null) {
        addRow(table, container);
      }
    }
    if (!table.isEmpty()) {
      terminal.print(table);
      printLabels(listed);
      terminal.out().flush();
    }
    for (Listed container : listed) {
      container.problems.forEach(
          problem -> terminal.remark("cairn ls: " + Printable.oneLine(problem)));
    }
  }

  private void printLabels(List<Listed> listed) {
    Table labels = Labels.table();
    listed.forEach(
        container ->
            container.versions.forEach(version -> version.said().addTo(labels, version.version())));
    printLabels(labels);
  }

  private void printLabels(Table labels) {
    if (!labels.isEmpty()) {
      terminal.out().println();
      terminal.print(labels);
    }
  }

  private void print(ListedJob listed) {
    boolean several = listed.lives.size() > 1;
    if (several) {
      printLives(listed);
      RestartLine.print(terminal, listed.restart);
    } else if (!listed.versions.isEmpty() || listed.ranks > 1) {
      printHead(terminal, listed.path, listed.ranks, listed.files, listed.fileBytes);
    } else if (listed.lives.isEmpty() && listed.restart.isEmpty()) {
      terminal
          .out()
          .println(
              Printable.oneLine(listed.path)
                  + (listed.problems.isEmpty()
                      ? " holds no version yet."
                      : " holds nothing that can be read."));
    }
    if (listed.shown != null) {
      printVersions(listed, several);
    }
    if (!several && (listed.isRefused() || shared.directory() != null)) {
      RestartLine.print(terminal, listed.restart);
    }
    terminal.out().flush();
    listed.problems.forEach(problem -> terminal.remark("cairn ls: " + Printable.oneLine(problem)));
  }

  private void printVersions(ListedJob listed, boolean several) {
    if (several) {
      terminal.out().println("\nVersions of " + listed.shown + ":");
    }
    if (listed.versions.isEmpty()) {
      terminal.out().println("It holds no version yet.");
    } else {
      terminal.print(JobVersion.table(listed.versions));
      Table labels = Labels.table();
      listed.versions.forEach(version -> version.said().addTo(labels, version.version()));
      printLabels(labels);
    }
  }

  private void printLives(ListedJob listed) {
    terminal.tell(
        "%s: %d lives, %s",
        Printable.oneLine(listed.path), listed.lives.size(), Quantities.bytes(listed.fileBytes));
    Table table = new Table("life", "name", ">ranks", "newest", "taken", "state", ">bytes");
    for (LifeEntry.Listed life : listed.lives) {
      table.row(
          life.life(),
          life.name().isEmpty() ? "-" : Printable.oneLine(life.name()),
          life.ranks(),
          life.newest() == null ? "-" : life.newest(),
          life.takenAt() == null ? "-" : VersionSummary.localTime(Instant.parse(life.takenAt())),
          life.state(),
          Quantities.count(life.bytes()));
    }
    terminal.print(table);
  }

  static void printHead(Terminal terminal, String path, int ranks, int files, long fileBytes) {
    terminal.tell(
        "%s: a job of %s, %s in %s",
        Printable.oneLine(path),
        ranks == 1 ? "one rank" : ranks + " ranks",
        Quantities.bytes(fileBytes),
        files == 1 ? "one file" : files + " files");
  }

  private static void addRow(Table table, Listed container) {
    boolean empty = container.versions.isEmpty();
    table.row(
        Printable.oneLine(container.path),
        Quantities.count(container.versions.size()),
        empty ? "-" : container.versions.getFirst().version(),
        empty
            ? "-"
            : VersionSummary.localTime(Instant.parse(container.versions.getFirst().takenAt())),
        empty ? "-" : Quantities.bytes(container.versions.getFirst().protectedBytes()),
        Quantities.bytes(container.fileBytes));
  }
}
