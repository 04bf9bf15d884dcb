// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
import org.cairn.CorruptContainerException;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Explanations;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.container.BlockScan;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.ContainerScrub;
import org.cairn.container.Retention;
import org.cairn.container.VersionView;
import org.cairn.record.FirstFew;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreLock;
import org.cairn.store.StoreLockedException;
import org.cairn.tier.FileNames;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn scrub}. */
@Command(
    name = "scrub",
    description = {
      "Reads everything from the disk, past the system's cache where that can be done, and heals what is bad.",
      "",
      "For jobs that do not run; a program that runs does it itself (Options.scrub). A bad block is"
          + " written to a new place, for every version that has it, and only with bytes that have"
          + " its digest: from another place in the same file, from the state or a copy of the same"
          + " rank, from a shared directory, or decoded from parity, if these are in DIR or"
          + " --shared. What cannot be healed is named.",
      "",
      "Exits with 1 if something could not be healed.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn scrub checkpoints                   all containers there",
      "  cairn scrub --dry-run checkpoints         only tell what is bad",
      "  cairn scrub --shared /scratch/s job       heal from what was flushed there, too"
    })
public final class ScrubCommand implements Callable<Integer> {
  private static final int SHOWN = 20;
  private static final int ALL = Integer.MAX_VALUE;

  private final Terminal terminal;

  @Parameters(paramLabel = "DIR", description = "A directory of checkpoints.")
  private Path path = Path.of(".");

  @Option(names = "--dry-run", description = "Read and tell, but write nothing.")
  private boolean dryRun;

  @Mixin private final SharedOption shared = new SharedOption();

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public ScrubCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * What became of one container.
   *
   * @param uncached whether the disk itself was read
   * @param bad the first of what was found to be bad
   * @param badPlaces how much that is in all; where that is very much, as far as one version knows
   * @param healed how many of these are well now
   * @param lost the first of what is bad still
   * @param lostPlaces how much that is in all
   */
  record Scrubbed(
      String container,
      String holds,
      boolean uncached,
      long bytes,
      List<String> bad,
      long badPlaces,
      long healed,
      List<String> lost,
      long lostPlaces) {

    boolean sound() {
      return lost.isEmpty();
    }
  }

  /** What reading a container has shown. */
  private record Reading(
      String holds, boolean uncached, long bytes, List<String> bad, long places) {}

  @Override
  public Integer call() throws IOException {
    List<ContainerPath> containers = ContainerPath.all(path);
    List<StoreLock> locks = new ArrayList<>();
    List<Scrubbed> all = new ArrayList<>();
    try (Workers workers = new Workers(Runtime.getRuntime().availableProcessors(), "scrub")) {
      lock(containers, locks);
      for (ContainerPath container : containers) {
        all.add(scrub(container, workers));
      }
      healAgain(containers, all, workers);
    } finally {
      for (StoreLock lock : locks) {
        lock.close();
      }
    }
    if (json.requested()) {
      JsonOption.print(terminal, all);
    } else {
      print(all);
    }
    return all.stream().allMatch(Scrubbed::sound) ? 0 : 1;
  }

  /** A job holds a lock in the directory of each rank while it runs, whatever it is just doing. */
  private void lock(List<ContainerPath> containers, List<StoreLock> locks) throws IOException {
    Set<String> taken = new HashSet<>();
    for (ContainerPath container : containers) {
      Path name = container.directory().getFileName();
      boolean ofRank = name != null && FileNames.isDirectory(name.toString());
      int rank = ofRank ? Integer.parseInt(name.toString().substring("rank".length())) : 0;
      String job = FileNames.meaning(container.file()).map(FileNames.Meaning::job).orElse("");
      String lock = FileNames.jobLock(rank, job);
      if (taken.add(container.directory() + "/" + lock)) {
        try {
          locks.add(DirectoryStore.open(container.directory(), true).lock(lock));
        } catch (StoreLockedException e) {
          throw new CommandFailedException(
              "%s is in use, and a program that runs scrubs by itself: %s"
                  .formatted(container, e.getMessage()),
              e);
        }
      }
    }
  }

  private Scrubbed scrub(ContainerPath container, Workers workers) throws IOException {
    Reading before = read(container, workers);
    if (before.bad.isEmpty() || dryRun) {
      return new Scrubbed(
          container.toString(),
          before.holds,
          before.uncached,
          before.bytes,
          before.bad,
          before.places,
          0,
          before.bad,
          before.places);
    }
    return heal(container, before, workers);
  }

  /** One file may have what another lacks only after it was healed itself. */
  private void healAgain(List<ContainerPath> containers, List<Scrubbed> all, Workers workers)
      throws IOException {
    boolean progress = !dryRun;
    while (progress) {
      progress = false;
      for (int i = 0; i < all.size(); i++) {
        Scrubbed before = all.get(i);
        boolean othersChanged = all.stream().anyMatch(one -> one != before && one.healed > 0);
        if (!before.sound() && othersChanged) {
          Reading known =
              new Reading(
                  before.holds, before.uncached, before.bytes, before.bad, before.badPlaces);
          Scrubbed after = heal(containers.get(i), known, workers);
          progress |= after.lostPlaces < before.lostPlaces;
          all.set(i, after);
        }
      }
    }
  }

  // ---------------------------------------------------------------- reading

  private Reading read(ContainerPath container, Workers workers) throws IOException {
    Store store = DirectoryStore.open(container.directory(), false);
    try (ContainerReader reader = ContainerReader.openUncached(store, container.file())) {
      Set<String> bad = new LinkedHashSet<>(reader.problems());
      long more = 0;
      long total = reader.versions().stream().mapToLong(VersionInfo::protectedBytes).sum();
      try (ProgressBar bar = terminal.bar("scrub " + container.file(), total, Quantities::bytes)) {
        long before = 0;
        for (VersionInfo version : reader.versions()) {
          long done = before;
          BadPlaces found = read(reader, version, workers, bytes -> bar.reach(done + bytes));
          bad.addAll(found.first);
          more = Math.max(more, found.count - found.first.size());
          before += version.protectedBytes();
        }
      }
      String holds = Contents.of(reader.ownership());
      return new Reading(
          holds,
          reader.isUncached(),
          reader.fileBytes(),
          bad.stream().limit(FirstFew.MOST).toList(),
          bad.size() + more);
    } catch (IOException | IllegalArgumentException e) {
      return new Reading("?", false, 0, List.of(Explanations.of(e)), 1);
    }
  }

  /** The first of what is bad in a version, and how much that is. */
  private record BadPlaces(List<String> first, long count) {}

  /** What is shared is told once: by its place, not by the version. */
  private static BadPlaces read(
      ContainerReader reader, VersionInfo version, Workers workers, LongConsumer progress)
      throws IOException {
    try {
      VersionView view = reader.view(version.id());
      BlockScan.Damages damages = BlockScan.findDamage(view, workers, progress);
      return new BadPlaces(
          damages.first().stream().map(VersionSource.Damage::what).toList(), damages.count());
    } catch (CorruptContainerException e) {
      String what =
          "version %s cannot be restored from this file, only from copies elsewhere: %s"
              .formatted(version.id(), Explanations.of(e));
      return new BadPlaces(List.of(what), 1);
    }
  }

  // ---------------------------------------------------------------- healing

  private Scrubbed heal(ContainerPath container, Reading before, Workers workers)
      throws IOException {
    Inventory all = shared.inventory(path);
    Optional<Inventory.Held> mine =
        all.files().stream().filter(file -> file.path().equals(container)).findFirst();
    List<String> failure = new ArrayList<>();
    if (mine.isPresent()) {
      try (HealingSource source = new HealingSource(all, mine.get())) {
        mend(container, source);
      } catch (IOException | IllegalArgumentException e) {
        failure.add(Explanations.of(e));
      }
    }
    // Only what the disk has now counts.
    Reading after = read(container, workers);
    Set<String> lost = new LinkedHashSet<>(after.bad);
    if (!lost.isEmpty()) {
      lost.addAll(failure);
    }
    return new Scrubbed(
        container.toString(),
        before.holds,
        before.uncached,
        before.bytes,
        before.bad,
        before.places,
        Math.max(0, before.places - after.places),
        List.copyOf(lost),
        Math.max(after.places, lost.size()));
  }

  private static void mend(ContainerPath file, HealingSource source) throws IOException {
    Store store = DirectoryStore.open(file.directory(), true);
    try (Container container = Container.open(store, file.file(), Retention.newest(ALL))) {
      try (ContainerScrub scrub = new ContainerScrub(container, store)) {
        while (!scrub.isDone()) {
          scrub.step();
        }
      }
      container.mend(source);
    }
  }

  // ---------------------------------------------------------------- telling

  private void print(List<Scrubbed> all) {
    Table table = new Table("file", "holds", ">size", ">bad", ">healed", "result");
    for (Scrubbed one : all) {
      table.row(
          Printable.oneLine(shortName(one.container)),
          one.holds,
          Quantities.bytes(one.bytes),
          Quantities.count(one.badPlaces),
          Quantities.count(one.healed),
          result(one));
    }
    terminal.out().println(Printable.oneLine(path.toString()));
    terminal.print(table);
    terminal.tell("%s", conclusion(all));
    terminal.out().flush();
    all.forEach(this::complain);
    if (all.stream().anyMatch(one -> !one.uncached && one.sound())) {
      terminal.remark(
          "cairn scrub: this file system cannot be read past its cache; what the system has in"
              + " memory was verified instead");
    }
  }

  private String shortName(String container) {
    String directory = path + "/";
    return container.startsWith(directory) ? container.substring(directory.length()) : container;
  }

  private String result(Scrubbed one) {
    if (one.sound()) {
      return one.bad.isEmpty() ? "sound" : "healed";
    }
    return dryRun ? "bad" : "lost " + Quantities.count(one.lostPlaces);
  }

  private String conclusion(List<Scrubbed> all) {
    long bad = all.stream().mapToLong(Scrubbed::badPlaces).sum();
    long lost = all.stream().mapToLong(Scrubbed::lostPlaces).sum();
    if (bad == 0) {
      return "Everything is sound.";
    }
    if (dryRun) {
      return "%s bad place(s); nothing was written.".formatted(Quantities.count(bad));
    }
    return lost == 0
        ? "All that was bad is healed."
        : "%s place(s) could not be healed.".formatted(Quantities.count(lost));
  }

  private void complain(Scrubbed one) {
    one.lost.stream()
        .limit(SHOWN)
        .forEach(what -> terminal.remark("cairn scrub: " + Printable.oneLine(what)));
    if (one.lostPlaces > SHOWN) {
      terminal.remark(
          "cairn scrub: %s: and %,d more; --json shows the first %,d"
              .formatted(one.container, one.lostPlaces - SHOWN, one.lost.size()));
    }
  }
}
