// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.cairn.CheckpointUnavailableException;
import org.cairn.SavedArray;
import org.cairn.VersionName;
import org.cairn.cli.array.ArrayDifference;
import org.cairn.cli.array.JobArrays;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Explanations;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.pack.PackComparison;
import org.cairn.cli.pack.Packs;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.container.VersionView;
import org.cairn.pack.Pack;
import org.cairn.version.DatasetSpec;
import org.cairn.work.Workers;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cairn diff}. */
@Command(
    name = "diff",
    description = {
      "Shows which blocks of which datasets changed from one version to another.",
      "",
      "The versions are two of one directory (DIR A B), or the newest ones, or those named behind"
          + " an @, of two directories or container files. A directory can be a shared one.",
      "",
      "Of two packs, or two versions of a directory of packs, it shows which files came, went and"
          + " changed, and how many bytes of them.",
      ""
    },
    customSynopsis = {
      "cairn diff [OPTIONS] DIR VERSION VERSION",
      "cairn diff [OPTIONS] DIR[@VERSION] DIR[@VERSION]"
    },
    footer = {
      "",
      "Examples:",
      "  cairn diff checkpoints 1.3 1.4      what the checkpoint 1.4 had to write",
      "  cairn diff --rank 3 job 1.3 1.4     the same of one rank of a job",
      "  cairn diff job 1.3 1.4 --dataset u  where in an array of all ranks, and how much",
      "  cairn diff run1 run2                where two runs ended up apart",
      "  cairn diff run1@1.3 run2@1.3        whether they had parted by then",
      "  cairn diff job@1.3@5f0c run2@1.3    a version of one of several runs",
      "  cairn diff PACKS 2.4 2.5            what became of files from one set to the next",
      "  cairn diff a.cairnpack PACKS@2.5    a pack and a version of a directory",
      "  cairn diff --exit-code run1 run2    for scripts: 1 if they differ"
    })
public final class DiffCommand implements Callable<Integer> {
  private static final int RANGES = 8;

  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Parameters(arity = "1..3", paramLabel = "DIR", description = "What to compare; see above.")
  private List<String> arguments = List.of();

  @Option(
      names = "--dataset",
      paramLabel = "NAME",
      description =
          "Compare this array of all ranks, element by element: where in it they differ, and how"
              + " much.")
  private @Nullable String dataset;

  @Option(names = "--exit-code", description = "Exit with 1 if there are differences.")
  private boolean exitCode;

  @Option(names = "--all", description = "Print all ranges of blocks, however many there are.")
  private boolean all;

  @Mixin private final StateOption state = new StateOption();

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public DiffCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** What the command found; printed as it is with {@code --json}. */
  record Report(Side before, Side after, boolean same, List<Difference> datasets) {}

  record Side(String container, String version) {}

  record Difference(
      String name,
      String kind,
      @Nullable Long bytesBefore,
      @Nullable Long bytesAfter,
      int blockSize,
      long blocks,
      long changedBlocks,
      List<long[]> changed) {}

  @Override
  public Integer call() throws IOException {
    requireTwo();
    StateName first = operand(0);
    StateName second = operand(1);
    if (Packs.isAny(first.path()) || Packs.isAny(second.path())) {
      return diffPacks(first, second);
    }
    if (dataset != null && state.rank() == null) {
      return diffArrays(first, second, dataset);
    }
    if (dataset != null) {
      throw new ParameterException(
          spec.commandLine(), "--dataset is for arrays of all ranks, not with --rank");
    }
    try (Opened before = state.open(first.path(), first.version());
        Opened after = state.open(second.path(), second.version());
        Workers workers = new Workers(Runtime.getRuntime().availableProcessors(), "diff")) {
      VersionView old = before.view();
      VersionView now = after.view();
      List<DatasetDifference> differences = VersionDifference.of(old, now, workers);
      boolean same = differences.stream().allMatch(DatasetDifference::isSame);
      if (json.requested()) {
        printJson(side(before, old), side(after, now), same, differences);
      } else {
        print(same, differences);
      }
      return same || !exitCode ? 0 : 1;
    }
  }

  private int diffArrays(StateName first, StateName second, String name) throws IOException {
    try (JobArrays before = arrays(first);
        JobArrays after = arrays(second)) {
      SavedArray old = before.array(name);
      ArrayDifference difference;
      try (ProgressBar bar = terminal.bar("diff", old.byteSize(), Quantities::bytes)) {
        difference = ArrayDifference.of(old, after.array(name), bar::reach);
      }
      WholeArrays.tell("diff", before.detours(), terminal);
      WholeArrays.tell("diff", after.detours(), terminal);
      if (json.requested()) {
        JsonOption.print(terminal, difference);
      } else {
        terminal.out().println(difference);
      }
      return difference.isSame() || !exitCode ? 0 : 1;
    } catch (CheckpointUnavailableException e) {
      throw new CommandFailedException(Explanations.of(e), e);
    }
  }

  private JobArrays arrays(StateName operand) throws IOException {
    return WholeArrays.open(operand.path(), null, state.job(), operand.version())
        .orElseThrow(
            () ->
                new CommandFailedException(
                    operand.path() + " has no version of which every rank is there"));
  }

  private int diffPacks(StateName first, StateName second) throws IOException {
    try (Pack before = Packs.open(first.path(), first.version());
        Pack after = Packs.open(second.path(), second.version())) {
      PackComparison comparison = PackComparison.of(before, after);
      if (json.requested()) {
        JsonOption.print(terminal, comparison);
      } else {
        comparison.print(terminal);
      }
      boolean told = comparison.same() || !exitCode;
      return told && comparison.problems().isEmpty() ? 0 : 1;
    }
  }

  /** One version alone cannot be compared, and a version is no directory. */
  private void requireTwo() {
    String first = arguments.getFirst();
    if (arguments.size() == 1) {
      throw new ParameterException(
          spec.commandLine(),
          "say what to compare: cairn diff %s VERSION VERSION, or cairn diff %s OTHER, with another directory, container or pack"
              .formatted(first, first));
    }
    String second = arguments.get(1);
    boolean versionAlone =
        arguments.size() == 2
            && second.matches("\\d+\\.\\d+(@[0-9a-f]+)?")
            && !Files.exists(Path.of(second));
    if (versionAlone) {
      throw new ParameterException(
          spec.commandLine(),
          "with which version shall %s be compared? Write cairn diff %s %s VERSION; cairn show %s lists them"
              .formatted(second, first, second, first));
    }
  }

  private StateName operand(int index) {
    try {
      return arguments.size() == 3
          ? new StateName(Path.of(arguments.get(0)), VersionName.parse(arguments.get(index + 1)))
          : StateName.parse(arguments.get(index));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private static Side side(Opened opened, VersionView view) {
    return new Side(opened.location(), view.info().id().toString());
  }

  private void printJson(
      Side before, Side after, boolean same, List<DatasetDifference> differences) {
    List<Difference> datasets =
        differences.stream()
            .map(
                d ->
                    new Difference(
                        d.name(),
                        d.kind(),
                        d.before() == null ? null : d.before().byteLength(),
                        d.after() == null ? null : d.after().byteLength(),
                        d.unit(),
                        d.units(),
                        d.changed().count(),
                        d.changed().ranges()))
            .toList();
    JsonOption.print(terminal, new Report(before, after, same, datasets));
  }

  private void print(boolean same, List<DatasetDifference> differences) {
    if (same) {
      terminal.out().println("The versions are the same.");
      return;
    }
    Table table = new Table("dataset", "change", ">blocks", ">share", ">block size", "which");
    for (DatasetDifference d : differences) {
      if (!d.isSame()) {
        table.row(
            Printable.name(d.name()),
            change(d),
            Quantities.count(d.changed().count()) + " of " + Quantities.count(d.units()),
            Quantities.percent(d.changed().count(), d.units()),
            Quantities.bytes(d.unit()),
            d.changed().text(all ? Integer.MAX_VALUE : RANGES));
      }
    }
    terminal.print(table);
    long unchanged = differences.stream().filter(DatasetDifference::isSame).count();
    if (unchanged > 0) {
      terminal.out().println(Quantities.count(unchanged) + " more dataset(s) are the same.");
    }
  }

  private static String change(DatasetDifference d) {
    DatasetSpec before = d.before();
    DatasetSpec after = d.after();
    if (before == null || after == null) {
      return d.kind();
    }
    return switch (d.kind()) {
      case "grown", "shrunk" ->
          d.kind()
              + ", "
              + Quantities.bytes(before.byteLength())
              + " to "
              + Quantities.bytes(after.byteLength());
      case "retyped" -> d.kind() + ", " + before.type().label() + " to " + after.type().label();
      case "reshaped" -> d.kind() + ", " + before.shape() + " to " + after.shape();
      default -> d.kind();
    };
  }
}
