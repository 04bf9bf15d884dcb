// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.heat2d;

import java.lang.foreign.MemorySegment;
import org.cairn.Part;
import org.cairn.comm.CartesianGrid;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;

/**
 * Heat spreading over a plate: a 5-point Jacobi iteration on one rank's slab of rows.
 *
 * <p>The numbers are, bit for bit, those of {@code heatdis}, the example that comes with FTI. Three
 * of its habits matter for that and are kept:
 *
 * <ul>
 *   <li>A slab has {@code columns / ranks + 3} rows. The first and the last are ghost rows, or the
 *       edge of the plate; so the number of inner rows, and the result, depend on how many ranks
 *       share the plate.
 *   <li>There is no left or right edge: the neighbours of a point are those of its index in the
 *       array, so the first point of a row touches the last point of the row above.
 *   <li>The last row of the plate is a copy of the row above it.
 * </ul>
 *
 * <p>Two arrays take turns: a step reads the old plate and writes every inner point of the new one.
 * So {@link #plate} is another array after each step, and all of a slab's state is in it.
 */
public final class Heat2D {
  private static final double HOT = 100;

  // Tags: which way a row goes.
  private static final int UPWARD = 1;
  private static final int DOWNWARD = 2;

  private final Communicator ranks;
  private final int above;
  private final int below;
  private final int columns;
  private final int rows;

  private double[] plate;
  private double[] before;

  /** A cold slab; the middle eight tenths of the plate's first row are hot, and stay so. */
  public Heat2D(int columns, Communicator ranks) {
    CartesianGrid slabs = CartesianGrid.of(ranks, ranks.size());
    this.ranks = ranks;
    this.above = slabs.neighbour(0, -1);
    this.below = slabs.neighbour(0, 1);
    this.columns = columns;
    this.rows = rowsFor(columns, ranks);
    this.plate = new double[rows * columns];
    this.before = new double[rows * columns];
    if (ranks.rank() == 0) {
      heatFirstRow(plate);
      heatFirstRow(before);
    }
  }

  private static int rowsFor(int columns, Communicator ranks) {
    if (columns < 1) {
      throw new IllegalArgumentException("a plate needs at least one column, not " + columns);
    }
    long rows = columns / ranks.size() + 3L;
    if (rows * columns > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          columns + " columns on " + ranks.size() + " rank(s) do not fit into one array");
    }
    return (int) rows;
  }

  private void heatFirstRow(double[] target) {
    for (int j = (int) (columns * .1); j < columns * .9; j++) {
      target[j] = HOT;
    }
  }

  /** Advances the slab by one iteration. */
  public void step() {
    double[] old = plate;
    plate = before;
    before = old;

    exchangeGhostRows(old);
    relax(old, plate, columns, rows);
    if (ranks.rank() == ranks.size() - 1) {
      System.arraycopy(plate, (rows - 2) * columns, plate, (rows - 1) * columns, columns);
    }
  }

  /**
   * The first row becomes the last inner row of the rank above, the last row the first inner row of
   * the rank below. Rows without a neighbour stay as they are: there is nobody to exchange with.
   */
  private void exchangeGhostRows(double[] slab) {
    ranks.sendReceive(row(slab, 1), above, row(slab, rows - 1), below, UPWARD);
    ranks.sendReceive(row(slab, rows - 2), below, row(slab, 0), above, DOWNWARD);
  }

  private MemorySegment row(double[] slab, int row) {
    long bytes = (long) columns * Double.BYTES;
    return MemorySegment.ofArray(slab).asSlice(row * bytes, bytes);
  }

  /** The loop that all the time goes into: nothing else is in it, to leave the compiler free. */
  private static void relax(double[] from, double[] to, int columns, int rows) {
    int end = (rows - 1) * columns;
    for (int k = columns; k < end; k++) {
      to[k] = .25 * (from[k - columns] + from[k + columns] + from[k - 1] + from[k + 1]);
    }
  }

  /** The largest change of any inner point, on any rank, in the last step. */
  public double change() {
    double largest = 0;
    int end = (rows - 1) * columns;
    for (int k = columns; k < end; k++) {
      largest = Math.max(largest, Math.abs(plate[k] - before[k]));
    }
    return ranks.allReduce(largest, Reduction.MAX);
  }

  /** The slab, row by row, ghost rows included. The next step leaves it to another array. */
  public double[] plate() {
    return plate;
  }

  /**
   * What of the whole plate is in the slab. The first and last row of the plate are state as all
   * others are, the first one because nobody computes it; so the ranks that have them own them, and
   * only rows of neighbours are ghosts.
   */
  public Part part() {
    long inner = rows - 2L;
    boolean first = ranks.rank() == 0;
    boolean last = ranks.rank() == ranks.size() - 1;
    long[] whole = {ranks.size() * inner + 2, columns};
    long[] offset = {first ? 0 : 1 + ranks.rank() * inner, 0};
    long[] extent = {inner + (first ? 1 : 0) + (last ? 1 : 0), columns};
    return Part.of(whole, offset, extent)
        .halo(new long[] {first ? 0 : 1, 0}, new long[] {last ? 0 : 1, 0});
  }

  /**
   * Makes room for a plate that is about to be restored; it must have the size of this one.
   *
   * @return the array to fill
   */
  public double[] plateToRestore(long points) {
    if (points != plate.length) {
      throw new IllegalArgumentException(
          "the checkpoint holds %d points, a plate of %d columns has %d; start with the same size"
              .formatted(points, columns, plate.length));
    }
    return plate;
  }

  /** The sum over the inner rows of all ranks; all call it. */
  public double innerSum() {
    double sum = 0;
    for (int k = columns; k < (rows - 1) * columns; k++) {
      sum += plate[k];
    }
    return ranks.allReduce(sum, Reduction.SUM);
  }

  public double at(int row, int column) {
    return plate[row * columns + column];
  }

  public int columns() {
    return columns;
  }

  public int rows() {
    return rows;
  }
}
