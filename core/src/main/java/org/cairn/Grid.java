// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.cairn.redivision.Redivision;

/**
 * How an array is cut for another number of ranks, where nobody says how: each gets one brick, as
 * equal as they can be. An array is cut along the axes along which it was cut before: slabs stay
 * slabs. Bricks become bricks, and of all grids of so many the one is taken that leaves the fewest
 * empty, and of these the one with the smallest faces between them.
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes or compares them
record Grid(long[] shape, int[] cuts) {
  /**
   * The grid that follows from how an array was divided.
   *
   * @param before the bricks that it was divided into
   */
  static Grid of(List<Part> before, int ranks) {
    long[] shape = longs(before.getFirst().shape());
    List<Integer> axes = new ArrayList<>();
    for (int axis = 0; axis < shape.length; axis++) {
      if (isCut(before, axis)) {
        axes.add(axis);
      }
    }
    if (axes.isEmpty()) {
      axes.add(axisForSlabs(shape, ranks));
    }
    return new Search(shape, axes).best(ranks);
  }

  private static boolean isCut(List<Part> parts, int axis) {
    return parts.stream()
        .filter(part -> part.elements() > 0)
        .anyMatch(part -> !part.extent().get(axis).equals(part.shape().get(axis)));
  }

  /** The first axis that gives every rank something; if none does, the longest. */
  private static int axisForSlabs(long[] shape, int ranks) {
    int longest = 0;
    for (int axis = 0; axis < shape.length; axis++) {
      if (shape[axis] >= ranks) {
        return axis;
      }
      if (shape[axis] > shape[longest]) {
        longest = axis;
      }
    }
    return longest;
  }

  /**
   * A grid that somebody chose.
   *
   * @param array for messages
   * @throws IllegalArgumentException if it does not fit the array, or the number of ranks
   */
  static Grid chosen(String array, List<Long> shape, int[] cuts, int ranks) {
    if (cuts.length != shape.size()) {
      throw new IllegalArgumentException(
          "the grid %s has %d axes, and array \"%s\" has %d"
              .formatted(text(cuts), cuts.length, array, shape.size()));
    }
    long bricks = 1;
    for (int cut : cuts) {
      bricks = cut < 1 || bricks > ranks ? Long.MAX_VALUE : bricks * cut;
    }
    if (bricks != ranks) {
      throw new IllegalArgumentException(
          "the grid %s does not have one brick for each of %d ranks".formatted(text(cuts), ranks));
    }
    return new Grid(longs(shape), cuts.clone());
  }

  /** The brick of a rank: ranks along the last axis follow one another. */
  Part part(int rank, Ghosts ghosts) {
    Long[] offset = new Long[shape.length];
    Long[] extent = new Long[shape.length];
    int left = rank;
    for (int axis = shape.length - 1; axis >= 0; axis--) {
      int place = left % cuts[axis];
      left /= cuts[axis];
      offset[axis] = Redivision.share(shape[axis], place, cuts[axis]);
      extent[axis] = Redivision.share(shape[axis], place + 1, cuts[axis]) - offset[axis];
    }
    return new Part(
        Arrays.stream(shape).boxed().toList(),
        List.of(offset),
        List.of(extent),
        ghosts.before,
        ghosts.after,
        ghosts.periodic,
        ghosts.isStale,
        ghosts.fill);
  }

  /** What is said of an array beside where its bricks are; as much as any of them had. */
  record Ghosts(
      List<Long> before,
      List<Long> after,
      List<Integer> periodic,
      boolean isStale,
      OptionalDouble fill) {
    static Ghosts of(List<Part> parts) {
      Part first = parts.getFirst();
      return new Ghosts(
          widest(parts.stream().map(Part::before).toList()),
          widest(parts.stream().map(Part::after).toList()),
          first.periodic(),
          parts.stream().allMatch(Part::isStale),
          first.fill());
    }

    private static List<Long> widest(List<List<Long>> all) {
      List<Long> widest = new ArrayList<>(all.getFirst());
      for (List<Long> one : all) {
        for (int axis = 0; axis < one.size(); axis++) {
          widest.set(axis, Math.max(widest.get(axis), one.get(axis)));
        }
      }
      return widest;
    }
  }

  /** As people write it: {@code 2x3}. */
  @Override
  public String toString() {
    return text(cuts);
  }

  private static String text(int[] cuts) {
    return Arrays.stream(cuts).mapToObj(Integer::toString).collect(Collectors.joining("x"));
  }

  private static long[] longs(List<Long> numbers) {
    return numbers.stream().mapToLong(Long::longValue).toArray();
  }

  /** Goes through all grids of so many bricks that are cut along some axes. */
  private static final class Search {
    private final long[] shape;
    private final List<Integer> axes;
    private final int[] cuts;
    private int[] best = new int[0];
    private long fewestEmpty = Long.MAX_VALUE;
    private double smallest = Double.POSITIVE_INFINITY;

    Search(long[] shape, List<Integer> axes) {
      this.shape = shape;
      this.axes = axes;
      this.cuts = new int[shape.length];
      Arrays.fill(cuts, 1);
    }

    Grid best(int ranks) {
      descend(0, ranks);
      return new Grid(shape, best);
    }

    /** The largest numbers first: of grids that are equally good, the slower axes are cut more. */
    private void descend(int depth, int left) {
      int axis = axes.get(depth);
      boolean last = depth == axes.size() - 1;
      for (int cut = left; cut >= (last ? left : 1); cut--) {
        if (left % cut == 0) {
          cuts[axis] = cut;
          if (last) {
            compare();
          } else {
            descend(depth + 1, left / cut);
          }
        }
      }
      cuts[axis] = 1;
    }

    private void compare() {
      long full = 1;
      long bricks = 1;
      double faces = 0;
      for (int axis = 0; axis < cuts.length; axis++) {
        bricks *= cuts[axis];
        full *= Math.min(cuts[axis], shape[axis]);
        faces += (cuts[axis] - 1) / (double) Math.max(1, shape[axis]);
      }
      long empty = bricks - full;
      if (empty < fewestEmpty || (empty == fewestEmpty && faces < smallest)) {
        fewestEmpty = empty;
        smallest = faces;
        best = cuts.clone();
      }
    }
  }
}
