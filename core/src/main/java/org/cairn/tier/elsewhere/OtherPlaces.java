// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.elsewhere;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.cairn.TierKind;
import org.cairn.comm.Ranks;
import org.cairn.container.BadBlock;
import org.cairn.container.BlockSource;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.Retention;
import org.cairn.store.Store;
import org.cairn.supply.Closing;
import org.cairn.supply.Entropy;
import org.cairn.supply.Supply;
import org.cairn.tier.FileNames;
import org.cairn.tier.erasure.ErasureTier;
import org.cairn.tier.erasure.ParityInfo;
import org.cairn.tier.shared.SegmentSource;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.jspecify.annotations.Nullable;

/**
 * Where else the blocks of a container may be: in the state or a copy of the same rank, in the
 * shared directory, and, decoded, in the parity of its group. What costs more is asked later. For
 * whoever looks at files of a job that need not run; for one thread.
 */
public final class OtherPlaces implements BlockSource, AutoCloseable {
  private final Everything all;
  private final Place damaged;
  private final Room room;
  private final List<Opened> open = new ArrayList<>();
  private final List<Later> later = new ArrayList<>();
  private final Map<Place, ContainerReader> containers = new IdentityHashMap<>();
  private final List<Closeable> files = new ArrayList<>();
  private String place = "";

  /**
   * A container that can be read.
   *
   * @param versions what it holds
   */
  public record Place(Store store, String file, Ownership ownership, Set<VersionId> versions) {

    boolean is(TierKind kind, int rank) {
      return ownership.kind() == kind.number() && ownership.rank() == rank;
    }

    ContainerReader open() throws IOException {
      return ContainerReader.open(store, file);
    }
  }

  /**
   * What there is.
   *
   * @param shared the shared directory; empty if none is looked at
   * @param flushed the versions that can be had there
   */
  public record Everything(
      Collection<Place> places, Optional<Store> shared, Set<VersionId> flushed) {}

  /** Makes an empty place for what has to be decoded; who gives it deletes it. */
  @FunctionalInterface
  public interface Room {
    /** The place; each time another one. */
    Store make() throws IOException;
  }

  /** A place that is slow to ask. */
  private interface Later {
    @Nullable Opened open() throws IOException;
  }

  /** A version, and where it lies for people. */
  private record Opened(VersionSource version, String where) {}

  /**
   * For a container.
   *
   * @param wanted versions of it that may be brought from where that is slow, best first
   */
  public OtherPlaces(Everything all, Place damaged, List<VersionId> wanted, Room room) {
    this.all = all;
    this.damaged = damaged;
    this.room = room;
    if (damaged.ownership.kind() == Ownership.PARITY) {
      return; // nobody has parity twice
    }
    for (Place other : all.places) {
      if (!other.equals(damaged) && isOfSameRank(other)) {
        List<VersionId> versions = new ArrayList<>(other.versions);
        versions.reversed().forEach(version -> later.add(() -> beside(other, version)));
      }
    }
    for (VersionId version : wanted) {
      later.add(() -> fromShared(version));
      later.add(() -> fromParity(version));
    }
  }

  @Override
  public Optional<MemorySegment> find(BadBlock bad) {
    for (Opened one : open) {
      Optional<MemorySegment> found = find(bad, one);
      if (found.isPresent()) {
        return found;
      }
    }
    while (!later.isEmpty()) {
      Opened fetched = open(later.removeFirst());
      if (fetched != null) {
        open.add(fetched);
        Optional<MemorySegment> found = find(bad, fetched);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  /** Where what was found last lies, for people. */
  public String place() {
    return place;
  }

  private Optional<MemorySegment> find(BadBlock bad, Opened one) {
    DatasetEntry entry = one.version.find(bad.dataset()).orElse(null);
    if (entry == null || !bad.isSameAs(one.version, entry)) {
      return Optional.empty();
    }
    try {
      MemorySegment bytes = read(one.version, entry, bad.block());
      place = one.where;
      return Optional.of(bytes);
    } catch (IOException e) {
      return Optional.empty(); // damaged there too
    }
  }

  private static MemorySegment read(VersionSource source, DatasetEntry entry, int block)
      throws IOException {
    MemorySegment bytes = MemorySegment.ofArray(Supply.bytes(entry.blockLength(block)));
    long from = (long) block * entry.spec().blockSize();
    VersionSource.Range range =
        new VersionSource.Range(entry, from, from + entry.blockLength(block));
    VersionSource.Sink sink = (_, _, found) -> bytes.copyFrom(found);
    try (Workers alone = new Workers(1, "cairn-reader")) {
      List<VersionSource.Damage> damages = source.scan(List.of(range), alone, sink, _ -> {});
      if (!damages.isEmpty()) {
        throw new IOException(damages.getFirst().what());
      }
    }
    return bytes;
  }

  private static @Nullable Opened open(Later next) {
    try {
      return next.open();
    } catch (IOException | RuntimeException e) {
      return null; // it is not to be had from there; there may be others
    }
  }

  // ---------------------------------------------------------------- what can be brought

  private boolean isOfSameRank(Place other) {
    return other.ownership.kind() != Ownership.PARITY
        && other.ownership.rank() == damaged.ownership.rank()
        && other.ownership.ranks() == damaged.ownership.ranks()
        && other.ownership.lineage().job().equals(damaged.ownership.lineage().job());
  }

  private Opened beside(Place other, VersionId version) throws IOException {
    ContainerReader reader = containers.get(other);
    if (reader == null) {
      reader = other.open();
      containers.put(other, reader);
      files.add(reader::close);
    }
    return new Opened(reader.view(version), reader.location());
  }

  private @Nullable Opened fromShared(VersionId version) throws IOException {
    if (all.shared.isEmpty() || !all.flushed.contains(version)) {
      return null;
    }
    Store shared = all.shared.get();
    SegmentSource source = SegmentSource.open(shared, version, damaged.ownership.rank());
    files.add(source);
    return new Opened(source, "the shared directory");
  }

  /** Decodes the state of the rank from parity, as if its own container were lost. */
  private @Nullable Opened fromParity(VersionId version) throws IOException {
    Optional<ParityInfo> group = groupOf(version);
    if (group.isEmpty()) {
      return null;
    }
    Store store = room.make();
    String name = FileNames.local(damaged.ownership.rank());
    Ownership owner =
        new Ownership(
            damaged.ownership.lineage(),
            Ownership.STATE,
            damaged.ownership.rank(),
            version.ranks());
    try (Container target =
        Container.open(store, name, Retention.newest(1), owner, new Entropy())) {
      rebuild(version, group.get(), target);
    }
    ContainerReader reader = ContainerReader.open(store, name);
    files.add(reader::close);
    return new Opened(reader.view(version), "parity");
  }

  /** The ranks that have parity together with this one. */
  private Optional<ParityInfo> groupOf(VersionId version) {
    for (Place place : all.places) {
      if (place.ownership.kind() == Ownership.PARITY && place.versions.contains(version)) {
        try (ContainerReader reader = place.open()) {
          ParityInfo info = ParityInfo.read(reader, version);
          if (info.members().contains(damaged.ownership.rank())) {
            return Optional.of(info);
          }
        } catch (IOException | IllegalArgumentException e) {
          // Others of the group tell the same.
        }
      }
    }
    return Optional.empty();
  }

  private void rebuild(VersionId version, ParityInfo group, Container target) {
    List<Integer> members = group.members();
    Ranks.run(
        members.size(),
        rank -> "member" + rank,
        comm -> {
          int member = members.get(comm.rank());
          boolean lost = member == damaged.ownership.rank();
          ErasureTier.Sources sources =
              new ErasureTier.Sources(
                  lost ? null : opener(TierKind.LOCAL, member, version),
                  opener(TierKind.ERASURE, member, version));
          ErasureTier.rebuild(
              comm,
              version,
              sources,
              () -> {
                if (!lost) {
                  throw new IOException("rank " + member + " is damaged, too");
                }
                return target;
              });
        });
  }

  private ErasureTier.@Nullable Opener opener(TierKind kind, int rank, VersionId version) {
    return all.places.stream()
        .filter(place -> place.is(kind, rank) && place.versions.contains(version))
        .findFirst()
        .<ErasureTier.Opener>map(place -> place::open)
        .orElse(null);
  }

  @Override
  public void close() throws IOException {
    Closing closing = new Closing();
    files.forEach(file -> closing.then(file::close));
    closing.end();
  }
}
