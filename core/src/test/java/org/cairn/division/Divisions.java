// SPDX-License-Identifier: Apache-2.0
package org.cairn.division;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.cairn.Part;

/** Random divisions of random arrays: slabs, bricks, uneven ones, empty ones, many a rank. */
public final class Divisions {
  private final Random random;

  public Divisions(Random random) {
    this.random = random;
  }

  /** One to four axes, few elements. */
  public long[] shape() {
    long[] shape = new long[1 + random.nextInt(Part.MAX_AXES)];
    long most =
        switch (shape.length) {
          case 1 -> 400;
          case 2 -> 30;
          case 3 -> 12;
          default -> 6;
        };
    for (int axis = 0; axis < shape.length; axis++) {
      shape[axis] = random.nextInt(40) == 0 ? 0 : 1 + random.nextLong(most);
    }
    return shape;
  }

  /** Bricks that fill an array: the whole, cut again and again, perhaps with nothing cut off. */
  public List<Part> bricks(long[] shape, int count) {
    List<Part> bricks = new ArrayList<>();
    bricks.add(Part.of(shape, new long[shape.length], shape));
    while (bricks.size() < count) {
      Part cut = bricks.remove(random.nextInt(bricks.size()));
      int axis = random.nextInt(shape.length);
      long at = random.nextLong(cut.extent().get(axis) + 1);
      bricks.add(piece(shape, cut, axis, 0, at));
      bricks.add(piece(shape, cut, axis, at, cut.extent().get(axis)));
    }
    return bricks;
  }

  private static Part piece(long[] shape, Part whole, int axis, long from, long to) {
    long[] offset = whole.offset().stream().mapToLong(Long::longValue).toArray();
    long[] extent = whole.extent().stream().mapToLong(Long::longValue).toArray();
    offset[axis] += from;
    extent[axis] = to - from;
    return Part.of(shape, offset, extent);
  }

  /** The same brick with ghosts, or without. */
  public Part withGhosts(Part brick) {
    long[] before = new long[brick.shape().size()];
    long[] after = before.clone();
    for (int axis = 0; axis < before.length; axis++) {
      before[axis] = random.nextInt(3);
      after[axis] = random.nextInt(3);
    }
    Part part = random.nextInt(3) == 0 ? brick : brick.halo(before, after);
    return random.nextInt(4) == 0 ? part.stale() : part;
  }

  /** Divides them among ranks, in any order; some may get none. */
  public List<List<Part>> among(int ranks, List<Part> parts) {
    List<List<Part>> divided = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      divided.add(new ArrayList<>());
    }
    parts.forEach(part -> divided.get(random.nextInt(ranks)).add(part));
    return divided;
  }
}
