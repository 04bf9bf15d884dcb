// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.TierKind;
import org.cairn.cli.command.Folder;
import org.cairn.comm.Ranks;
import org.cairn.container.BadBlock;
import org.cairn.container.BlockReader;
import org.cairn.container.BlockSource;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.Retention;
import org.cairn.container.VersionView;
import org.cairn.store.DirectoryStore;
import org.cairn.tier.FileNames;
import org.cairn.tier.erasure.ErasureTier;
import org.cairn.tier.erasure.ParityInfo;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Where else the blocks of a container may be: in the state or a copy of the same rank, in the
 * shared directory, and, decoded, in the parity of its group. What costs more is asked later, and
 * brought into a container of its own that goes when this is closed.
 */
final class HealingSource implements BlockSource, AutoCloseable {
  private final Inventory all;
  private final Inventory.Held damaged;
  private final List<ContainerReader> readers = new ArrayList<>();
  private final Map<ContainerReader, Map<VersionId, BlockReader>> open = new LinkedHashMap<>();
  private final Map<BlockReader, VersionView> views = new HashMap<>();
  private final List<AutoCloseable> temporary = new ArrayList<>();
  private final List<Fetch> later = new ArrayList<>();

  /** Brings versions of the rank from somewhere that is slow. */
  private interface Fetch {
    @Nullable ContainerReader run() throws IOException;
  }

  HealingSource(Inventory all, Inventory.Held damaged) throws IOException {
    this.all = all;
    this.damaged = damaged;
    if (damaged.kind().equals(TierKind.ERASURE)) {
      return; // nobody has parity twice
    }
    for (Inventory.Held file : all.files()) {
      boolean same =
          file != damaged
              && !file.kind().equals(TierKind.ERASURE)
              && file.rank() == damaged.rank()
              && file.ownership().ranks() == damaged.ownership().ranks()
              && file.ownership().lineage().job().equals(damaged.ownership().lineage().job());
      if (same) {
        readers.add(file.path().open());
      }
    }
    for (VersionId version : damaged.versions().reversed().keySet()) {
      later.add(() -> fromShared(version));
      later.add(() -> fromParity(version));
    }
  }

  @Override
  public Optional<MemorySegment> find(BadBlock bad) {
    for (ContainerReader reader : readers) {
      Optional<MemorySegment> found = find(bad, reader);
      if (found.isPresent()) {
        return found;
      }
    }
    while (!later.isEmpty()) {
      ContainerReader fetched = fetch(later.removeFirst());
      if (fetched != null) {
        readers.add(fetched);
        Optional<MemorySegment> found = find(bad, fetched);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private static @Nullable ContainerReader fetch(Fetch next) {
    try {
      return next.run();
    } catch (IOException | RuntimeException e) {
      return null; // it is not to be had from there; there may be others
    }
  }

  private Optional<MemorySegment> find(BadBlock bad, ContainerReader reader) {
    for (VersionInfo version : reader.versions()) {
      try {
        BlockReader blocks = blocks(reader, version.id());
        VersionView view = views.get(blocks);
        DatasetEntry entry = view == null ? null : view.find(bad.dataset()).orElse(null);
        if (view != null && entry != null && bad.isSameAs(view, entry)) {
          return Optional.of(blocks.read(entry, bad.block()));
        }
      } catch (IOException e) {
        // damaged there too
      }
    }
    return Optional.empty();
  }

  private BlockReader blocks(ContainerReader reader, VersionId version) throws IOException {
    Map<VersionId, BlockReader> known = open.computeIfAbsent(reader, _ -> new HashMap<>());
    BlockReader blocks = known.get(version);
    if (blocks == null) {
      VersionView view = reader.view(version);
      blocks = new BlockReader(view);
      known.put(version, blocks);
      views.put(blocks, view);
    }
    return blocks;
  }

  // ---------------------------------------------------------------- what has to be fetched

  private @Nullable ContainerReader fromShared(VersionId version) throws IOException {
    SharedPlace shared = all.shared();
    if (shared == null || !shared.all().contains(version)) {
      return null;
    }
    Opened opened = Opened.fetch(shared, List.of(version), damaged.rank());
    temporary.add(opened);
    return opened.reader();
  }

  /** Decodes the state of the rank from parity, as if its own container were lost. */
  private @Nullable ContainerReader fromParity(VersionId version) throws IOException {
    Optional<ParityInfo> group =
        all.files().stream()
            .map(file -> file.parities().get(version))
            .filter(info -> info != null && info.members().contains(damaged.rank()))
            .findFirst();
    if (group.isEmpty()) {
      return null;
    }
    Path directory = Files.createTempDirectory("cairn");
    temporary.add(() -> Folder.delete(directory));
    DirectoryStore store = DirectoryStore.open(directory, false);
    String name = FileNames.local(damaged.rank());
    Ownership owner =
        new Ownership(
            damaged.ownership().lineage(), Ownership.STATE, damaged.rank(), version.ranks());
    try (Container target =
        Container.open(store, name, Retention.newest(1), owner, new SecureRandom()::nextLong)) {
      rebuild(version, group.get(), target);
    }
    ContainerReader reader = ContainerReader.open(store, name);
    temporary.add(reader);
    return reader;
  }

  private void rebuild(VersionId version, ParityInfo group, Container target) {
    List<Integer> members = group.members();
    Ranks.run(
        members.size(),
        rank -> "member" + rank,
        comm -> {
          int member = members.get(comm.rank());
          boolean lost = member == damaged.rank();
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
    return all.files().stream()
        .filter(file -> file.is(kind, rank) && file.versions().containsKey(version))
        .findFirst()
        .<ErasureTier.Opener>map(file -> () -> file.path().open())
        .orElse(null);
  }

  @Override
  public void close() throws IOException {
    open.values().forEach(blocks -> blocks.values().forEach(BlockReader::close));
    for (ContainerReader reader : readers) {
      reader.close();
    }
    try {
      for (AutoCloseable one : temporary.reversed()) {
        one.close();
      }
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
