// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.cairn.cli.command.Folder;
import org.cairn.container.BadBlock;
import org.cairn.container.BlockSource;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.tier.elsewhere.OtherPlaces;
import org.cairn.version.VersionId;

/**
 * Where else the blocks of a container may be, of all that lies in a directory and in the shared
 * one. What has to be decoded goes to a directory that goes when this is closed.
 */
final class HealingSource implements BlockSource, AutoCloseable {
  private final OtherPlaces places;
  private final List<Path> temporary = new ArrayList<>();

  HealingSource(Inventory all, Inventory.Held damaged) throws IOException {
    Map<Inventory.Held, OtherPlaces.Place> known = new IdentityHashMap<>();
    for (Inventory.Held file : all.files()) {
      known.put(file, file.place());
    }
    SharedPlace shared = all.shared();
    OtherPlaces.Everything everything =
        new OtherPlaces.Everything(
            known.values(),
            Optional.ofNullable(shared).map(SharedPlace::store),
            shared == null ? Set.of() : shared.all());
    OtherPlaces.Place mine = known.getOrDefault(damaged, damaged.place());
    List<VersionId> versions = List.copyOf(damaged.versions().reversed().keySet());
    this.places = new OtherPlaces(everything, mine, versions, this::room);
  }

  private Store room() throws IOException {
    Path directory = Files.createTempDirectory("cairn");
    temporary.add(directory);
    return DirectoryStore.open(directory, false);
  }

  @Override
  public Optional<MemorySegment> find(BadBlock bad) {
    return places.find(bad);
  }

  @Override
  public void close() throws IOException {
    try {
      places.close();
    } finally {
      for (Path directory : temporary) {
        Folder.delete(directory);
      }
    }
  }
}
