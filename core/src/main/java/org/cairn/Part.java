// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalDouble;

/**
 * A brick of an array that is divided among ranks, and how it lies in the memory of this one.
 *
 * <pre>{@code
 * long[] all = {1000, 800};
 * cairn.protect("u", u).part(Part.of(all, new long[] {250, 0}, new long[] {250, 800}).halo(1, 0));
 * }</pre>
 *
 * <p>The memory has the brick and its ghosts, the last axis fastest: here 252 × 800 elements.
 * Ghosts are in the memory, not in the array: what is there is somebody else's, or outside. Values
 * at a boundary that are state belong into the array.
 *
 * @param shape elements of the whole array along each axis, slowest first; one to four axes
 * @param offset where the brick begins in it
 * @param extent how many elements it has along each axis; perhaps none
 * @param before ghosts in front of it along each axis
 * @param after ghosts behind it
 * @param periodic axes whose end is followed by their beginning
 * @param isStale whether nobody needs its ghosts
 * @param fill what elements of the array are that no rank has; empty if there must be none
 */
public record Part(
    List<Long> shape,
    List<Long> offset,
    List<Long> extent,
    List<Long> before,
    List<Long> after,
    List<Integer> periodic,
    boolean isStale,
    OptionalDouble fill) {

  /** An array has no more axes. */
  public static final int MAX_AXES = 4;

  /** Refuses what is no brick of the array. */
  public Part {
    shape = List.copyOf(shape);
    offset = List.copyOf(offset);
    extent = List.copyOf(extent);
    before = List.copyOf(before);
    after = List.copyOf(after);
    periodic = periodic.stream().distinct().sorted().toList();
    if (shape.isEmpty() || shape.size() > MAX_AXES) {
      throw new IllegalArgumentException(
          "an array that is divided has 1 to %d axes, not %d".formatted(MAX_AXES, shape.size()));
    }
    for (List<Long> each : List.of(offset, extent, before, after)) {
      if (each.size() != shape.size()) {
        throw new IllegalArgumentException(
            "the array has %d axes %s, but %d numbers were given: %s"
                .formatted(shape.size(), shape, each.size(), each));
      }
    }
    for (int axis = 0; axis < shape.size(); axis++) {
      check(axis, shape.get(axis), offset.get(axis), extent.get(axis));
      if (before.get(axis) < 0 || after.get(axis) < 0) {
        throw new IllegalArgumentException(
            "axis %d cannot have %d and %d ghosts"
                .formatted(axis, before.get(axis), after.get(axis)));
      }
    }
    for (int axis : periodic) {
      if (axis < 0 || axis >= shape.size()) {
        throw new IllegalArgumentException(
            "there is no axis %d that could be periodic; the array has axes 0 to %d"
                .formatted(axis, shape.size() - 1));
      }
    }
    volume(shape, "the array");
    volume(local(extent, before, after), "the part with its ghosts");
  }

  /** Whether it lies in the array is looked at by all ranks together, who know its name. */
  private static void check(int axis, long all, long from, long count) {
    if (all < 0 || from < 0 || count < 0 || count > Long.MAX_VALUE - from) {
      throw new IllegalArgumentException(
          "a part of %d elements from %d on is none of the %d of axis %d"
              .formatted(count, from, all, axis));
    }
  }

  /** Whether it lies in the array; ranks refuse a part that does not when they agree on it. */
  public boolean isWithin() {
    for (int axis = 0; axis < shape.size(); axis++) {
      if (extent.get(axis) > shape.get(axis) - offset.get(axis)) {
        return false;
      }
    }
    return true;
  }

  private static long volume(List<Long> extents, String what) {
    try {
      long product = 1;
      for (long extent : extents) {
        product = Math.multiplyExact(product, extent);
      }
      return Math.multiplyExact(product, Long.BYTES) / Long.BYTES;
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "%s has more elements than any memory: %s".formatted(what, extents), e);
    }
  }

  private static List<Long> local(List<Long> extent, List<Long> before, List<Long> after) {
    List<Long> local = new ArrayList<>();
    for (int axis = 0; axis < extent.size(); axis++) {
      try {
        local.add(
            Math.addExact(Math.addExact(extent.get(axis), before.get(axis)), after.get(axis)));
      } catch (ArithmeticException e) {
        throw new IllegalArgumentException("axis " + axis + " has too many ghosts", e);
      }
    }
    return local;
  }

  /**
   * A brick.
   *
   * @param shape elements of the whole array along each axis, slowest first
   * @param offset where the brick begins
   * @param extent how many elements it has
   * @throws IllegalArgumentException if it cannot be in any array; where it is not within this one
   *     all ranks are told so when they agree on it, by the next restart or checkpoint
   */
  public static Part of(long[] shape, long[] offset, long[] extent) {
    List<Long> none = Collections.nCopies(shape.length, 0L);
    return new Part(
        list(shape),
        list(offset),
        list(extent),
        none,
        none,
        List.of(),
        false,
        OptionalDouble.empty());
  }

  private static List<Long> list(long[] numbers) {
    return Arrays.stream(numbers).boxed().toList();
  }

  /** The same with so many ghosts along each axis, as many in front of it as behind it. */
  public Part halo(long... widths) {
    return halo(widths, widths);
  }

  /** The same with so many ghosts in front of it, and so many behind it, along each axis. */
  public Part halo(long[] inFront, long[] behind) {
    return new Part(shape, offset, extent, list(inFront), list(behind), periodic, isStale, fill);
  }

  /** The same with ghosts that nobody needs: the program computes them before it reads them. */
  public Part stale() {
    return new Part(shape, offset, extent, before, after, periodic, true, fill);
  }

  /** The same of an array whose end is followed by its beginning, along these axes. */
  public Part periodic(int... axes) {
    List<Integer> chosen = Arrays.stream(axes).boxed().toList();
    return new Part(shape, offset, extent, before, after, chosen, isStale, fill);
  }

  /**
   * The same of an array of which ranks need not have everything.
   *
   * @param value what is read where nobody has anything; one that an element can have
   */
  public Part holes(double value) {
    return new Part(
        shape, offset, extent, before, after, periodic, isStale, OptionalDouble.of(value));
  }

  /** Elements along each axis in the memory of this rank, ghosts included. */
  public List<Long> localShape() {
    return List.copyOf(local(extent, before, after));
  }

  /** How many elements it has in memory, ghosts included. */
  public long localElements() {
    return volume(local(extent, before, after), "the part with its ghosts");
  }

  /** How many elements of the array it has. */
  public long elements() {
    return volume(extent, "the part");
  }

  /** Whether it has ghosts. */
  public boolean hasGhosts() {
    return localElements() != elements();
  }

  /** Whether it says the same of the whole array as another one does. */
  public boolean isOfSameArray(Part other) {
    return shape.equals(other.shape) && periodic.equals(other.periodic) && fill.equals(other.fill);
  }

  /** Its place in the array: {@code [250:500, 0:800]}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int axis = 0; axis < shape.size(); axis++) {
      long from = offset.get(axis);
      text.append(axis == 0 ? "[" : ", ").append(from).append(':').append(from + extent.get(axis));
    }
    return text.append(']').toString();
  }
}
