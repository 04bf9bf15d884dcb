// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.cairn.container.BadBlock;
import org.cairn.container.BlockSource;
import org.cairn.record.FirstFew;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.supply.Closing;
import org.cairn.tier.elsewhere.OtherPlaces;
import org.jspecify.annotations.Nullable;

/**
 * What was damaged where it was to be read, and where it was had instead. What was opened for that
 * stays open, since it was slow to find; what was decoded is in directories that go at the end. For
 * one thread at a time.
 */
final class Detours implements Closeable {
  private final Set<String> told = new LinkedHashSet<>();
  private long more;
  private final Map<OpenStates.Key, Detour> detours = new HashMap<>();
  private final List<DirectoryStore> rooms = new ArrayList<>();

  /** What was taken from elsewhere, for people; of very much the first. */
  List<String> told() {
    List<String> lines = new ArrayList<>(told);
    if (more > 0) {
      lines.add("and %,d more".formatted(more));
    }
    return lines;
  }

  /** A state was read from somewhere because it could not be read elsewhere. */
  void tell(Collection<Exception> failures, String where) {
    failures.forEach(failure -> tell(String.valueOf(failure.getMessage()), where));
  }

  private void tell(String what, String where) {
    String text = "%s; taken from %s".formatted(what, where);
    if (told.size() < FirstFew.MOST) {
      told.add(text); // a block may be wanted twice
    } else if (!told.contains(text)) {
      more++;
    }
  }

  /**
   * Where blocks of a container may be.
   *
   * @param all what there is, looked up when something is damaged
   */
  BlockSource of(
      OpenStates.Key key, OtherPlaces.Place container, Supplier<OtherPlaces.Everything> all) {
    return detours.computeIfAbsent(key, _ -> new Detour(key, container, all));
  }

  private final class Detour implements BlockSource {
    private final OpenStates.Key key;
    private final OtherPlaces.Place container;
    private final Supplier<OtherPlaces.Everything> all;
    private @Nullable OtherPlaces places;

    Detour(OpenStates.Key key, OtherPlaces.Place container, Supplier<OtherPlaces.Everything> all) {
      this.key = key;
      this.container = container;
      this.all = all;
    }

    @Override
    public Optional<MemorySegment> find(BadBlock bad) {
      OtherPlaces asked = places;
      if (asked == null) {
        asked = new OtherPlaces(all.get(), container, List.of(key.version()), Detours.this::room);
        places = asked;
      }
      Optional<MemorySegment> found = asked.find(bad);
      if (found.isPresent()) {
        tell(bad.what(), asked.place());
      }
      return found;
    }

    void close() throws IOException {
      if (places != null) {
        places.close();
      }
    }
  }

  private Store room() throws IOException {
    DirectoryStore room = DirectoryStore.open(Files.createTempDirectory("cairn"), false);
    rooms.add(room);
    return room;
  }

  @Override
  public void close() throws IOException {
    Closing steps = new Closing();
    detours.values().forEach(detour -> steps.then(detour::close));
    for (DirectoryStore room : rooms) {
      steps.then(() -> delete(room));
    }
    steps.end();
  }

  private static void delete(DirectoryStore room) throws IOException {
    for (String file : room.list()) {
      room.delete(file);
    }
    Files.deleteIfExists(Path.of(room.location()));
  }
}
