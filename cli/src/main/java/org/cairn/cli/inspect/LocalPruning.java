// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.Retention;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreLock;
import org.cairn.store.StoreLockedException;
import org.cairn.tier.FileNames;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Finds what can be done without in the directories of ranks.
 *
 * <p>Nothing goes that the newest version that can be restored of a current life needs, and nothing
 * that somebody holds a lock of.
 */
final class LocalPruning {
  private static final int ALL = 1_000_000;

  private final Inventory all;
  private final PruneRules rules;
  private final List<Prunable> found = new ArrayList<>();

  /** Of other numbers of ranks: nobody writes to them again. */
  private final Set<Inventory.Held> oldWorlds = new HashSet<>();

  /** Files that go as a whole: nothing else is said of them. */
  private final Set<Inventory.Held> gone = new HashSet<>();

  LocalPruning(Inventory all, PruneRules rules) {
    this.all = all;
    this.rules = rules;
    all.lives().forEach(life -> oldWorlds.addAll(life.oldWorld()));
  }

  List<Prunable> find() throws IOException {
    for (LifeEntry life : all.lives()) {
      if (rules.concerns(life) && rules.isOld(life)) {
        addLife(life);
      }
    }
    addLeftovers();
    addVersions();
    addKept();
    addFiles();
    return found;
  }

  // ---------------------------------------------------------------- lives

  private void addLife(LifeEntry life) {
    Set<VersionId> kept = rules.versionsOfOthers(all, life);
    for (Inventory.Held file : life.files()) {
      Set<VersionId> stay = new TreeSet<>(file.versions().keySet());
      stay.retainAll(kept);
      stay.addAll(keptIn(file));
      if (stay.isEmpty()) {
        found.add(whole(Prunable.Category.LIVES, life, file));
      } else if (stay.size() < file.versions().size()) {
        found.add(dropping(Prunable.Category.LIVES, life, file, stay));
      }
    }
  }

  // ---------------------------------------------------------------- versions

  /** Versions of current lives beyond the newest few that can be restored. */
  private void addVersions() throws IOException {
    Set<VersionId> old = new TreeSet<>();
    Set<VersionId> kept = new TreeSet<>();
    for (LifeEntry life : all.lives()) {
      if (life.state() == LifeEntry.State.CURRENT) {
        List<VersionId> beyond =
            rules.concerns(life)
                ? rules.beyond(life, JobSurvey.of(all, life).restorable())
                : List.of();
        old.addAll(beyond);
        life.life().versions().stream().filter(id -> !beyond.contains(id)).forEach(kept::add);
      }
    }
    old.removeAll(kept);
    for (Inventory.Held file : all.files()) {
      Set<VersionId> stay = new TreeSet<>(file.versions().keySet());
      stay.removeAll(old);
      stay.addAll(keptIn(file));
      if (!gone.contains(file) && stay.size() < file.versions().size()) {
        LifeEntry life = lifeOf(file);
        boolean useless = stay.isEmpty() && oldWorlds.contains(file);
        found.add(
            useless
                ? whole(Prunable.Category.VERSIONS, life, file)
                : dropping(Prunable.Category.VERSIONS, life, file, stay));
      }
    }
  }

  private Prunable whole(Prunable.Category category, LifeEntry life, Inventory.Held file) {
    gone.add(file);
    return new Prunable(
        category,
        file.path().toString(),
        life.id(),
        file.fileBytes(),
        () -> delete(file.path(), file.ownership().lineage().name()));
  }

  private static Set<VersionId> keptIn(Inventory.Held file) {
    Set<VersionId> kept = new TreeSet<>();
    file.versions()
        .forEach(
            (id, info) -> {
              if (info.label().kept()) {
                kept.add(id);
              }
            });
    return kept;
  }

  /** Versions that are kept for ever, but for the newest few that a life could not do without. */
  private void addKept() throws IOException {
    Set<VersionId> needed = new TreeSet<>();
    for (LifeEntry life : all.lives()) {
      if (life.state() == LifeEntry.State.CURRENT) {
        JobSurvey.of(all, life).restorable().stream().limit(rules.keep()).forEach(needed::add);
      }
    }
    for (Inventory.Held file : all.files()) {
      Set<VersionId> going = keptIn(file);
      going.removeAll(needed);
      going.removeIf(id -> !rules.isReleased(id));
      if (!gone.contains(file) && !going.isEmpty() && rules.concerns(lifeOf(file))) {
        Set<VersionId> stay = new TreeSet<>(file.versions().keySet());
        stay.removeAll(going);
        found.add(dropping(Prunable.Category.KEPT, lifeOf(file), file, stay));
      }
    }
  }

  private LifeEntry lifeOf(Inventory.Held file) {
    return all.lives().stream()
        .filter(life -> life.files().contains(file))
        .findFirst()
        .orElseThrow();
  }

  private static Prunable dropping(
      Prunable.Category category, LifeEntry life, Inventory.Held file, Set<VersionId> stay) {
    Set<VersionId> going = new TreeSet<>(file.versions().keySet());
    going.removeAll(stay);
    long bytes =
        going.stream()
            .mapToLong(
                id ->
                    Optional.ofNullable(file.versions().get(id))
                        .map(VersionInfo::bytesWritten)
                        .orElse(0L))
            .sum();
    String what =
        "%s: %s %s"
            .formatted(
                file.path(),
                going.size() == 1 ? "version" : "versions",
                String.join(", ", going.stream().map(VersionId::toString).toList()));
    return new Prunable(
        category,
        what,
        life.id(),
        bytes,
        Optional.of(file.path().directory().resolve(file.path().file())),
        () -> drop(file.path(), file.ownership().lineage().name(), stay));
  }

  // ---------------------------------------------------------------- leftovers

  /**
   * Older states of a rank than it has in its own directory, if nothing needs them; and what has
   * lost all versions and belongs to another number of ranks.
   */
  private void addLeftovers() throws IOException {
    for (Inventory.Held file : all.files()) {
      boolean spared = gone.contains(file) || !keptIn(file).isEmpty();
      boolean useless =
          oldWorlds.contains(file)
              ? file.versions().isEmpty()
              : isSuperseded(file) && !isNeeded(file);
      if (!spared && useless) {
        LifeEntry life = lifeOf(file);
        if (rules.concerns(life)) {
          found.add(whole(Prunable.Category.LEFTOVERS, life, file));
        }
      }
    }
  }

  private boolean isSuperseded(Inventory.Held file) {
    return !file.versions().isEmpty()
        && all.files().stream()
            .filter(other -> other != file && !gone.contains(other))
            .filter(other -> other.is(file.kind(), file.rank()) && !other.versions().isEmpty())
            .filter(other -> isHome(other) || file.ownership().kind() == Ownership.COPY)
            .filter(other -> lifeOf(other).id().equals(lifeOf(file).id()))
            .anyMatch(other -> other.versions().lastKey().compareTo(file.versions().lastKey()) > 0);
  }

  private boolean isHome(Inventory.Held file) {
    return file.path().isIn(all.path())
        || file.path().directory().endsWith(FileNames.directory(file.rank()));
  }

  /** Whether the newest version of a life that can be restored is another without it. */
  private boolean isNeeded(Inventory.Held file) throws IOException {
    Set<Inventory.Held> without = new HashSet<>(gone);
    for (LifeEntry life : all.lives()) {
      if (life.state() == LifeEntry.State.CURRENT) {
        List<VersionId> before = JobSurvey.without(all, life, without).restorable();
        Set<Inventory.Held> more = new HashSet<>(without);
        more.add(file);
        List<VersionId> after = JobSurvey.without(all, life, more).restorable();
        if (!before.isEmpty() && (after.isEmpty() || !after.getFirst().equals(before.getFirst()))) {
          return true;
        }
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- other files

  private void addFiles() throws IOException {
    List<Path> directories = new ArrayList<>(List.of(all.path()));
    JobDirectory.find(all.path()).ifPresent(job -> directories.addAll(job.ranks().values()));
    for (Path directory : directories) {
      for (String name : DirectoryStore.open(directory, false).list()) {
        addFile(new ContainerPath(directory, name));
      }
    }
  }

  private void addFile(ContainerPath file) throws IOException {
    Optional<FileNames.Meaning> meaning = FileNames.meaning(file.file());
    boolean rebuilt = FileNames.isRebuilt(file.file());
    if (meaning.isEmpty() && !rebuilt) {
      return;
    }
    String job = meaning.map(FileNames.Meaning::job).orElse("");
    FileNames.Condition condition =
        meaning.map(FileNames.Meaning::condition).orElse(FileNames.Condition.UNFINISHED);
    if (condition == FileNames.Condition.DAMAGED && rules.isForAll()) {
      found.add(whole(Prunable.Category.DAMAGED, file, job));
    } else if (condition == FileNames.Condition.UNFINISHED && !isOfBeginning(file)) {
      found.add(whole(Prunable.Category.LEFTOVERS, file, job));
    }
  }

  private Prunable whole(Prunable.Category category, ContainerPath file, String job)
      throws IOException {
    long bytes = Files.size(file.directory().resolve(file.file()));
    return new Prunable(category, file.toString(), "", bytes, () -> delete(file, job));
  }

  /** A job that is just beginning needs it, to be known as one that has lost nothing. */
  private boolean isOfBeginning(ContainerPath file) {
    JobId job;
    try (ContainerReader reader = file.open()) {
      Lineage lineage = reader.ownership().lineage();
      job = lineage.job();
    } catch (IOException e) {
      return false;
    }
    return all.lives().stream()
        .filter(life -> life.life().lineage().job().equals(job))
        .allMatch(life -> life.state() == LifeEntry.State.NEVER);
  }

  // ---------------------------------------------------------------- deleting

  /** What is done with the locks of a file in hand. */
  private interface Work {
    long run(Store store) throws IOException;
  }

  private static long delete(ContainerPath file, String job) throws IOException {
    return locked(
        file,
        job,
        FileNames.lockOf(file.file()),
        store -> {
          long bytes = Files.size(file.directory().resolve(file.file()));
          store.delete(file.file());
          store.forceDirectory();
          return bytes;
        });
  }

  /** The container takes its own lock. */
  private static long drop(ContainerPath file, String job, Set<VersionId> stay) throws IOException {
    return locked(
        file,
        job,
        null,
        store -> {
          try (Container container = Container.open(store, file.file(), Retention.newest(ALL))) {
            long before = container.usage().liveBytes();
            container.dropAllBut(stay);
            return Math.max(0, before - container.usage().liveBytes());
          }
        });
  }

  /** A job holds a lock in the directory of each rank while it runs, whatever it is just doing. */
  private static long locked(ContainerPath file, String job, @Nullable String ownLock, Work work)
      throws IOException {
    Store store = DirectoryStore.open(file.directory(), true);
    Path name = file.directory().getFileName();
    boolean ofRank = name != null && FileNames.isDirectory(name.toString());
    int rank = ofRank ? Integer.parseInt(name.toString().substring("rank".length())) : 0;
    try (StoreLock _ = store.lock(FileNames.jobLock(rank, job))) {
      if (ownLock == null) {
        return work.run(store);
      }
      try (StoreLock _ = store.lock(ownLock)) {
        return work.run(store);
      }
    } catch (StoreLockedException e) {
      throw new Prunable.KeptException("%s is in use: %s".formatted(file, e.getMessage()));
    }
  }
}
