// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.ranks;

import java.util.ArrayList;
import java.util.List;
import org.cairn.mesh.live.Box;

/**
 * The points of a grid, divided among ranks.
 *
 * <p>Rows are cut only at columns that are multiples of {@link #COLUMNS}: segments of rows, of
 * which sums are made, are the same on every number of ranks. What lies around the grid belongs to
 * the rank at that edge; what ranks have of each other is nobody's but its owner's.
 *
 * @param cells of the grid along each of three axes; 1 along those that it does not have
 * @param axes how many it has
 * @param halo how many points lie around it
 * @param blocks ranks along each axis
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes or compares them
public record Bricks(int[] cells, int axes, int halo, int[] blocks) {
  /** Where rows may be cut. */
  public static final int COLUMNS = 1024;

  /**
   * Divides a grid so that little is sent.
   *
   * @param name of the grid, for who is refused
   * @throws IllegalArgumentException if there are more ranks than can have a part
   */
  public static Bricks of(String name, int[] cells, int axes, int halo, int ranks) {
    requireCountable(name, cells, axes, halo);
    long least = Long.MAX_VALUE;
    int[] best = null;
    for (int x = 1; x <= ranks; x++) {
      for (int y = 1; ranks % x == 0 && y <= ranks / x; y++) {
        if (ranks / x % y == 0) {
          int[] blocks = {x, y, ranks / x / y};
          if (fits(cells, axes, halo, blocks) && surface(cells, blocks) < least) {
            least = surface(cells, blocks);
            best = blocks;
          }
        }
      }
    }
    if (best == null) {
      throw new IllegalArgumentException(
          "grid \"%s\" of %s points has too few rows for %d ranks: each needs at least %d, and rows are cut at columns that are multiples of %,d; use fewer ranks, or a larger grid"
              .formatted(name, size(cells, axes), ranks, Math.max(1, halo), COLUMNS));
    }
    return new Bricks(cells, axes, halo, best);
  }

  /** Points have an int for each index, and a long for their number. */
  private static void requireCountable(String name, int[] cells, int axes, int halo) {
    double points = 1;
    for (int axis = 0; axis < axes; axis++) {
      long along = 2L * halo + cells[axis] + 1;
      points *= along;
      if (along > Integer.MAX_VALUE || points > Long.MAX_VALUE / 2.0) {
        throw new IllegalArgumentException(
            "grid \"%s\" of %s points with a halo of %,d is too large: an axis has %,d points at most, and all together have some 4·10¹⁸"
                .formatted(name, size(cells, axes), halo, Integer.MAX_VALUE));
      }
    }
  }

  private static String size(int[] cells, int axes) {
    StringBuilder text = new StringBuilder();
    for (int axis = 0; axis < axes; axis++) {
      text.append(axis == 0 ? "" : "x").append(cells[axis]);
    }
    return text.toString();
  }

  private static boolean fits(int[] cells, int axes, int halo, int[] blocks) {
    for (int axis = 0; axis < 3; axis++) {
      if (blocks[axis] > 1) {
        if (axis >= axes || !isWideEnough(cells[axis], axis, blocks[axis], Math.max(1, halo))) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean isWideEnough(int cells, int axis, int blocks, int least) {
    for (int block = 0; block < blocks; block++) {
      if (cut(cells, axis, blocks, block + 1) - cut(cells, axis, blocks, block) < least) {
        return false;
      }
    }
    return true;
  }

  /** Where a block begins; behind the last one, where the grid ends. */
  private static int cut(int cells, int axis, int blocks, int block) {
    if (axis > 0 || block == blocks) {
      return (int) ((long) cells * block / blocks);
    }
    int chunks = (cells + COLUMNS - 1) / COLUMNS;
    return (int) Math.min(cells, (long) chunks * block / blocks * COLUMNS);
  }

  /** How many points have a neighbour that is another rank's, about. */
  private static long surface(int[] cells, int[] blocks) {
    long all = 0;
    for (int axis = 0; axis < 3; axis++) {
      long face = 1;
      for (int other = 0; other < 3; other++) {
        face *= other == axis ? 1 : cells[other];
      }
      all += face * (blocks[axis] - 1);
    }
    return all;
  }

  /** How many ranks there are. */
  public int ranks() {
    return blocks[0] * blocks[1] * blocks[2];
  }

  /** All points, also those around the grid: one more along each axis than cells, for nodes. */
  public Box whole() {
    return new Box(from(0), to(0), from(1), to(1), from(2), to(2));
  }

  private int from(int axis) {
    return axis < axes ? -halo : 0;
  }

  private int to(int axis) {
    return axis < axes ? cells[axis] + 1 + halo : 1;
  }

  /** The points that are a rank's. */
  public Box owned(int rank) {
    int x = rank % blocks[0];
    int y = rank / blocks[0] % blocks[1];
    int z = rank / blocks[0] / blocks[1];
    return new Box(
        begin(0, x), begin(0, x + 1), begin(1, y), begin(1, y + 1), begin(2, z), begin(2, z + 1));
  }

  private int begin(int axis, int block) {
    if (block == 0) {
      return from(axis);
    }
    return block == blocks[axis] ? to(axis) : cut(cells[axis], axis, blocks[axis], block);
  }

  /** Points of a box and so many around it, as far as there are any. */
  public Box around(Box box, int depth) {
    return new Box(
            box.i0() - depth,
            box.i1() + depth,
            box.j0() - (axes > 1 ? depth : 0),
            box.j1() + (axes > 1 ? depth : 0),
            box.l0() - (axes > 2 ? depth : 0),
            box.l1() + (axes > 2 ? depth : 0))
        .intersect(whole());
  }

  /** The ranks whose points lie beside those of a rank, also across corners, in order. */
  public List<Integer> neighbours(int rank) {
    int x = rank % blocks[0];
    int y = rank / blocks[0] % blocks[1];
    int z = rank / blocks[0] / blocks[1];
    List<Integer> all = new ArrayList<>();
    for (int c = Math.max(0, z - 1); c <= Math.min(blocks[2] - 1, z + 1); c++) {
      for (int b = Math.max(0, y - 1); b <= Math.min(blocks[1] - 1, y + 1); b++) {
        for (int a = Math.max(0, x - 1); a <= Math.min(blocks[0] - 1, x + 1); a++) {
          int other = a + blocks[0] * (b + blocks[1] * c);
          if (other != rank) {
            all.add(other);
          }
        }
      }
    }
    return all;
  }
}
