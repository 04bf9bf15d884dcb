// SPDX-License-Identifier: Apache-2.0
package org.cairn.division;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.cairn.Part;

/**
 * Whether bricks fill an array: no element twice, none missing.
 *
 * <p>A region is cut in two at a face of a brick, near the middle of those along the axis that has
 * most of them, until it lies in one brick, in several, or in none. Bricks of a grid are cut by few
 * planes, so that a thousand times as many take little more than a thousand times as long.
 */
final class Coverage {
  /** A part, and whose it is. */
  record Owned(int rank, Part part) {
    long from(int axis) {
      return part.offset().get(axis);
    }

    long to(int axis) {
      return from(axis) + part.extent().get(axis);
    }
  }

  private final String array;
  private final boolean holes;
  private final int axes;
  private final List<Owned> all;

  private Coverage(String array, List<Owned> all) {
    Part first = all.getFirst().part;
    this.array = array;
    this.holes = first.fill().isPresent();
    this.axes = first.shape().size();
    this.all = all.stream().filter(one -> one.part.elements() > 0).toList();
  }

  /** What is wrong with the parts of an array, all of which say the same of it, in a sentence. */
  static Optional<String> problem(String array, List<Owned> parts) {
    for (Owned one : parts) {
      if (!one.part.isWithin()) {
        return Optional.of(
            "array \"%s\": rank %d has %s of it, which is not within its shape %s; give all ranks the shape of the whole array, and each a part of that"
                .formatted(array, one.rank, one.part, one.part.shape()));
      }
    }
    Coverage coverage = new Coverage(array, parts);
    long[] from = new long[coverage.axes];
    long[] to = parts.getFirst().part.shape().stream().mapToLong(Long::longValue).toArray();
    return coverage.problem(coverage.all, from, to);
  }

  private Optional<String> problem(List<Owned> within, long[] from, long[] to) {
    if (isEmpty(from, to)) {
      return Optional.empty();
    }
    if (within.isEmpty()) {
      return holes ? Optional.empty() : Optional.of(missing(from, to));
    }
    List<Owned> covering = within.stream().filter(one -> covers(one, from, to)).toList();
    if (covering.size() > 1) {
      return Optional.of(twice(covering.get(0), covering.get(1)));
    }
    if (!covering.isEmpty() && within.size() > 1) {
      Owned other = within.getFirst() == covering.getFirst() ? within.get(1) : within.getFirst();
      return Optional.of(twice(covering.getFirst(), other));
    }
    return covering.isEmpty() ? problemOfHalves(within, from, to) : Optional.empty();
  }

  private static boolean isEmpty(long[] from, long[] to) {
    for (int axis = 0; axis < from.length; axis++) {
      if (from[axis] >= to[axis]) {
        return true;
      }
    }
    return false;
  }

  private boolean covers(Owned one, long[] from, long[] to) {
    for (int axis = 0; axis < axes; axis++) {
      if (one.from(axis) > from[axis] || one.to(axis) < to[axis]) {
        return false;
      }
    }
    return true;
  }

  private Optional<String> problemOfHalves(List<Owned> within, long[] from, long[] to) {
    int cutAxis = 0;
    long[] faces = {};
    for (int axis = 0; axis < axes; axis++) {
      long[] found = faces(within, axis, from[axis], to[axis]);
      if (found.length > faces.length) {
        cutAxis = axis;
        faces = found;
      }
    }
    long cut = faces[faces.length / 2]; // there is one: else a brick would cover all
    long[] middleTo = to.clone();
    long[] middleFrom = from.clone();
    middleTo[cutAxis] = cut;
    middleFrom[cutAxis] = cut;
    int axis = cutAxis;
    List<Owned> below = within.stream().filter(one -> one.from(axis) < cut).toList();
    Optional<String> found = problem(below, from, middleTo);
    if (found.isPresent()) {
      return found;
    }
    List<Owned> above = within.stream().filter(one -> one.to(axis) > cut).toList();
    return problem(above, middleFrom, to);
  }

  private static long[] faces(List<Owned> within, int axis, long from, long to) {
    return within.stream()
        .flatMapToLong(one -> Arrays.stream(new long[] {one.from(axis), one.to(axis)}))
        .filter(face -> face > from && face < to)
        .sorted()
        .distinct()
        .toArray();
  }

  // ---------------------------------------------------------------- in words

  private String twice(Owned one, Owned other) {
    long[] from = new long[axes];
    long[] to = new long[axes];
    for (int axis = 0; axis < axes; axis++) {
      from[axis] = Math.max(one.from(axis), other.from(axis));
      to[axis] = Math.min(one.to(axis), other.to(axis));
    }
    String owners =
        one.rank == other.rank
            ? "rank %d has %s of array \"%s\" twice".formatted(one.rank, text(from, to), array)
            : "ranks %d and %d both have %s of array \"%s\""
                .formatted(
                    Math.min(one.rank, other.rank),
                    Math.max(one.rank, other.rank),
                    text(from, to),
                    array);
    return owners
        + " (parts %s and %s); an element belongs to one rank, others have it as a ghost"
            .formatted(one.part, other.part);
  }

  private String missing(long[] from, long[] to) {
    List<Owned> near = new ArrayList<>(all);
    near.sort(Comparator.comparingDouble(one -> distance(one, from, to)));
    String neighbours =
        String.join(
            " and ",
            near.stream()
                .limit(2)
                .map(one -> "rank %d has %s".formatted(one.rank, one.part))
                .toList());
    return "no rank has %s of array \"%s\"%s; protect it, or allow holes with Part.holes(value)"
        .formatted(
            text(from, to), array, neighbours.isEmpty() ? "" : " (nearest: " + neighbours + ")");
  }

  private double distance(Owned one, long[] from, long[] to) {
    double sum = 0;
    for (int axis = 0; axis < axes; axis++) {
      double gap = Math.max(0, Math.max(one.from(axis) - to[axis], from[axis] - one.to(axis)));
      sum += gap * gap;
    }
    return sum;
  }

  private static String text(long[] from, long[] to) {
    StringBuilder text = new StringBuilder();
    for (int axis = 0; axis < from.length; axis++) {
      text.append(axis == 0 ? "[" : ", ").append(from[axis]).append(':').append(to[axis]);
    }
    return text.append(']').toString();
  }
}
