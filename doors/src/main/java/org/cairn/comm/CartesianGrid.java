// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Ranks as the points of a grid, for programs that divide a space among them and talk to their
 * neighbours:
 *
 * <pre>{@code
 * CartesianGrid grid = CartesianGrid.of(ranks, 0, 0).periodic(1); // a cylinder
 * grid.shift(0, 1, lastRow, ghostRow, TAG); // a row to the next, and one from the rank before
 * }</pre>
 *
 * <p>The last coordinate varies fastest: on 2 x 3 ranks, rank 4 is at (1, 1). At an open boundary
 * there is {@link Communicator#NOBODY}; a periodic dimension begins anew after its end, so that a
 * rank may be its own neighbour.
 *
 * <p>A grid is a way to count: making one sends nothing, and messages go through the communicator
 * it was made of. All ranks make the same.
 */
public final class CartesianGrid {
  private final Communicator ranks;
  private final int[] sides;
  private final boolean[] periodic;

  private CartesianGrid(Communicator ranks, int[] sides, boolean[] periodic) {
    this.ranks = ranks;
    this.sides = sides;
    this.periodic = periodic;
  }

  /**
   * All ranks of a communicator as a grid with open boundaries.
   *
   * @param sides how many ranks there are along each dimension; 0 where that is to be chosen, see
   *     {@link #balanced}
   * @throws IllegalArgumentException if the grid does not have as many points as there are ranks
   */
  public static CartesianGrid of(Communicator ranks, int... sides) {
    int[] chosen = balanced(ranks.size(), sides);
    return new CartesianGrid(ranks, chosen, new boolean[chosen.length]);
  }

  /** The same grid, closed to a ring along these dimensions, counted from 0. */
  public CartesianGrid periodic(int... dimensions) {
    boolean[] closed = periodic.clone();
    for (int dimension : dimensions) {
      closed[checked(dimension)] = true;
    }
    return new CartesianGrid(ranks, sides, closed);
  }

  // Sides.

  /**
   * Chooses sides as equal as possible: the largest is as small as it can be, then the second, and
   * so on. Chosen sides do not grow from one dimension to the next.
   *
   * @param sides 0 where one is to be chosen; others stay
   * @throws IllegalArgumentException if so many ranks cannot be divided that way
   */
  public static int[] balanced(int ranks, int... sides) {
    if (sides.length == 0) {
      throw new IllegalArgumentException("a grid has at least one dimension");
    }
    int left = ranks;
    for (int side : sides) {
      if (side < 0 || side > 0 && left % side != 0) {
        throw misfit(ranks, sides);
      }
      left = side == 0 ? left : left / side;
    }
    int free = (int) Arrays.stream(sides).filter(side -> side == 0).count();
    if (free == 0 && left != 1) {
      throw misfit(ranks, sides);
    }
    int[] chosen = new int[free];
    factor(left, left, chosen, 0);
    int[] result = sides.clone();
    for (int dimension = 0, next = 0; dimension < sides.length; dimension++) {
      result[dimension] = sides[dimension] == 0 ? chosen[next++] : sides[dimension];
    }
    return result;
  }

  private static IllegalArgumentException misfit(int ranks, int[] sides) {
    String grid = String.join(" x ", Arrays.stream(sides).mapToObj(Integer::toString).toList());
    return new IllegalArgumentException(
        "%d ranks do not make a grid of %s (0: to be chosen)".formatted(ranks, grid));
  }

  /**
   * Writes a number as a product, with the smallest factors to begin with that do not grow.
   *
   * @param limit no factor is larger
   * @param factors gets them from index {@code from} on
   * @return whether there are such
   */
  private static boolean factor(int number, int limit, int[] factors, int from) {
    if (from == factors.length) {
      return number == 1;
    }
    for (int factor : divisors(number)) {
      if (factor <= limit && suffices(factor, factors.length - from, number)) {
        factors[from] = factor;
        if (factor(number / factor, factor, factors, from + 1)) {
          return true;
        }
      }
    }
    return false;
  }

  /** From 1 to the number itself. */
  private static int[] divisors(int number) {
    return IntStream.rangeClosed(1, (int) Math.sqrt(number))
        .filter(divisor -> number % divisor == 0)
        .flatMap(divisor -> IntStream.of(divisor, number / divisor))
        .sorted()
        .distinct()
        .toArray();
  }

  /** Whether so many factors that are not larger can make the number. */
  private static boolean suffices(int factor, int count, int number) {
    long most = 1;
    for (int i = 0; i < count && most < number; i++) {
      most *= factor;
    }
    return most >= number;
  }

  // Where ranks are.

  /** The ranks of the grid. */
  public Communicator ranks() {
    return ranks;
  }

  /** How many dimensions it has. */
  public int dimensions() {
    return sides.length;
  }

  /** How many ranks there are along a dimension. */
  public int side(int dimension) {
    return sides[checked(dimension)];
  }

  /** Whether the grid begins anew where a dimension ends. */
  public boolean isPeriodic(int dimension) {
    return periodic[checked(dimension)];
  }

  /** Where this rank is. */
  public int[] coordinates() {
    return coordinates(ranks.rank());
  }

  /** Where a rank is. */
  public int[] coordinates(int rank) {
    Arguments.checkRank(ranks, rank);
    int[] coordinates = new int[sides.length];
    int left = rank;
    for (int dimension = sides.length - 1; dimension >= 0; dimension--) {
      coordinates[dimension] = left % sides[dimension];
      left /= sides[dimension];
    }
    return coordinates;
  }

  /**
   * Who is there. Along periodic dimensions coordinates of any size are taken; beyond an open
   * boundary is {@link Communicator#NOBODY}.
   */
  public int rankAt(int... coordinates) {
    if (coordinates.length != sides.length) {
      throw new IllegalArgumentException(
          "%d coordinates do not name a point of a grid with %d dimensions"
              .formatted(coordinates.length, sides.length));
    }
    int rank = 0;
    for (int dimension = 0; dimension < sides.length; dimension++) {
      int along = within(dimension, coordinates[dimension]);
      if (along == Communicator.NOBODY) {
        return Communicator.NOBODY;
      }
      rank = rank * sides[dimension] + along;
    }
    return rank;
  }

  /** A coordinate between 0 and the side, if there is one. */
  private int within(int dimension, long coordinate) {
    int side = sides[dimension];
    if (periodic[dimension]) {
      return (int) Math.floorMod(coordinate, (long) side);
    }
    return coordinate < 0 || coordinate >= side ? Communicator.NOBODY : (int) coordinate;
  }

  // Neighbours.

  /**
   * Who is so many steps from this rank along a dimension, back if they are negative; {@link
   * Communicator#NOBODY} beyond an open boundary.
   */
  public int neighbour(int dimension, int steps) {
    int[] coordinates = coordinates();
    int along = within(checked(dimension), (long) coordinates[dimension] + steps);
    if (along == Communicator.NOBODY) {
      return Communicator.NOBODY;
    }
    coordinates[dimension] = along;
    return rankAt(coordinates);
  }

  /**
   * The nearest neighbours: along each dimension the one before this rank, then the one after it.
   */
  public int[] neighbours() {
    return IntStream.range(0, 2 * sides.length)
        .map(i -> neighbour(i / 2, i % 2 == 0 ? -1 : 1))
        .toArray();
  }

  /**
   * Moves data along a dimension: sends to the rank so many steps on and receives from the one as
   * many steps back. At open boundaries the half that has no other side is left out. All ranks of
   * the grid call it; no rank waits for a whole row of others.
   *
   * @return what was received, see {@link Communicator#sendReceive}
   */
  public Message shift(
      int dimension, int steps, MemorySegment data, MemorySegment target, int tag) {
    int to = neighbour(dimension, steps);
    int from = neighbour(dimension, Math.negateExact(steps));
    return ranks.sendReceive(data, to, target, from, tag);
  }

  // Parts.

  /**
   * The part of the grid that runs through this rank along some dimensions: those whose other
   * coordinates are the same. Of a grid of 2 x 3, {@code along(1)} is a row of 3. Collective; the
   * part has a communicator of its own, {@link #ranks}, to be closed by the caller.
   *
   * @param dimensions those of the part, in its order
   */
  public CartesianGrid along(int... dimensions) {
    boolean[] kept = new boolean[sides.length];
    for (int dimension : dimensions) {
      if (kept[checked(dimension)]) {
        throw new IllegalArgumentException("dimension " + dimension + " is named twice");
      }
      kept[dimension] = true;
    }
    int[] dropped = IntStream.range(0, sides.length).filter(i -> !kept[i]).toArray();
    int[] partSides = Arrays.stream(dimensions).map(i -> sides[i]).toArray();
    boolean[] partPeriodic = new boolean[dimensions.length];
    for (int i = 0; i < dimensions.length; i++) {
      partPeriodic[i] = periodic[dimensions[i]];
    }
    Communicator part = ranks.split(numberAmong(dropped), numberAmong(dimensions));
    return new CartesianGrid(part, partSides, partPeriodic);
  }

  /** Counts the points of this rank's coordinates along some dimensions, the last fastest. */
  private int numberAmong(int[] dimensions) {
    int[] coordinates = coordinates();
    int number = 0;
    for (int dimension : dimensions) {
      number = number * sides[dimension] + coordinates[dimension];
    }
    return number;
  }

  private int checked(int dimension) {
    if (dimension < 0 || dimension >= sides.length) {
      throw new IllegalArgumentException(
          "there is no dimension %d; the grid has %d, from 0 on"
              .formatted(dimension, sides.length));
    }
    return dimension;
  }

  @Override
  public String toString() {
    return "grid of "
        + String.join(
            " x ",
            IntStream.range(0, sides.length)
                .mapToObj(i -> sides[i] + (periodic[i] ? " (periodic)" : ""))
                .toList());
  }
}
