// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.TierKind;
import org.cairn.VersionName;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.container.ContainerReader;
import org.cairn.tier.FileNames;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code --rank} and {@code --job}, for commands that look at one state: finds the one version that
 * is meant, and the container that has it.
 */
public final class StateOption {
  @Option(
      names = "--rank",
      paramLabel = "R",
      description = "The rank to look at, where DIR is that of a job of many.")
  private @Nullable Integer rank;

  @Mixin private final JobOption job = new JobOption();

  /** The rank that was asked for. */
  public @Nullable Integer rank() {
    return rank;
  }

  /** The job that was asked for. */
  public @Nullable String job() {
    return job.id();
  }

  /**
   * Opens the container that holds a version.
   *
   * @param name what a person calls it; null for the newest
   * @throws CommandFailedException if it is not there, or fits several
   */
  public Opened open(Path path, @Nullable VersionName name) throws IOException {
    return open(path, null, name);
  }

  /** The same; what no container of the directory has may be in a shared one. */
  public Opened open(Path path, @Nullable Path sharedPath, @Nullable VersionName name)
      throws IOException {
    List<VersionName> names = name == null ? List.of() : List.of(name);
    if (sharedPath == null || !Files.isDirectory(path) || SharedPlace.isOne(path)) {
      return open(path, names);
    }
    Inventory all = Inventory.of(path, sharedPath);
    SharedPlace shared = Objects.requireNonNull(all.shared());
    Set<VersionId> here = new TreeSet<>();
    all.files().stream()
        .filter(file -> file.isState() && (rank == null || file.rank() == rank))
        .forEach(file -> here.addAll(file.versions().keySet()));
    Set<VersionId> either = new TreeSet<>(here);
    either.addAll(shared.whole());
    Optional<VersionId> meant =
        name != null
            ? Optional.of(find(path, name, either))
            : all.choose(job()).stream()
                .flatMap(life -> life.life().versions().stream())
                .filter(either::contains)
                .findFirst();
    boolean flushedOnly = meant.filter(id -> !here.contains(id)).isPresent();
    return flushedOnly ? ofShared(all, shared, names) : ofDirectory(all, names);
  }

  /** Opens the container that holds several versions, and means the last of them. */
  Opened open(Path path, List<VersionName> names) throws IOException {
    if (Files.exists(path) && !Files.isDirectory(path)) {
      return ofFile(path, names);
    }
    Inventory all = Inventory.of(path, null);
    SharedPlace shared = all.shared();
    return shared != null ? ofShared(all, shared, names) : ofDirectory(all, names);
  }

  // ---------------------------------------------------------------- a file

  private Opened ofFile(Path path, List<VersionName> names) throws IOException {
    if (rank != null) {
      throw new CommandFailedException(path + " is one container; leave out --rank");
    }
    ContainerPath container = ContainerPath.one(path);
    VersionId meant;
    try (ContainerReader reader = container.open()) {
      List<VersionId> ids = reader.versions().stream().map(VersionInfo::id).toList();
      meant = names.isEmpty() ? ids.stream().findFirst().orElse(null) : last(path, names, ids);
    }
    return Opened.of(container, meant);
  }

  private static VersionId last(Path path, List<VersionName> names, Collection<VersionId> ids) {
    return all(path, names, ids).getLast();
  }

  private static List<VersionId> all(
      Path path, List<VersionName> names, Collection<VersionId> ids) {
    return names.stream().map(name -> find(path, name, ids)).toList();
  }

  /** The one version that a name fits. */
  static VersionId find(Path path, VersionName name, Collection<VersionId> ids) {
    Collection<VersionId> fitting = name.among(ids);
    if (fitting.isEmpty()) {
      throw new CommandFailedException(
          "%s has no version %s; it has %s"
              .formatted(
                  path,
                  name,
                  ids.isEmpty()
                      ? "none"
                      : String.join(
                          ", ",
                          ids.stream()
                              .sorted(Comparator.reverseOrder())
                              .map(VersionId::toString)
                              .distinct()
                              .toList())));
    }
    if (fitting.size() > 1) {
      throw CommandFailedException.ambiguous(
          "version %s is not one but %d in %s; write %s"
              .formatted(
                  name,
                  fitting.size(),
                  path,
                  String.join(
                      " or ",
                      fitting.stream()
                          .map(id -> "%s (job %s)".formatted(id.exact(), id.job().brief()))
                          .toList())));
    }
    return fitting.iterator().next();
  }

  // ---------------------------------------------------------------- a directory

  private Opened ofDirectory(Inventory all, List<VersionName> names) throws IOException {
    List<Inventory.Held> states = states(all);
    Optional<LifeEntry> life = all.choose(job());
    if (job() != null) {
      List<VersionId> wanted = life.orElseThrow().life().versions();
      states = states.stream().filter(file -> holdsAny(file, wanted)).toList();
    }
    Set<VersionId> ids = new TreeSet<>();
    states.forEach(file -> ids.addAll(file.versions().keySet()));
    if (job() != null) {
      ids.retainAll(life.orElseThrow().life().versions());
    }
    requireRank(all.path(), states);
    if (!names.isEmpty()) {
      List<VersionId> meant = all(all.path(), names, ids);
      return Opened.of(holder(all.path(), states, meant), meant.getLast());
    }
    if (ids.isEmpty()) {
      return Opened.of(states.getFirst().path(), null);
    }
    if (life.isEmpty() && states.size() > 1) {
      throw all.several();
    }
    life.ifPresent(one -> retain(ids, one));
    VersionId newest = ids.stream().max(Comparator.naturalOrder()).orElseThrow();
    return Opened.of(holder(all.path(), states, List.of(newest)), newest);
  }

  /** A container of another life may be named by its file, or by what it is called. */
  private static void retain(Set<VersionId> ids, LifeEntry life) {
    if (ids.stream().anyMatch(life.life().versions()::contains)) {
      ids.retainAll(life.life().versions());
    }
  }

  private static boolean holdsAny(Inventory.Held file, List<VersionId> wanted) {
    return file.versions().keySet().stream().anyMatch(wanted::contains);
  }

  /** What ranks saved; if there is one file only, that. */
  private List<Inventory.Held> states(Inventory all) {
    if (rank == null && all.files().size() == 1) {
      return all.files();
    }
    List<Inventory.Held> states =
        all.files().stream()
            .filter(file -> file.isState() && (rank == null || file.rank() == rank))
            .toList();
    if (states.isEmpty()) {
      throw new CommandFailedException(noState(all));
    }
    return states;
  }

  private String noState(Inventory all) {
    if (all.files().isEmpty()) {
      return all.problems().isEmpty()
          ? all.path() + " holds no checkpoints"
          : all.problems().getFirst();
    }
    if (rank == null) {
      return "%s holds %d containers; name one of them, such as %s"
          .formatted(all.path(), all.files().size(), all.files().getFirst().path());
    }
    int wanted = rank;
    return all.files().stream()
        .filter(file -> file.is(TierKind.PARTNER, wanted))
        .findFirst()
        .map(
            copy ->
                "%s has no container of rank %d; a copy is %s"
                    .formatted(all.path(), wanted, copy.path()))
        .orElseGet(
            () ->
                "%s has no container of rank %d; it has %s"
                    .formatted(all.path(), wanted, ranks(all.files())));
  }

  private static String ranks(List<Inventory.Held> files) {
    List<Integer> ranks =
        files.stream().filter(Inventory.Held::isState).map(Inventory.Held::rank).toList();
    return ranks.isEmpty() ? "none" : JobVersion.ranks(ranks);
  }

  private void requireRank(Path path, List<Inventory.Held> states) {
    Set<Integer> ranks = new TreeSet<>();
    states.forEach(file -> ranks.add(file.rank()));
    if (ranks.size() > 1) {
      throw new CommandFailedException(
          "%s holds the checkpoints of %d ranks; say which with --rank: it has %s"
              .formatted(path, ranks.size(), ranks(states)));
    }
  }

  /** The container that has all of some versions; best the one in the rank's own directory. */
  private static ContainerPath holder(
      Path path, List<Inventory.Held> states, List<VersionId> wanted) {
    List<Inventory.Held> holders =
        states.stream().filter(file -> file.versions().keySet().containsAll(wanted)).toList();
    if (holders.isEmpty()) {
      throw new CommandFailedException(
          "%s has no container that holds all of %s; compare two container files"
              .formatted(path, wanted.stream().map(VersionId::exact).toList()));
    }
    return holders.stream()
        .filter(file -> file.path().directory().endsWith(FileNames.directory(file.rank())))
        .findFirst()
        .orElse(holders.getFirst())
        .path();
  }

  // ---------------------------------------------------------------- a shared directory

  private Opened ofShared(Inventory all, SharedPlace shared, List<VersionName> names)
      throws IOException {
    Set<VersionId> ids = new TreeSet<>(shared.whole());
    Optional<LifeEntry> life = all.choose(job());
    if (job() != null) {
      ids.retainAll(life.orElseThrow().life().versions());
    }
    List<VersionId> meant = new ArrayList<>();
    if (!names.isEmpty()) {
      meant.addAll(all(all.path(), names, ids));
    } else {
      if (life.isEmpty()) {
        throw all.several();
      }
      ids.retainAll(life.get().life().versions());
      if (ids.isEmpty()) {
        throw new CommandFailedException(all.path() + " holds no version that is whole");
      }
      meant.add(ids.stream().max(Comparator.naturalOrder()).orElseThrow());
    }
    return Opened.fetch(shared, meant, rankOf(all.path(), meant.getLast()));
  }

  private int rankOf(Path path, VersionId version) {
    Integer wanted = rank;
    if (wanted == null) {
      if (version.ranks() > 1) {
        throw new CommandFailedException(
            "%s holds the checkpoints of %d ranks; say which with --rank: it has ranks 0-%d"
                .formatted(path, version.ranks(), version.ranks() - 1));
      }
      return 0;
    }
    if (wanted < 0 || wanted >= version.ranks()) {
      throw new CommandFailedException(
          "version %s in %s has no rank %d; it has ranks 0-%d"
              .formatted(version, path, wanted, version.ranks() - 1));
    }
    return wanted;
  }
}
