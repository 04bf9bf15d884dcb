// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.cairn.VersionName;
import org.cairn.cli.answer.Units;
import org.cairn.cli.command.Explanations;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.VersionConverter;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cairn prune}. */
@Command(
    name = "prune",
    description = {
      "Deletes what can be done without, in a directory of checkpoints or a shared one: old"
          + " versions, old lives, leftovers and damaged files. Without saying which of these, it"
          + " tells what each would free and deletes nothing.",
      "",
      "The newest version that can be restored of a current life stays; so does what was taken to be"
          + " kept, unless --kept says otherwise. What a running job holds a lock or the lease of"
          + " is named, and stays, too.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn prune checkpoints                       what could be freed",
      "  cairn prune --versions --keep 2 job           all but the two newest versions",
      "  cairn prune --kept --version 1.3 job          a version that was taken to be kept",
      "  cairn prune --lives --older-than 30d /scratch/s     jobs that nobody goes on with",
      "  cairn prune --damaged --dry-run job           what was put aside, without deleting it"
    })
public final class PruneCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Parameters(paramLabel = "DIR", description = "A directory of checkpoints, or a shared one.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path path;

  @Option(
      names = "--versions",
      description =
          "Delete old versions of current lives, and files of another number of ranks that hold"
              + " nothing else.")
  private boolean versions;

  @Option(names = "--kept", description = "Delete versions that were taken to be kept.")
  private boolean kept;

  @Option(
      names = "--version",
      paramLabel = "V",
      converter = VersionConverter.class,
      description = "With --kept: this version only.")
  private @Nullable VersionName version;

  @Option(
      names = "--lives",
      description = "Delete lives that are past; with --older-than also those that rest.")
  private boolean lives;

  @Option(
      names = "--leftovers",
      description =
          "Delete files of earlier mappings of ranks to nodes, unfinished files, marks and claims.")
  private boolean leftovers;

  @Option(
      names = "--damaged",
      description = "Delete files that were put aside, and versions that are not whole.")
  private boolean damaged;

  @Option(
      names = "--keep",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many versions of each life stay that can be restored (1).")
  private int keep = 1;

  @Option(
      names = "--older-than",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description = "Lives count as old if no version was taken within TIME, such as 30d.")
  private @Nullable Double olderThan;

  @Option(names = "--dry-run", description = "Tell what would be deleted, and delete nothing.")
  private boolean dryRun;

  @Mixin private final JobOption job = new JobOption();

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public PruneCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * What was done; printed as it is with {@code --json}.
   *
   * @param bytes what was freed, or would be
   * @param inside how much of it is free in files that stay, and did not make them shorter
   */
  record Report(String path, boolean dryRun, long bytes, long inside, List<Item> items) {}

  /**
   * One thing.
   *
   * @param inside how much of what was freed is free in a file that stays
   * @param kept why it stays; null if it is gone, or would be
   */
  record Item(
      String category, String what, String life, long bytes, long inside, @Nullable String kept) {}

  @Override
  public Integer call() throws IOException {
    if (keep < 1) {
      throw new ParameterException(spec.commandLine(), "--keep " + keep + ": at least one stays");
    }
    if (version != null && !kept) {
      throw new ParameterException(
          spec.commandLine(), "--version says which version --kept deletes; add --kept");
    }
    Set<Prunable.Category> wanted = wanted();
    boolean nothing = dryRun || wanted.isEmpty();
    List<Item> items = new ArrayList<>();
    boolean failed = false;
    for (Prunable prunable : find()) {
      if (wanted.isEmpty() || wanted.contains(prunable.category())) {
        if (nothing) {
          items.add(item(prunable, prunable.bytes(), 0, null));
        } else {
          failed |= !delete(prunable, items);
        }
      }
    }
    long bytes = items.stream().filter(item -> item.kept == null).mapToLong(Item::bytes).sum();
    long inside = items.stream().mapToLong(Item::inside).sum();
    print(new Report(path.toString(), nothing, bytes, inside, items), wanted.isEmpty());
    return failed ? 1 : 0;
  }

  private Set<Prunable.Category> wanted() {
    Set<Prunable.Category> wanted = EnumSet.noneOf(Prunable.Category.class);
    if (versions) {
      wanted.add(Prunable.Category.VERSIONS);
    }
    if (kept) {
      wanted.add(Prunable.Category.KEPT);
    }
    if (lives) {
      wanted.add(Prunable.Category.LIVES);
    }
    if (leftovers) {
      wanted.add(Prunable.Category.LEFTOVERS);
    }
    if (damaged) {
      wanted.add(Prunable.Category.DAMAGED);
    }
    return wanted;
  }

  private List<Prunable> find() throws IOException {
    Inventory all = Inventory.of(path, null);
    Double age = olderThan;
    PruneRules rules =
        new PruneRules(
            keep,
            age == null ? null : Instant.now().minus(Duration.ofMillis(Math.round(age * 1e3))),
            job.id() == null ? null : all.choose(job.id()).orElseThrow(),
            version);
    SharedPlace shared = all.shared();
    all.problems().forEach(this::remark);
    return shared == null
        ? new LocalPruning(all, rules).find()
        : new SharedPruning(all, shared, rules).find();
  }

  /** False if it could not be deleted for no good reason. */
  private boolean delete(Prunable prunable, List<Item> items) {
    try {
      long before = length(prunable);
      long freed = prunable.deletion().run();
      long shorter = before - length(prunable);
      long inside = prunable.stays().isPresent() ? Math.max(0, freed - shorter) : 0;
      items.add(item(prunable, freed, inside, null));
      return true;
    } catch (Prunable.KeptException e) {
      items.add(item(prunable, prunable.bytes(), 0, Explanations.of(e)));
      return true;
    } catch (IOException e) {
      items.add(item(prunable, prunable.bytes(), 0, Explanations.of(e)));
      return false;
    }
  }

  private static long length(Prunable prunable) throws IOException {
    return prunable.stays().isPresent() ? Files.size(prunable.stays().get()) : 0;
  }

  private static Item item(Prunable prunable, long bytes, long inside, @Nullable String kept) {
    return new Item(
        prunable.category().label(), prunable.what(), prunable.life(), bytes, inside, kept);
  }

  private void remark(String problem) {
    terminal.remark("cairn prune: " + Printable.oneLine(problem));
  }

  // ---------------------------------------------------------------- telling

  private void print(Report report, boolean survey) {
    if (json.requested()) {
      JsonOption.print(terminal, report);
      return;
    }
    Table table = new Table("kind", ">bytes", "life", "what");
    for (Item item : report.items) {
      if (item.kept == null) {
        table.row(
            item.category,
            Quantities.count(item.bytes),
            item.life.isEmpty() ? "-" : item.life,
            Printable.oneLine(item.what));
      }
    }
    if (!table.isEmpty()) {
      terminal.print(table);
    }
    terminal.tell("%s", conclusion(report, survey));
    terminal.out().flush();
    for (Item item : report.items) {
      if (item.kept != null) {
        remark("%s stays: %s".formatted(item.what, item.kept));
      }
    }
  }

  private static String conclusion(Report report, boolean survey) {
    if (report.items.isEmpty()) {
      return "There is nothing to delete.";
    }
    String bytes = Quantities.count(report.bytes) + " bytes";
    if (!report.dryRun) {
      return report.inside == 0
          ? "Deleted " + bytes + "."
          : "Deleted %s, of which %s are free now in files that stay: the program's next checkpoints go there, and shorten them."
              .formatted(bytes, Quantities.count(report.inside));
    }
    return survey
        ? "%s could be deleted: %s. Nothing was; say which.".formatted(bytes, byCategory(report))
        : bytes + " would be deleted; nothing was.";
  }

  private static String byCategory(Report report) {
    List<String> parts = new ArrayList<>();
    for (Prunable.Category category : Prunable.Category.values()) {
      long bytes =
          report.items.stream()
              .filter(item -> item.category.equals(category.label()))
              .mapToLong(Item::bytes)
              .sum();
      if (bytes > 0) {
        parts.add(
            "%s --%s".formatted(Quantities.count(bytes), category.name().toLowerCase(Locale.ROOT)));
      }
    }
    return String.join(", ", parts);
  }
}
