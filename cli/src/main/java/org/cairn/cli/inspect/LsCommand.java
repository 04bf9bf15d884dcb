// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.cairn.cli.CommandFailedException;
import org.cairn.cli.Explanations;
import org.cairn.cli.JsonOption;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.container.ContainerReader;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cairn ls}. */
@Command(
    name = "ls",
    description = {
      "Lists containers: how many versions they hold, and which is the newest.",
      "",
      "Of a job of many ranks it lists the versions: which of them every rank has (complete), which"
          + " can be had with the help of other tiers (restorable), and which tiers hold them.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn ls                            the containers of this directory",
      "  cairn ls checkpoints other/run      those of two others",
      "  cairn ls job job/rank3              the versions of a job; the files of one of its ranks",
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
      long fileBytes,
      List<VersionSummary> versions,
      List<String> problems) {}

  /** A job of many ranks. */
  record ListedJob(
      String path,
      int ranks,
      int files,
      long fileBytes,
      List<JobVersion> versions,
      List<String> problems) {

    static ListedJob of(JobSurvey survey) {
      return new ListedJob(
          survey.job().path().toString(),
          survey.ranks(),
          survey.files(),
          survey.fileBytes(),
          survey.versions(),
          survey.problems());
    }
  }

  @Override
  public Integer call() {
    List<Listed> listed = new ArrayList<>();
    List<ListedJob> jobs = new ArrayList<>();
    for (Path path : paths) {
      list(path, listed, jobs);
    }
    if (json.requested()) {
      List<Object> all = new ArrayList<>(listed);
      all.addAll(jobs);
      JsonOption.print(terminal, all);
    } else {
      print(listed);
      jobs.forEach(this::print);
    }
    boolean sound =
        listed.stream().allMatch(container -> container.problems.isEmpty())
            && jobs.stream().allMatch(job -> job.problems.isEmpty());
    return sound ? 0 : 1;
  }

  private void list(Path path, List<Listed> listed, List<ListedJob> jobs) {
    try {
      Optional<JobDirectory> job = JobDirectory.find(path);
      if (job.isPresent()) {
        jobs.add(ListedJob.of(shared.survey(job.get())));
        return;
      }
      for (ContainerPath container : ContainerPath.all(path)) {
        listed.add(list(container));
      }
    } catch (IOException | CommandFailedException e) {
      listed.add(unreadable(path.toString(), e));
    }
  }

  private static Listed list(ContainerPath container) {
    try (ContainerReader reader = container.open()) {
      return new Listed(
          container.toString(),
          reader.id().toString(),
          reader.fileBytes(),
          reader.versions().stream().map(VersionSummary::of).toList(),
          reader.problems());
    } catch (IOException e) {
      return unreadable(container.toString(), e);
    }
  }

  private static Listed unreadable(String path, Exception e) {
    return new Listed(path, null, 0, List.of(), List.of(Explanations.of(e)));
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
      terminal.out().print(table);
      terminal.out().flush();
    }
    for (Listed container : listed) {
      container.problems.forEach(
          problem -> terminal.remark("cairn ls: " + Printable.oneLine(problem)));
    }
  }

  private void print(ListedJob job) {
    printHead(terminal, job.path, job.ranks, job.files, job.fileBytes);
    if (job.versions.isEmpty()) {
      terminal.out().println("It holds no version yet.");
    } else {
      terminal.out().print(JobVersion.table(job.versions));
    }
    terminal.out().flush();
    job.problems.forEach(problem -> terminal.remark("cairn ls: " + Printable.oneLine(problem)));
  }

  static void printHead(Terminal terminal, String path, int ranks, int files, long fileBytes) {
    terminal
        .out()
        .printf(
            "%s: a job of %s, %s in %s%n",
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
