// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.division.Division;
import org.cairn.version.DatasetEntry;

/**
 * How everything that was saved in a version is dealt out to a number of ranks. On as many ranks as
 * before all have what they had, but for arrays for which a grid is chosen.
 */
final class Dealing {
  private final SavedVersion version;
  private final int ranks;
  private final ChosenGrids grids;
  private final Set<String> dropped;

  private final SavedArrays arrays;
  private final List<Shares> all = new ArrayList<>();
  private final Set<String> refused = new TreeSet<>();
  private final Set<String> known = new TreeSet<>();
  private final Set<String> knownArrays = new TreeSet<>();
  private final Set<Integer> knownAxes = new TreeSet<>();

  /** Arrays and datasets that are dealt out already, whoever had them first. */
  private final Set<List<String>> dealt = new HashSet<>();

  private Dealing(SavedVersion version, int ranks, ChosenGrids grids, Set<String> dropped) {
    this.version = version;
    this.ranks = ranks;
    this.grids = grids;
    this.dropped = dropped;
    this.arrays = SavedArrays.of(version);
  }

  /**
   * Deals out.
   *
   * @param dropped names of datasets and arrays that are left out
   * @throws IllegalArgumentException naming what cannot be dealt out
   */
  static List<Shares> of(SavedVersion version, int ranks, ChosenGrids grids, Set<String> dropped) {
    Dealing dealing = new Dealing(version, ranks, grids, dropped);
    for (int rank = 0; rank < version.ranks(); rank++) {
      SavedState state = version.described(rank);
      for (DatasetEntry entry : state.entries()) {
        dealing.add(rank, state, entry);
      }
    }
    dealing.requireKnown("dataset or array", dropped, dealing.known);
    dealing.requireKnown("array in parts", grids.byName().keySet(), dealing.knownArrays);
    dealing.requireKnown(
        "array in parts whose number of axes is", grids.byAxes().keySet(), dealing.knownAxes);
    dealing.refuseAlone();
    dealing.refuseSameNames();
    return dealing.all;
  }

  private boolean isAsMany() {
    return ranks == version.ranks();
  }

  private void add(int rank, SavedState state, DatasetEntry entry) {
    String name = entry.name();
    String array = entry.spec().division() instanceof Division.Parts parts ? parts.array() : name;
    known.add(name);
    known.add(array);
    if (dropped.contains(name) || dropped.contains(array)) {
      return;
    }
    switch (entry.spec().division()) {
      case Division.Everywhere _ -> {
        if (isFirst("everywhere", name)) {
          all.add(new Shares.AsBefore(OptionalInt.empty(), state, entry));
        }
      }
      case Division.Parts parts -> {
        int axes = parts.first().shape().size();
        Optional<int[]> cuts = grids.find(array, axes);
        knownArrays.add(array);
        knownAxes.add(axes);
        if (isAsMany() && cuts.isEmpty()) {
          all.add(new Shares.AsBefore(OptionalInt.of(rank), state, entry));
        } else if (isFirst("array", array)) {
          all.add(ofArray(array, entry, cuts));
        }
      }
      case Division.Bag bag -> {
        if (isAsMany()) {
          all.add(new Shares.AsBefore(OptionalInt.of(rank), state, entry));
        } else if (isFirst("bag", name)) {
          all.add(new Shares.OfItems(entry.spec(), bag, arrays.array(name), ranks));
        }
      }
      case Division.Alone _ -> {
        if (isAsMany()) {
          all.add(new Shares.AsBefore(OptionalInt.of(rank), state, entry));
        } else {
          refused.add(name);
        }
      }
    }
  }

  private boolean isFirst(String kind, String name) {
    return dealt.add(List.of(kind, name));
  }

  /** A dataset of this name each; those of one rank may have had several. */
  private Shares ofArray(String name, DatasetEntry first, Optional<int[]> cuts) {
    SavedArray array = arrays.array(name);
    List<Part> parts = array.parts().stream().map(SavedArray.Owned::part).toList();
    Grid grid =
        cuts.isEmpty()
            ? Grid.of(parts, ranks)
            : Grid.chosen(name, array.shape(), cuts.get(), ranks);
    return new Shares.OfArray(
        first.name(), first.spec(), array, grid, Grid.Ghosts.of(parts), ranks);
  }

  // ---------------------------------------------------------------- what cannot be

  private <T> void requireKnown(String what, Set<T> named, Set<T> there) {
    for (T one : named) {
      if (!there.contains(one)) {
        throw new IllegalArgumentException(
            "version %s has no %s \"%s\"; it has %s".formatted(version.id(), what, one, there));
      }
    }
  }

  private void refuseAlone() {
    if (!refused.isEmpty()) {
      throw new IllegalArgumentException(
          "only the program knows what its %d ranks would have of what %d had, each alone: %s; drop them by name (--drop), or restart on %d ranks with RestartRequest.otherwise"
              .formatted(ranks, version.ranks(), refused, ranks));
    }
  }

  /** Names that were different ranks' own may meet on one. */
  private void refuseSameNames() {
    Set<String> common = new HashSet<>();
    for (Shares one : all) {
      if (!(one instanceof Shares.AsBefore) && !common.add(one.of(0).name())) {
        throw twice(one);
      }
    }
    for (Shares one : all) {
      if (one instanceof Shares.AsBefore && common.contains(one.of(0).name())) {
        throw twice(one);
      }
    }
  }

  private IllegalArgumentException twice(Shares one) {
    return new IllegalArgumentException(
        "a rank would have two datasets \"%s\", of what different ranks had under that name; drop one (--drop)"
            .formatted(one.of(0).name()));
  }
}
