// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.cairn.cli.CommandFailedException;
import org.cairn.cli.Explanations;
import org.cairn.cli.JsonOption;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.container.BlockScan;
import org.cairn.container.ContainerReader;
import org.cairn.version.VersionId;
import org.cairn.container.VersionInfo;
import org.cairn.container.VersionView;
import org.cairn.tier.FileNames;
import org.cairn.tier.TierKind;
import org.cairn.work.Workers;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn verify}. */
@Command(
    name = "verify",
    description = {
      "Reads every block of every version and compares it with its digest.",
      "",
      "Of a job of many ranks this means the containers, copies and parity of all of them.",
      "",
      "Exits with 1 if anything is damaged or missing, even what could be done without.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn verify checkpoints                  all versions",
      "  cairn verify --version 1.4 checkpoints    one version",
      "  cairn verify job job/rank3                all ranks of a job, or one",
      "  cairn verify --json /backup/*/            many, for machines"
    })
public final class VerifyCommand implements Callable<Integer> {
  private static final int SHOWN = 20;

  private final Terminal terminal;

  @Parameters(
      paramLabel = "DIR",
      arity = "1..*",
      description = "Directories of checkpoints, or container files.")
  private List<Path> paths = List.of();

  @Option(
      names = "--version",
      paramLabel = "V",
      converter = VersionConverter.class,
      description = "Verify this version only.")
  private @Nullable VersionId version;

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public VerifyCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** One container: what was read and what is wrong with it. */
  record Verified(
      String container, boolean sound, List<VerifiedVersion> versions, List<String> problems) {

    long blocks() {
      return versions.stream().mapToLong(VerifiedVersion::blocks).sum();
    }

    long bytes() {
      return versions.stream().mapToLong(VerifiedVersion::bytes).sum();
    }

    long damagedBlocks() {
      return versions.stream().mapToLong(VerifiedVersion::damagedBlocks).sum();
    }
  }

  /** A job of many ranks: its files by their names in it, and the ranks that have none. */
  private record VerifiedJob(String path, Map<String, Verified> files, Set<Integer> missing) {

    boolean sound() {
      return missing.isEmpty() && files.values().stream().allMatch(Verified::sound);
    }
  }

  /** One version. */
  record VerifiedVersion(
      String version, long blocks, long bytes, long damagedBlocks, List<String> problems) {

    boolean sound() {
      return problems.isEmpty();
    }
  }

  @Override
  public Integer call() throws IOException {
    List<Verified> verified = new ArrayList<>();
    List<VerifiedJob> jobs = new ArrayList<>();
    try (Workers workers = new Workers(Runtime.getRuntime().availableProcessors(), "verify")) {
      for (Path path : paths) {
        Optional<JobDirectory> job = JobDirectory.find(path);
        if (job.isPresent()) {
          jobs.add(verifyJob(job.get(), workers));
        } else {
          for (ContainerPath container : ContainerPath.all(path)) {
            verified.add(verify(container, workers));
          }
        }
      }
    }
    if (json.requested()) {
      jobs.forEach(job -> verified.addAll(job.files.values()));
      JsonOption.print(terminal, verified);
    } else {
      verified.forEach(this::print);
      jobs.forEach(this::print);
    }
    jobs.forEach(this::complainOfMissing);
    boolean sound =
        verified.stream().allMatch(Verified::sound) && jobs.stream().allMatch(VerifiedJob::sound);
    return sound ? 0 : 1;
  }

  private VerifiedJob verifyJob(JobDirectory job, Workers workers) throws IOException {
    Map<String, Verified> files = new LinkedHashMap<>();
    for (ContainerPath container : ContainerPath.all(job.path())) {
      if (mustHold(container)) {
        files.put(job.shortName(container), verify(container, workers));
      }
    }
    if (files.isEmpty()) {
      throw new CommandFailedException(job.path() + " has no version " + version);
    }
    return new VerifiedJob(job.path().toString(), files, missing(job));
  }

  /** A tier need not have got the one version that is to be verified, nor a rank of another job. */
  private boolean mustHold(ContainerPath container) {
    VersionId wanted = version;
    if (wanted == null) {
      return true;
    }
    try (ContainerReader reader = container.open()) {
      return reader.versions().stream().anyMatch(info -> info.id().compareTo(wanted) == 0);
    } catch (IOException e) {
      return true; // and will be told
    }
  }

  /** The ranks that the newest version was taken on and that have no container for it here. */
  private static Set<Integer> missing(JobDirectory job) throws IOException {
    JobSurvey survey = JobSurvey.of(job);
    Set<Integer> missing = new TreeSet<>();
    for (JobSurvey.Tier tier : survey.tiers()) {
      if (tier.tier().equals(TierKind.LOCAL.label()) && tier.file() == null) {
        missing.add(tier.rank());
      }
    }
    return missing;
  }

  private Verified verify(ContainerPath container, Workers workers) {
    try (ContainerReader reader = container.open()) {
      List<VersionInfo> chosen = chosen(reader);
      long total = chosen.stream().mapToLong(VersionInfo::protectedBytes).sum();
      List<VerifiedVersion> versions = new ArrayList<>();
      try (ProgressBar bar = terminal.bar("verify " + container.file(), total, Quantities::bytes)) {
        long before = 0;
        for (VersionInfo info : chosen) {
          versions.add(verify(container, reader, info, workers, bar, before));
          before += info.protectedBytes();
        }
      }
      boolean sound =
          reader.problems().isEmpty() && versions.stream().allMatch(VerifiedVersion::sound);
      return new Verified(container.toString(), sound, versions, reader.problems());
    } catch (IOException | IllegalArgumentException e) {
      return new Verified(container.toString(), false, List.of(), List.of(Explanations.of(e)));
    }
  }

  private List<VersionInfo> chosen(ContainerReader reader) throws IOException {
    VersionId wanted = version;
    return wanted == null ? reader.versions() : List.of(reader.view(wanted).info());
  }

  private static VerifiedVersion verify(
      ContainerPath container,
      ContainerReader reader,
      VersionInfo info,
      Workers workers,
      ProgressBar bar,
      long before) {
    String id = info.id().toString();
    List<String> problems;
    long damagedBlocks = 0;
    try {
      VersionView view = reader.view(info.id());
      List<BlockScan.Damage> damages =
          BlockScan.run(
              view,
              view.datasets(),
              workers,
              (dataset, block, bytes) -> {},
              false,
              done -> bar.reach(before + done));
      damagedBlocks = damages.size();
      problems = damages.stream().map(BlockScan.Damage::what).toList();
    } catch (IOException | IllegalArgumentException e) {
      problems = List.of(Explanations.of(e));
    }
    if (!problems.isEmpty() && isGone(reader, info.id())) {
      return new VerifiedVersion(id, 0, 0, 0, List.of());
    }
    return new VerifiedVersion(id, info.blocks(), info.protectedBytes(), damagedBlocks, problems);
  }

  /** A program that runs meanwhile may have given the version up, and its space to another. */
  private static boolean isGone(ContainerReader reader, VersionId id) {
    try {
      return !reader.isRetained(id);
    } catch (IOException e) {
      return false;
    }
  }

  private void print(Verified verified) {
    Table table = new Table("version", ">blocks", ">size", "result");
    for (VerifiedVersion version : verified.versions) {
      table.row(
          version.version,
          Quantities.count(version.blocks),
          Quantities.bytes(version.bytes),
          result(version));
    }
    terminal.out().println(Printable.oneLine(verified.container));
    if (!table.isEmpty()) {
      terminal.out().print(table);
    }
    terminal.out().println(verified.sound ? "Everything is sound." : "There is damage.");
    terminal.out().flush();
    verified.problems.forEach(this::complain);
    verified.versions.forEach(this::printProblems);
  }

  private void print(VerifiedJob job) {
    Table table = new Table("file", "holds", ">versions", ">blocks", ">size", "result");
    job.files.forEach(
        (name, file) ->
            table.row(
                Printable.oneLine(name),
                contents(name),
                Quantities.count(file.versions.size()),
                Quantities.count(file.blocks()),
                Quantities.bytes(file.bytes()),
                result(file)));
    terminal.out().println(Printable.oneLine(job.path));
    terminal.out().print(table);
    terminal.out().println(conclusion(job));
    terminal.out().flush();
    for (Verified file : job.files.values()) {
      file.problems.forEach(this::complain);
      file.versions.forEach(this::printProblems);
    }
  }

  private static String contents(String name) {
    Path file = Path.of(name).getFileName();
    return FileNames.meaning(String.valueOf(file))
        .map(
            meaning ->
                switch (meaning.kind()) {
                  case LOCAL -> "the state of rank " + meaning.rank();
                  case PARTNER -> "a copy of rank " + meaning.rank();
                  case ERASURE -> "parity, kept by rank " + meaning.rank();
                  case SHARED -> "segments";
                })
        .orElse("something else");
  }

  private static String result(Verified file) {
    if (file.damagedBlocks() > 0) {
      return Quantities.count(file.damagedBlocks()) + " block(s) damaged";
    }
    return file.sound ? "sound" : file.versions.isEmpty() ? "cannot be read" : "damaged";
  }

  private static String conclusion(VerifiedJob job) {
    if (job.sound()) {
      return "Everything is sound.";
    }
    List<String> damaged =
        job.files.entrySet().stream()
            .filter(file -> !file.getValue().sound)
            .map(file -> Printable.oneLine(file.getKey()))
            .toList();
    return damaged.isEmpty()
        ? "What is there is sound, but not everything is there."
        : "There is damage in " + String.join(", ", damaged) + ".";
  }

  private void complainOfMissing(VerifiedJob job) {
    if (!job.missing.isEmpty()) {
      complain(
          "%s has no container of %s; cairn ls tells whether tiers make up for it"
              .formatted(job.path, JobVersion.ranks(job.missing)));
    }
  }

  private static String result(VerifiedVersion version) {
    if (version.damagedBlocks > 0) {
      return Quantities.count(version.damagedBlocks) + " block(s) damaged";
    } else if (!version.sound()) {
      return "cannot be read";
    }
    return version.blocks == 0 && version.bytes == 0 ? "nothing to verify" : "sound";
  }

  private void printProblems(VerifiedVersion version) {
    version.problems.stream()
        .limit(SHOWN)
        .forEach(problem -> complain("version " + version.version + ": " + problem));
    if (version.problems.size() > SHOWN) {
      complain(
          "version %s: %d more, which --json shows"
              .formatted(version.version, version.problems.size() - SHOWN));
    }
  }

  private void complain(String problem) {
    terminal.remark("cairn verify: " + Printable.oneLine(problem));
  }
}
