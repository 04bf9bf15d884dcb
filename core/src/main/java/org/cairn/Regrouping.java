// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * What a program wants of what another number of ranks saved, where that does not follow from how
 * it is divided; see {@link RestartRequest#items} and {@link RestartRequest#otherwise}. Ranks may
 * want different things.
 *
 * @param items which items of a bag this rank gets, by the name of the bag
 * @param fetched which datasets that were one rank's alone it gets, by name
 */
public record Regrouping(Map<String, Items> items, Map<String, Fetched> fetched) {
  /** Nothing special. */
  public static final Regrouping NONE = new Regrouping(Map.of(), Map.of());

  /** Copies the maps. */
  public Regrouping {
    items = Map.copyOf(items);
    fetched = Map.copyOf(fetched);
  }

  /** Which items of a bag a rank gets. */
  public sealed interface Items {
    /**
     * A stretch of the sequence that the items of all ranks make.
     *
     * @param from the first
     * @param to behind the last
     */
    record Stretch(long from, long to) implements Items {
      /** Refuses what is no stretch. */
      public Stretch {
        if (from < 0 || to < from) {
          throw new IllegalArgumentException(
              "there are no items from %d to %d".formatted(from, to));
        }
      }
    }

    /** All items of some of the ranks that saved them. */
    record OfRanks(IntPredicate old) implements Items {}
  }

  /**
   * Datasets of old ranks.
   *
   * @param ranks whose
   * @param then makes of them what the program wants
   */
  public record Fetched(IntPredicate ranks, Consumer<List<OldDataset>> then) {}

  Regrouping with(String bag, Items share) {
    Map<String, Items> all = new TreeMap<>(items);
    all.put(bag, share);
    return new Regrouping(all, fetched);
  }

  Regrouping with(String dataset, Fetched wanted) {
    Map<String, Fetched> all = new TreeMap<>(fetched);
    all.put(dataset, wanted);
    return new Regrouping(items, all);
  }

  /** The same without what is fetched of other datasets than these. */
  public Regrouping fetching(Predicate<String> wanted) {
    Map<String, Fetched> some = new TreeMap<>(fetched);
    some.keySet().removeIf(wanted.negate());
    return new Regrouping(items, some);
  }

  /** Which items of a bag this rank gets; empty for an equal share. */
  public Optional<Items> itemsOf(String bag) {
    return Optional.ofNullable(items.get(bag));
  }
}
