// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.cairn.cli.Explanations;
import org.cairn.cli.JsonOption;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.container.BlockScan;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionId;
import org.cairn.container.VersionInfo;
import org.cairn.container.VersionView;
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
      "Exits with 1 if anything is damaged, even what could be done without.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn verify checkpoints                  all versions",
      "  cairn verify --version 1.4 checkpoints    one version",
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
      String container, boolean sound, List<VerifiedVersion> versions, List<String> problems) {}

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
    try (Workers workers = new Workers(Runtime.getRuntime().availableProcessors(), "verify")) {
      for (Path path : paths) {
        for (ContainerPath container : ContainerPath.all(path)) {
          verified.add(verify(container, workers));
        }
      }
    }
    if (json.requested()) {
      JsonOption.print(terminal, verified);
    } else {
      verified.forEach(this::print);
    }
    return verified.stream().allMatch(Verified::sound) ? 0 : 1;
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
