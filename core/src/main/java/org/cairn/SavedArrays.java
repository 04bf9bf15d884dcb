// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.cairn.division.Description;
import org.cairn.division.Division;
import org.cairn.redivision.Region;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;

/** What ranks had together in a version. */
final class SavedArrays {
  private final SavedVersion version;
  private final Map<String, List<Saved>> found = new LinkedHashMap<>();

  private record Saved(SavedState state, DatasetEntry entry) {
    Division division() {
      return entry.spec().division();
    }
  }

  private SavedArrays(SavedVersion version) {
    this.version = version;
  }

  static SavedArrays of(SavedVersion version) {
    SavedArrays arrays = new SavedArrays(version);
    List<Description> ranks = new ArrayList<>();
    for (int rank = 0; rank < version.ranks(); rank++) {
      try {
        ranks.add(arrays.add(version.described(rank)));
      } catch (IllegalStateException e) {
        throw arrays.unusable("rank %d: %s".formatted(rank, e.getMessage()));
      }
    }
    // What was agreed on is right; what a file says need not be.
    Optional<String> problem = Description.problem(ranks);
    if (problem.isPresent()) {
      throw arrays.unusable(problem.get());
    }
    return arrays;
  }

  private CheckpointUnavailableException unusable(String problem) {
    return new CheckpointUnavailableException(
        "arrays of version %s cannot be put together".formatted(version.id()), List.of(problem));
  }

  private Description add(SavedState state) {
    Description.Builder said = new Description.Builder();
    for (DatasetEntry entry : state.entries()) {
      DatasetSpec spec = entry.spec();
      Descriptions.add(said, spec);
      name(spec)
          .ifPresent(
              name ->
                  found.computeIfAbsent(name, _ -> new ArrayList<>()).add(new Saved(state, entry)));
    }
    return said.build();
  }

  /**
   * Parts are found by the name of the array, items by that of their dataset. What the only rank
   * has is all there is.
   */
  private Optional<String> name(DatasetSpec spec) {
    return switch (spec.division()) {
      case Division.Parts parts -> Optional.of(parts.array());
      case Division.Bag _ -> Optional.of(spec.name());
      case Division.Everywhere _ -> isReadable(spec) ? Optional.of(spec.name()) : Optional.empty();
      case Division.Alone _ -> isArray(spec) ? Optional.of(spec.name()) : Optional.empty();
    };
  }

  private boolean isArray(DatasetSpec spec) {
    return version.ranks() == 1 && isReadable(spec);
  }

  private static boolean isReadable(DatasetSpec spec) {
    int axes = spec.shape().size();
    return spec.type() != ElementType.OPAQUE && axes >= 1 && axes <= Part.MAX_AXES;
  }

  /** What is the same everywhere can be asked for, but is no array that was divided. */
  List<SavedArray> all() {
    return found.entrySet().stream()
        .filter(
            named ->
                named.getValue().stream()
                    .noneMatch(one -> one.division() instanceof Division.Everywhere))
        .map(named -> array(named.getKey()))
        .toList();
  }

  SavedArray array(String name) {
    List<Saved> named = found.getOrDefault(name, List.of());
    List<Saved> together = named.stream().filter(one -> !one.division().isAlone()).toList();
    List<Saved> saved = together.isEmpty() ? named : together;
    if (saved.isEmpty()) {
      throw new IllegalArgumentException(
          "version %s has no array \"%s\" that ranks had together; it has %s"
              .formatted(version.id(), name, found.keySet()));
    }
    return switch (saved.getFirst().division()) {
      case Division.Bag bag -> ofItems(name, saved, bag.width());
      case Division.Parts _ -> ofParts(name, saved);
      case Division.Everywhere _, Division.Alone _ -> ofWhole(name, saved);
    };
  }

  private static SavedArray ofWhole(String name, List<Saved> saved) {
    Saved only = saved.getFirst();
    List<Long> shape = only.entry.spec().shape();
    long[] extent = shape.stream().mapToLong(Long::longValue).toArray();
    Part all = Part.of(extent, new long[extent.length], extent);
    List<Assembly.Piece> pieces = List.of(new Assembly.Piece(only.state, only.entry, 0, all));
    return array(name, saved, shape, OptionalDouble.empty(), pieces);
  }

  private static SavedArray ofParts(String name, List<Saved> saved) {
    List<Assembly.Piece> pieces = new ArrayList<>();
    for (Saved one : saved) {
      long start = 0;
      for (Part part : ((Division.Parts) one.division()).parts()) {
        pieces.add(new Assembly.Piece(one.state, one.entry, start, part));
        start += part.localElements();
      }
    }
    Part whole = pieces.getFirst().part();
    return array(name, saved, whole.shape(), whole.fill(), pieces);
  }

  private static SavedArray ofItems(String name, List<Saved> saved, int width) {
    long items = saved.stream().mapToLong(one -> items(one, width)).sum();
    List<Assembly.Piece> pieces = new ArrayList<>();
    long before = 0;
    for (Saved one : saved) {
      long own = items(one, width);
      Part part =
          width == 1
              ? Part.of(new long[] {items}, new long[] {before}, new long[] {own})
              : Part.of(new long[] {items, width}, new long[] {before, 0}, new long[] {own, width});
      pieces.add(new Assembly.Piece(one.state, one.entry, 0, part));
      before += own;
    }
    return array(name, saved, pieces.getFirst().part().shape(), OptionalDouble.empty(), pieces);
  }

  private static long items(Saved one, int width) {
    return DatasetSpec.elements(one.entry.spec().shape()) / width;
  }

  private static SavedArray array(
      String name,
      List<Saved> saved,
      List<Long> shape,
      OptionalDouble fill,
      List<Assembly.Piece> pieces) {
    ElementType type = saved.getFirst().entry.spec().type();
    Region whole = Region.of(shape.stream().mapToLong(Long::longValue).toArray());
    return new SavedArray(name, type, new Assembly(type, fill, pieces), whole);
  }
}
