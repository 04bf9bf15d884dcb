// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.convert;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.cairn.CheckpointFailedException;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Conversion;
import org.cairn.SavedVersion;
import org.cairn.VersionName;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Explanations;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.VersionConverter;
import org.cairn.cli.inspect.JobOption;
import org.cairn.cli.inspect.SharedOption;
import org.cairn.cli.inspect.WholeArrays;
import org.cairn.cli.inspect.WholeVersion;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn convert}. */
@Command(
    name = "convert",
    description = {
      "Writes a version as a new job of another number of ranks, without the program. The job in"
          + " DIR is only read, and may go on meanwhile.",
      "",
      "Arrays that ranks have in parts are cut anew, one brick for each rank; items of bags are"
          + " dealt out in equal shares, in their order; what is the same everywhere stays so. What"
          + " each rank has alone only the program understands: --drop gives it up. On as many"
          + " ranks as before, all have what they had.",
      "",
      "Every block that is read is verified, from whatever tier it comes; one that is damaged is"
          + " taken from another tier, and told. The new job has an identity of its own: nothing of"
          + " one ever takes the place of the other.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn convert job --ranks 3 --to job3               the newest version, for three ranks",
      "  cairn convert job --ranks 1 --to alone              for a program without ranks",
      "  cairn convert job --version 1.3 --ranks 3 --to job3     another version",
      "  cairn convert job --ranks 6 --grid u=2x3 --to job6  with a say in how u is cut",
      "  cairn convert job --ranks 3 --drop rng --to job3    without what each rank has alone",
      "  cairn convert job --shared /scratch/s --ranks 3 --to job3   also what was flushed there",
      "  cairn convert /scratch/s --ranks 3 --to job3        of a shared directory alone"
    })
public final class ConvertCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(
      paramLabel = "DIR",
      description = "A directory of checkpoints, a shared directory, or a container file.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path path;

  @Option(
      names = "--ranks",
      paramLabel = "M",
      required = true,
      description = "How many ranks the new job has.")
  private int ranks;

  @Option(
      names = "--to",
      paramLabel = "DIR",
      required = true,
      description = "The directory of the new job: new, or empty.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path target;

  @Option(
      names = "--version",
      paramLabel = "V",
      converter = VersionConverter.class,
      description = "Convert this version; the newest that can be had unless given.")
  private @Nullable VersionName version;

  @Option(
      names = "--drop",
      paramLabel = "NAME",
      description = "Leave out this dataset or array; may be given several times.")
  private List<String> dropped = List.of();

  @Option(
      names = "--grid",
      paramLabel = "GRID",
      converter = GridOption.Converter.class,
      description =
          "Cut arrays into so many bricks along each axis: 2x3 for all of two axes, u=2x3 for one;"
              + " may be given several times. Unless given, along the axes along which they were"
              + " cut before.")
  private List<GridOption> grids = List.of();

  @Mixin private final SharedOption shared = new SharedOption();

  @Mixin private final JobOption job = new JobOption();

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public ConvertCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** What was written; printed as it is with {@code --json}. */
  record Report(
      String source,
      String sourceVersion,
      int sourceRanks,
      String directory,
      String version,
      String job,
      int ranks,
      List<Converted> datasets) {}

  record Converted(String dataset, String type, String divided, long bytes) {
    static Converted of(Conversion.Planned one) {
      return new Converted(one.dataset(), one.type().label(), one.how(), one.bytes());
    }
  }

  @Override
  public Integer call() throws IOException {
    if (ranks < 1) {
      throw new CommandFailedException("a job has at least one rank; --ranks was " + ranks);
    }
    refuseInside();
    try (Unfinished directory = Unfinished.of(target)) {
      print(convert(directory));
      return 0;
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(String.valueOf(e.getMessage()), e);
    } catch (CheckpointFailedException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new CommandFailedException(
          "%s was not made, and %s is as it was: %s".formatted(target, path, cause.getMessage()),
          e);
    } catch (CheckpointUnavailableException e) {
      throw new CommandFailedException(
          "%s; no other place has it%s; --version takes another version"
              .formatted(
                  Explanations.of(e),
                  shared.directory() == null
                      ? " that is known: name a shared directory with --shared"
                      : ""),
          e);
    }
  }

  /** What is converted is only read: nothing new is to lie in it. */
  private void refuseInside() throws IOException {
    for (Path from :
        shared.directory() == null ? List.of(path) : List.of(path, shared.directory())) {
      if (Files.isDirectory(from) && isInside(target, from.toRealPath())) {
        throw new CommandFailedException(
            "%s is in %s, which is only read; name a directory elsewhere".formatted(target, from));
      }
    }
  }

  private static boolean isInside(Path directory, Path place) throws IOException {
    for (Path at = directory.toAbsolutePath().normalize(); at != null; at = at.getParent()) {
      if (Files.exists(at)) {
        return at.toRealPath().startsWith(place);
      }
    }
    return false;
  }

  private Report convert(Unfinished directory) throws IOException {
    try (WholeVersion whole =
        WholeVersion.open(path, shared.directory(), job.id(), version, directory.room())) {
      whole.passedOver().forEach(one -> terminal.remark("passed over " + Printable.oneLine(one)));
      SavedVersion saved = whole.version();
      Conversion conversion = conversion(saved);
      List<Conversion.Planned> plan = conversion.plan();
      long total = plan.stream().mapToLong(Conversion.Planned::bytes).sum();
      VersionId made;
      try (ProgressBar bar = terminal.bar("convert", total, Quantities::bytes)) {
        made = conversion.writeTo(directory.made(), bar::reach);
        bar.reach(total);
      }
      WholeArrays.tell("convert", whole.detours(), terminal);
      directory.publish();
      return new Report(
          path.toString(),
          saved.id().exact(),
          saved.ranks(),
          target.toString(),
          made.exact(),
          made.job().toString(),
          ranks,
          plan.stream().map(Converted::of).toList());
    }
  }

  private Conversion conversion(SavedVersion saved) {
    Conversion conversion = Conversion.of(saved, ranks).dropping(dropped);
    for (GridOption grid : grids) {
      conversion =
          grid.array() == null
              ? conversion.grid(grid.cuts())
              : conversion.grid(grid.array(), grid.cuts());
    }
    return conversion;
  }

  private void print(Report report) {
    if (json.requested()) {
      JsonOption.print(terminal, report);
      return;
    }
    Table table = new Table("dataset", "type", ">size", "divided");
    for (Converted one : report.datasets) {
      table.row(Printable.name(one.dataset), one.type, Quantities.bytes(one.bytes), one.divided);
    }
    terminal.print(table);
    terminal
        .out()
        .printf(
            "Version %s of %s is version %s of %s in %s, a job of its own: %s.%n",
            report.sourceVersion,
            ranks(report.sourceRanks),
            report.version,
            ranks(report.ranks),
            Printable.oneLine(report.directory),
            report.job);
  }

  private static String ranks(int number) {
    return number == 1 ? "1 rank" : number + " ranks";
  }
}
