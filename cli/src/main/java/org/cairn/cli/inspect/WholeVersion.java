// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.Checkpoints;
import org.cairn.SavedVersion;
import org.cairn.TierKind;
import org.cairn.VersionName;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Explanations;
import org.cairn.comm.Ranks;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.Retention;
import org.cairn.store.Directories;
import org.cairn.store.DirectoryStore;
import org.cairn.store.FileDirectories;
import org.cairn.store.Store;
import org.cairn.tier.FileNames;
import org.cairn.tier.erasure.ErasureTier;
import org.cairn.tier.erasure.ParityInfo;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * A version of which the state of every rank can be read, whatever tier it is from. What ranks have
 * themselves, partners of them or the shared directory is read where it lies; what only parity has
 * is brought into containers of a directory that the caller gives, and deletes. Nothing else is
 * written.
 */
public final class WholeVersion implements AutoCloseable {
  private final Checkpoints opened;
  private final SavedVersion version;
  private final List<String> passedOver;

  private WholeVersion(Checkpoints opened, SavedVersion version, List<String> passedOver) {
    this.opened = opened;
    this.version = version;
    this.passedOver = List.copyOf(passedOver);
  }

  /** The version. */
  public SavedVersion version() {
    return version;
  }

  /** Newer versions that should be there and could not be had, and why. */
  public List<String> passedOver() {
    return passedOver;
  }

  /** What was damaged where it was to be read, and where it was read instead, so far. */
  public List<String> detours() {
    return opened.detours();
  }

  @Override
  public void close() {
    opened.close();
  }

  /**
   * Opens the version that a person means.
   *
   * @param path a directory of checkpoints, a shared directory, or a container
   * @param shared the shared directory that belongs to it; null to look at none
   * @param job null for the only one there is
   * @param name null for the newest that can be had
   * @param room an empty directory for what has to be brought
   */
  public static WholeVersion open(
      Path path, @Nullable Path shared, @Nullable String job, @Nullable VersionName name, Path room)
      throws IOException {
    Inventory all = Inventory.of(path, shared);
    LifeEntry life = all.choose(job).orElseThrow(all::several);
    List<VersionId> restorable = JobSurvey.of(all, life).restorable();
    List<VersionId> wanted = name == null ? restorable : List.of(find(all, life, name, restorable));
    List<String> passedOver = new ArrayList<>();
    for (VersionId version : wanted) {
      try {
        Path own = room.resolve("brought" + passedOver.size());
        return new Bringing(all, version, own).open(passedOver);
      } catch (IOException | RuntimeException e) {
        // What looks restorable may be damaged where nobody has looked yet.
        passedOver.add("version %s: %s".formatted(version, Explanations.of(e)));
      }
    }
    throw new CommandFailedException(
        passedOver.isEmpty()
            ? "%s has no version of which every rank is there%s; cairn verify says what is missing"
                .formatted(path, shared == null ? ", or can be had without --shared" : "")
            : passedOver.getFirst());
  }

  private static VersionId find(
      Inventory all, LifeEntry life, VersionName name, Collection<VersionId> restorable) {
    VersionId version = StateOption.find(all.path(), name, life.life().versions());
    if (!restorable.contains(version)) {
      throw new CommandFailedException(
          "version %s in %s is incomplete; cairn verify says what is missing"
              .formatted(version, all.path()));
    }
    return version;
  }

  // ---------------------------------------------------------------- bringing

  /** Brings what is missing of one version. */
  private static final class Bringing {
    private final Inventory all;
    private final VersionId version;
    private final Path room;

    /** Its directories are called after ranks that the job never had. */
    private final int first;

    Bringing(Inventory all, VersionId version, Path room) throws IOException {
      this.all = all;
      this.version = version;
      this.room = room;
      this.first = 1 + highest(all.path());
    }

    private static int highest(Path path) throws IOException {
      int highest = -1;
      for (String name : new FileDirectories(path).names()) {
        OptionalInt rank = FileNames.rankOf(name);
        highest = Math.max(highest, rank.orElse(-1));
      }
      return highest;
    }

    WholeVersion open(List<String> passedOver) throws IOException {
      Set<Integer> missing = new TreeSet<>();
      for (int rank = 0; rank < version.ranks(); rank++) {
        if (holder(rank).isEmpty()) {
          missing.add(rank);
        }
      }
      SharedPlace shared = all.shared();
      boolean flushed = shared != null && shared.whole().contains(version);
      if (!flushed && !missing.isEmpty()) {
        decode(missing);
      }
      Checkpoints opened =
          flushed || missing.isEmpty()
              ? WholeArrays.checkpoints(all.path(), shared == null ? null : shared.path())
              : Checkpoints.open(new Both(all.path(), room));
      try {
        return new WholeVersion(opened, opened.version(version), passedOver);
      } catch (RuntimeException | Error e) {
        opened.close();
        throw e;
      }
    }

    /** A container with the state of a rank: its own, or that of a partner. */
    private Optional<Inventory.Held> holder(int rank) {
      return all.files().stream()
          .filter(file -> file.is(TierKind.LOCAL, rank) || file.is(TierKind.PARTNER, rank))
          .filter(file -> file.versions().containsKey(version))
          .filter(this::isReadable)
          .findFirst();
    }

    /** What has lost its map is as good as lost; blocks are had from elsewhere, one by one. */
    private boolean isReadable(Inventory.Held file) {
      try (ContainerReader reader = file.path().open()) {
        reader.view(version);
        return true;
      } catch (IOException | IllegalArgumentException e) {
        return false;
      }
    }

    private Container container(Lineage lineage, int rank) throws IOException {
      Path directory = room.resolve(FileNames.directory(first + rank));
      return Container.open(
          DirectoryStore.open(directory, true),
          FileNames.local(rank),
          Retention.newest(1),
          new Ownership(lineage, Ownership.STATE, rank, version.ranks()),
          new SecureRandom()::nextLong);
    }

    private void decode(Set<Integer> missing) throws IOException {
      Set<Integer> left = new TreeSet<>(missing);
      while (!left.isEmpty()) {
        Group group = groupOf(left.iterator().next());
        decode(group.members, group.lineage, left);
        group.members.forEach(left::remove);
      }
    }

    /** Ranks that have parity together. */
    private record Group(List<Integer> members, Lineage lineage) {}

    private Group groupOf(int rank) throws IOException {
      for (Inventory.Held file : all.files()) {
        ParityInfo info = file.parities().get(version);
        if (info != null && info.members().contains(rank)) {
          return new Group(info.members(), file.ownership().lineage());
        }
      }
      throw new IOException("the state of rank %d is lost".formatted(rank));
    }

    /** As if all members of a group were processes, each of which has what lies here of it. */
    private void decode(List<Integer> group, Lineage lineage, Set<Integer> missing)
        throws IOException {
      Map<Integer, Container> targets = new TreeMap<>();
      try {
        for (int rank : group) {
          if (missing.contains(rank)) {
            targets.put(rank, container(lineage, rank));
          }
        }
        Ranks.run(
            group.size(),
            comm -> {
              int rank = group.get(comm.rank());
              ErasureTier.rebuild(
                  comm, version, sources(rank), () -> target(targets.get(rank), rank));
            });
      } finally {
        for (Container one : targets.values()) {
          one.close();
        }
      }
    }

    private static Container target(@Nullable Container container, int rank) throws IOException {
      if (container == null) {
        throw new IOException("the state of rank %d is damaged".formatted(rank));
      }
      return container;
    }

    private ErasureTier.Sources sources(int rank) {
      Optional<Inventory.Held> parity =
          all.files().stream()
              .filter(file -> file.is(TierKind.ERASURE, rank))
              .filter(file -> file.versions().containsKey(version))
              .findFirst();
      return new ErasureTier.Sources(opener(holder(rank)), opener(parity));
    }

    private static ErasureTier.@Nullable Opener opener(Optional<Inventory.Held> file) {
      return file.<ErasureTier.Opener>map(one -> () -> opened(one)).orElse(null);
    }

    private static ContainerReader opened(Inventory.Held file) throws IOException {
      return file.path().open();
    }
  }

  /** What lies in a place, and what was brought beside it, under names of its own. */
  private record Both(Path path, Path room) implements Directories {
    private Directories of(String name) {
      return Files.isDirectory(room.resolve(name)) && !name.equals(ROOT)
          ? new FileDirectories(room)
          : new FileDirectories(path);
    }

    @Override
    public Store create(String name) {
      throw new UnsupportedOperationException(name);
    }

    @Override
    public Store open(String name) throws IOException {
      return of(name).open(name);
    }

    @Override
    public List<String> names() throws IOException {
      List<String> names = new ArrayList<>(new FileDirectories(path).names());
      names.addAll(new FileDirectories(room).names());
      return names;
    }

    @Override
    public String location() {
      return path.toString();
    }
  }
}
