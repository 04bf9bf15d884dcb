// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import org.cairn.mesh.live.Box;
import org.cairn.mesh.ranks.Bricks;
import org.cairn.mesh.ranks.Layout;

/**
 * Points that fields have values at, and which of them this rank has.
 *
 * @param name of the grid, or of the line
 * @param axes how many there are
 * @param halo how many points lie around them
 * @param whole all points
 * @param owned those that this rank computes
 * @param layout where they lie in memory
 * @param bricks how they are divided; a line has one brick, which all ranks have
 * @param isLine whether they are those along one axis of a grid
 */
record Domain(
    String name,
    int axes,
    int halo,
    Box whole,
    Box owned,
    Layout layout,
    Bricks bricks,
    boolean isLine) {

  static Domain ofGrid(String name, int[] cells, int axes, int halo, int rank, int ranks) {
    Bricks bricks = Bricks.of(name, cells, axes, halo, ranks);
    Box owned = bricks.owned(rank);
    Layout layout = Layout.of(bricks.around(owned, halo));
    return new Domain(name, axes, halo, bricks.whole(), owned, layout, bricks, false);
  }

  /** Of all points along an axis of a grid; each rank has them all, and k is the index itself. */
  static Domain ofLine(String name, int cells, int halo) {
    Bricks bricks = new Bricks(new int[] {cells, 1, 1}, 1, halo, new int[] {1, 1, 1});
    Layout layout = new Layout(bricks.whole(), 0, 0, 0);
    return new Domain(name, 1, halo, bricks.whole(), bricks.whole(), layout, bricks, true);
  }

  /** Whether ranks have different points. */
  boolean isDivided() {
    return bricks.ranks() > 1;
  }

  /** Whether loops over one may use fields of the other. */
  boolean isSame(Domain other) {
    return this == other
        || isLine && other.isLine && name.equals(other.name) && whole.equals(other.whole);
  }

  int points() {
    return Math.toIntExact(layout.local().points());
  }
}
