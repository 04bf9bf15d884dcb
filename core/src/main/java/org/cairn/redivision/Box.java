// SPDX-License-Identifier: Apache-2.0
package org.cairn.redivision;

import java.util.ArrayList;
import java.util.List;
import org.cairn.Part;

/**
 * A brick of the memory of a part, ghosts perhaps among it, whose elements are those of a region of
 * the array.
 *
 * @param region of the array
 * @param first where it begins in the memory of the part
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes or compares them
public record Box(Region region, long[] first) {
  /** A stretch along one axis. */
  private record Stretch(long global, long local, long length) {}

  /**
   * All that a part gets from the array. Ghosts beyond the end of an axis are none of it, unless
   * the axis is periodic: then they are at its beginning. Stale ghosts are left as they are.
   */
  public static List<Box> of(Part part) {
    List<List<Stretch>> axes = new ArrayList<>();
    for (int axis = 0; axis < part.shape().size(); axis++) {
      axes.add(stretches(part, axis));
    }
    List<Box> boxes = new ArrayList<>();
    combine(axes, new Stretch[axes.size()], 0, boxes);
    return boxes;
  }

  private static List<Stretch> stretches(Part part, int axis) {
    long before = part.isStale() ? 0 : part.before().get(axis);
    long after = part.isStale() ? 0 : part.after().get(axis);
    long all = part.shape().get(axis);
    long from = part.offset().get(axis) - before;
    long to = part.offset().get(axis) + part.extent().get(axis) + after;
    long shift = part.before().get(axis) - part.offset().get(axis);
    if (!part.periodic().contains(axis)) {
      long low = Math.max(0, from);
      long high = Math.min(all, to);
      return low < high ? List.of(new Stretch(low, low + shift, high - low)) : List.of();
    }
    List<Stretch> stretches = new ArrayList<>();
    long at = from;
    while (all > 0 && at < to) {
      long global = Math.floorMod(at, all);
      long length = Math.min(all - global, to - at);
      stretches.add(new Stretch(global, at + shift, length));
      at += length;
    }
    return stretches;
  }

  private static void combine(
      List<List<Stretch>> axes, Stretch[] chosen, int axis, List<Box> boxes) {
    if (axis == chosen.length) {
      boxes.add(of(chosen));
      return;
    }
    for (Stretch stretch : axes.get(axis)) {
      chosen[axis] = stretch;
      combine(axes, chosen, axis + 1, boxes);
    }
  }

  private static Box of(Stretch[] chosen) {
    long[] from = new long[chosen.length];
    long[] to = new long[chosen.length];
    long[] local = new long[chosen.length];
    for (int axis = 0; axis < chosen.length; axis++) {
      from[axis] = chosen[axis].global;
      to[axis] = from[axis] + chosen[axis].length;
      local[axis] = chosen[axis].local;
    }
    return new Box(new Region(from, to), local);
  }

  /** Where a region that is in this one begins in the memory of the part. */
  public long[] local(Region common) {
    long[] local = first.clone();
    for (int axis = 0; axis < local.length; axis++) {
      local[axis] += common.from()[axis] - region.from()[axis];
    }
    return local;
  }
}
