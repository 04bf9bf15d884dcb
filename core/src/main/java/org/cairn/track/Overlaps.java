// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.cairn.Dataset;

/**
 * Datasets that have some of their memory together with others. What a restart has put there for
 * one of them, it may have overwritten for another.
 */
final class Overlaps {
  private record Place(Dataset dataset, long from, long to) {
    static Place of(Dataset dataset, MemorySegment memory) {
      return new Place(dataset, memory.address(), memory.address() + memory.byteSize());
    }
  }

  private Overlaps() {}

  /** Those of some datasets that share at least a byte with another of them. */
  static Set<Dataset> among(Collection<Dataset> datasets) {
    Set<Dataset> found = Collections.newSetFromMap(new IdentityHashMap<>());
    List<Place> places = places(datasets);
    for (int i = 1, furthest = 0; i < places.size(); i++) {
      Place place = places.get(i);
      Place before = places.get(furthest);
      // Whoever else reaches so far meets that one, too, and was found with it.
      if (place.from < before.to) {
        found.add(place.dataset);
        found.add(before.dataset);
      }
      furthest = place.to > before.to ? i : furthest;
    }
    return found;
  }

  /** In the order in which they begin. */
  private static List<Place> places(Collection<Dataset> datasets) {
    List<Place> places = new ArrayList<>();
    for (Dataset dataset : datasets) {
      memory(dataset)
          .filter(memory -> memory.byteSize() > 0)
          .ifPresent(memory -> places.add(Place.of(dataset, memory)));
    }
    places.sort(Comparator.comparingLong(Place::from));
    return places;
  }

  /** Memory that is gone was not filled either. */
  private static Optional<MemorySegment> memory(Dataset dataset) {
    try {
      return dataset.lastingMemory();
    } catch (IllegalStateException e) {
      return Optional.empty();
    }
  }
}
