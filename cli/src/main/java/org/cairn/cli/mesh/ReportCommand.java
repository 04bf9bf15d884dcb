// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.mesh;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Checkpoints;
import org.cairn.SavedVersion;
import org.cairn.VersionName;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.VersionConverter;
import org.cairn.cli.inspect.Inventory;
import org.cairn.cli.inspect.JobOption;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.mesh.MeshReport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn mesh report}. */
@Command(
    name = "report",
    description = {
      "Says where in its program a checkpoint of a mesh was taken and why there, what is saved of"
          + " each field and why, and how long a restart would replay.",
      "",
      "A field needs saving where loops after the place read it before they overwrite it. Points are"
          + " counted with those of the halo around the grid.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn mesh report checkpoints",
      "  cairn mesh report checkpoints --version 1.3",
      "  cairn mesh report checkpoints --json",
      "",
      "docs/mesh-report.md explains each line."
    })
public final class ReportCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(
      paramLabel = "DIR",
      description = "A directory of checkpoints, a shared directory, or a container file.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path path;

  @Option(
      names = "--version",
      paramLabel = "V",
      converter = VersionConverter.class,
      description = "Report on this version; the newest unless given.")
  private @Nullable VersionName version;

  @Mixin private final JobOption job = new JobOption();

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public ReportCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * What is printed with {@code --json}.
   *
   * @param writtenBytes by all ranks into their containers; null where there are none
   */
  record Report(
      String directory,
      String version,
      String takenAt,
      int ranks,
      Place place,
      @Nullable Long step,
      @Nullable Double time,
      MeshReport.Replayed replay,
      long totalBytes,
      long neededBytes,
      long savedBytes,
      long lateBytes,
      long recordBytes,
      @Nullable Long writtenBytes,
      List<MeshReport.OfField> fields,
      List<MeshReport.RunnerUp> runnersUp) {}

  /** Where it was taken. */
  record Place(String words, String why, boolean isHere, long distance, long calls, int loops) {}

  @Override
  public Integer call() throws IOException {
    if (!Files.exists(path)) {
      throw new CommandFailedException(path + " does not exist");
    }
    Report report = read();
    if (json.requested()) {
      JsonOption.print(terminal, report);
    } else {
      print(report);
    }
    return 0;
  }

  private Report read() throws IOException {
    try (Checkpoints saved = Checkpoints.open(path)) {
      if (saved.versions().isEmpty()) {
        throw new CommandFailedException(
            path
                + " has no checkpoint yet: a mesh takes its first when one is due and its loops have come round twice; cairn ls shows what is there");
      }
      SavedVersion meant = version(saved);
      MeshReport mesh =
          MeshReport.find(meant)
              .orElseThrow(
                  () ->
                      new CommandFailedException(
                          "version %s in %s was taken by a program that is no mesh; cairn show says what is in it"
                              .formatted(meant.id(), path)));
      return report(meant, mesh);
    } catch (CheckpointUnavailableException e) {
      String why = String.valueOf(e.getMessage()).lines().map(String::strip).collect(joining("; "));
      throw new CommandFailedException(why.replace(":; ", ": "), e);
    }
  }

  private SavedVersion version(Checkpoints saved) {
    try {
      String id = job.id();
      Checkpoints chosen = id == null ? saved : saved.job(id);
      return version == null ? chosen.newest() : chosen.version(version.toString());
    } catch (IllegalArgumentException e) {
      throw CommandFailedException.ambiguous(String.valueOf(e.getMessage()));
    }
  }

  private Report report(SavedVersion meant, MeshReport mesh) throws IOException {
    OptionalLong step = mesh.step();
    OptionalDouble time = mesh.time();
    OptionalLong written = Inventory.of(path, null).bytesWritten(meant.id());
    return new Report(
        path.toString(),
        meant.id().exact(),
        meant.takenAt().toString(),
        mesh.ranks(),
        new Place(
            mesh.place(), mesh.why(), mesh.isHere(), mesh.distance(), mesh.calls(), mesh.loops()),
        step.isPresent() ? step.getAsLong() : null,
        time.isPresent() ? time.getAsDouble() : null,
        mesh.replay(),
        mesh.totalBytes(),
        mesh.neededBytes(),
        mesh.savedBytes(),
        mesh.lateBytes(),
        mesh.recordBytes(),
        written.isPresent() ? written.getAsLong() : null,
        mesh.fields(),
        mesh.runnersUp());
  }

  // ---------------------------------------------------------------- for people

  private void print(Report report) {
    PrintStream out = terminal.out();
    out.printf(
        "Version %s of %s, taken by %s%n",
        report.version,
        Printable.oneLine(report.directory),
        report.ranks == 1 ? "one rank" : report.ranks + " ranks");
    Place place = report.place;
    out.printf("place    %s (%s)%n", Printable.oneLine(place.words), Printable.oneLine(place.why));
    if (place.distance > 0) {
      out.printf("again    after at most %s loops%n", Quantities.count(place.distance));
    }
    out.printf(
        "program  %s calls of %s loops%s%n",
        Quantities.count(place.calls), Quantities.count(place.loops), moment(report));
    out.printf("restart  %s%n", restart(report));
    if (report.replay.takesLong()) {
      out.println("         That is long: mesh.here() at the top of a step does without a replay.");
    }
    out.println();
    terminal.print(fields(report));
    out.println();
    terminal.print(bytes(report));
    if (!report.runnersUp.isEmpty()) {
      out.println();
      terminal.print(runnersUp(report));
    }
  }

  private static String moment(Report report) {
    return report.step == null
        ? ""
        : "; step %s, time %s".formatted(Quantities.count(report.step), report.time);
  }

  private static String restart(Report report) {
    MeshReport.Replayed replay = report.replay;
    String initial = Quantities.seconds(replay.initialSeconds());
    if (report.place.isHere) {
      return "goes on at here(), without a replay; what comes before it is run";
    }
    return "about %s: replays %s calls, %s each (%s), and runs the initial phase, %s"
        .formatted(
            Quantities.seconds(replay.seconds()),
            Quantities.count(replay.calls()),
            Quantities.seconds(replay.nanosPerCall() * 1e-9),
            replay.isMeasured() ? "measured" : "estimated",
            initial);
  }

  private static Table fields(Report report) {
    Table table = new Table("field", "type", ">needed", ">of", ">boxes", ">saved", ">late", "why");
    for (MeshReport.OfField field : report.fields) {
      table.row(
          Printable.name(field.name()),
          Printable.oneLine(field.type()),
          Quantities.count(field.needed()),
          Quantities.count(field.points()),
          Quantities.count(field.boxes()),
          size(field.savedBytes()) + (field.isInPlace() ? " whole" : ""),
          size(field.lateBytes()),
          Printable.oneLine(field.reason()));
    }
    return table;
  }

  private static String size(long bytes) {
    return bytes == 0 ? "-" : Quantities.bytes(bytes);
  }

  private static Table bytes(Report report) {
    Table table = new Table("bytes", ">size", ">of all fields");
    row(table, report, "all fields", report.totalBytes);
    row(table, report, "needed at the place", report.neededBytes);
    row(table, report, "saved at the place", report.savedBytes);
    row(table, report, "saved late", report.lateBytes);
    row(table, report, "recorded values, on each rank", report.recordBytes);
    if (report.writtenBytes != null) {
      row(table, report, "written by this checkpoint", report.writtenBytes);
    }
    return table;
  }

  private static void row(Table table, Report report, String what, long bytes) {
    table.row(what, Quantities.bytes(bytes), share(bytes, report.totalBytes));
  }

  /** Of a small mesh what is beside its fields may be more than they are. */
  private static String share(long bytes, long total) {
    return bytes > total && total > 0
        ? String.format(Locale.ROOT, "%.1f ×", (double) bytes / total)
        : Quantities.percent(bytes, total);
  }

  private static Table runnersUp(Report report) {
    Table table = new Table("other places", ">would save", ">again after");
    for (MeshReport.RunnerUp one : report.runnersUp) {
      table.row(
          Printable.oneLine(one.place()),
          Quantities.bytes(one.bytes()),
          Quantities.count(one.distance()) + " loops");
    }
    return table;
  }
}
