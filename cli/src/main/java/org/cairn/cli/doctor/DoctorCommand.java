// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.cairn.cli.command.Explanations;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.TemporaryFolder;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.cairn.cli.terminal.Text;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cairn doctor}. */
@Command(
    name = "doctor",
    description = {
      "Looks at this machine and at a directory for checkpoints, in about five seconds.",
      "",
      "Java, vectors, MPI and HDF5; file system, space, locks and forces of the directory; how fast"
          + " hashing, memory and disk are. It says what is missing, and the command that installs"
          + " it.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn doctor                   this machine, and the directory where you are",
      "  cairn doctor /scratch/me       a directory for checkpoints",
      "",
      "Exit codes: 0 Cairn works here, 1 something is BAD, 2 wrong usage."
    })
public final class DoctorCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "DIR",
      description = "Where checkpoints would go (where you are).")
  private Path directory = Path.of(".");

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public DoctorCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * All that was found; printed as it is with {@code --json}.
   *
   * @param bytesPerSecond of one thread
   */
  record Report(
      String directory,
      List<Finding> findings,
      Map<String, Double> bytesPerSecond,
      boolean works) {}

  @Override
  public Integer call() throws IOException {
    Report report = look();
    if (json.requested()) {
      JsonOption.print(terminal, report);
    } else {
      print(report);
    }
    return report.works() ? 0 : 1;
  }

  private Report look() throws IOException {
    try (ProgressBar bar = terminal.bar("doctor", 4, Quantities::count)) {
      List<Finding> findings = new ArrayList<>(new Surroundings(System.getenv()).look());
      bar.advance(1);
      Map<String, Double> speeds = new LinkedHashMap<>();
      speeds.put("hash", Speeds.hash());
      bar.advance(1);
      speeds.put("memory", Speeds.memory());
      bar.advance(1);
      findings.addAll(place(speeds));
      bar.advance(1);
      boolean works = findings.stream().noneMatch(finding -> finding.state() == Finding.State.BAD);
      return new Report(directory.toAbsolutePath().normalize().toString(), findings, speeds, works);
    }
  }

  private List<Finding> place(Map<String, Double> speeds) {
    try {
      if (!Files.isDirectory(directory)) {
        return List.of(
            Files.exists(directory)
                ? unusable(directory + " is no directory", "name a directory")
                : unusable(directory + " does not exist", "mkdir -p " + directory));
      }
      Path own = directory.resolve(".cairn-doctor-" + ProcessHandle.current().pid());
      try (TemporaryFolder folder = TemporaryFolder.inPlace(own)) {
        List<Finding> findings = new Place(directory, folder.path()).look();
        speeds.put("disk", Speeds.disk(own.resolve("written")));
        return findings;
      }
    } catch (IOException e) {
      return List.of(unusable(Explanations.of(e), "choose a directory that you can write to"));
    }
  }

  private static Finding unusable(String why, String remedy) {
    return new Finding("directory", Finding.State.BAD, why, remedy);
  }

  private String coloured(Finding.State state, String text) {
    return state == Finding.State.BAD ? terminal.colours().alarming(text) : text;
  }

  private void print(Report report) {
    int label = 13;
    int state = 9;
    String indent = " ".repeat(label + state);
    for (Finding finding : report.findings()) {
      String head = "%-13s%-9s".formatted(finding.what(), finding.state().label());
      String shown = Text.wrap(head + finding.found(), terminal.columns(), indent);
      terminal.out().println(coloured(finding.state(), shown));
      if (!finding.remedy().isEmpty()) {
        terminal
            .out()
            .println(
                Text.wrap(indent + "→ " + finding.remedy(), terminal.columns(), indent + "  "));
      }
    }
    report
        .bytesPerSecond()
        .forEach(
            (what, speed) ->
                terminal
                    .out()
                    .println("%-22s%s/s".formatted(what, Quantities.bytes(Math.round(speed)))));
    terminal.out().println();
    terminal.say(
        report.works()
            ? "Cairn works here, with checkpoints in %s. Speeds are of one thread, at a glance; cairn bench measures."
                .formatted(report.directory())
            : "Cairn does not work here as it is; see what is BAD.");
  }
}
