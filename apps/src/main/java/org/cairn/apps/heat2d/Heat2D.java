// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.heat2d;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
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
 *       share the plate at the start. If another number goes on with it, the plate stays what it
 *       was, slabs may differ by a row, and the sum is added as the first ranks would have.
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
  private static final int SUM = 4;

  private final Communicator ranks;
  private final int above;
  private final int below;
  private final int columns;

  /** Inner rows of a slab of the ranks that the plate began with. */
  private final int slabAtFirst;

  /** How many ranks the plate began with. */
  private final int began;

  /** The first inner row of this slab, among all inner rows. */
  private final int first;

  private final int rows;

  private double[] plate;
  private double[] before;

  /** A cold slab of a plate that begins with these ranks. */
  public Heat2D(int columns, Communicator ranks) {
    this(columns, ranks, ranks.size());
  }

  /**
   * A cold slab; the middle eight tenths of the plate's first row are hot, and stay so.
   *
   * @param began how many ranks the plate began with
   */
  public Heat2D(int columns, Communicator ranks, int began) {
    CartesianGrid slabs = CartesianGrid.of(ranks, ranks.size());
    this.ranks = ranks;
    this.above = slabs.neighbour(0, -1);
    this.below = slabs.neighbour(0, 1);
    this.columns = columns;
    this.began = began;
    this.slabAtFirst = slabFor(columns, began);
    this.first = firstOf(ranks.rank());
    this.rows = rowsFor(firstOf(ranks.rank() + 1) - first);
    this.plate = new double[rows * columns];
    this.before = new double[rows * columns];
    if (ranks.rank() == 0) {
      heatFirstRow(plate);
      heatFirstRow(before);
    }
  }

  private static int slabFor(int columns, int began) {
    if (columns < 1) {
      throw new IllegalArgumentException("a plate needs at least one column, not " + columns);
    }
    return columns / began + 1;
  }

  private int innerRows() {
    return Math.multiplyExact(began, slabAtFirst);
  }

  /** The first inner row of a rank. */
  private int firstOf(int rank) {
    return (int) ((long) innerRows() * rank / ranks.size());
  }

  private int rowsFor(int inner) {
    if (inner < 1) {
      throw new IllegalArgumentException(
          "a plate of %d inner rows is too small for %d ranks"
              .formatted(innerRows(), ranks.size()));
    }
    if ((inner + 2L) * columns > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          columns + " columns on " + ranks.size() + " rank(s) do not fit into one array");
    }
    return inner + 2;
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

  /** All memory that steps write to: the slab as it is and as it was before. */
  public List<MemorySegment> memory() {
    return List.of(MemorySegment.ofArray(plate), MemorySegment.ofArray(before));
  }

  /**
   * What of the whole plate is in the slab. The first and last row of the plate are state as all
   * others are, the first one because nobody computes it; so the ranks that have them own them, and
   * only rows of neighbours are ghosts.
   */
  public Part part() {
    boolean top = ranks.rank() == 0;
    boolean bottom = ranks.rank() == ranks.size() - 1;
    long[] whole = {innerRows() + 2L, columns};
    long[] offset = {top ? 0 : 1L + first, 0};
    long[] extent = {rows - 2L + (top ? 1 : 0) + (bottom ? 1 : 0), columns};
    return Part.of(whole, offset, extent)
        .halo(new long[] {top ? 0 : 1, 0}, new long[] {bottom ? 0 : 1, 0});
  }

  /** The rows of the plate that are this rank's own, without those of neighbours. */
  double[] ownRows() {
    Part mine = part();
    int from = Math.toIntExact(mine.before().getFirst()) * columns;
    return Arrays.copyOfRange(plate, from, from + Math.toIntExact(mine.elements()));
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

  /**
   * The sum over the inner rows; all ranks call it. Each slab of the ranks that the plate began
   * with is added row by row, whoever has the rows now; and then slabs as {@code MPI_Reduce} of
   * Open MPI 4 adds what up to four ranks have: along a binary tree, whose root is the first.
   */
  public double innerSum() {
    double[] sums = new double[began];
    double sum = 0;
    if (first % slabAtFirst != 0) {
      // Its slab began with the rank above.
      double[] carried = new double[1];
      ranks.receive(carried, above, SUM);
      sum = carried[0];
    }
    for (int row = 1; row < rows - 1; row++) {
      for (int k = row * columns; k < (row + 1) * columns; k++) {
        sum += plate[k];
      }
      int inner = first + row; // how many inner rows there are up to here
      if (inner % slabAtFirst == 0) {
        sums[inner / slabAtFirst - 1] = sum;
        sum = 0;
      }
    }
    if ((first + rows - 2) % slabAtFirst != 0) {
      ranks.send(new double[] {sum}, below, SUM);
    }
    ranks.allReduce(sums, Reduction.SUM); // of each all but one are zero
    return treeSum(sums, 0);
  }

  /** A number, those below the next one on its left, and those below the one on its right. */
  private static double treeSum(double[] sums, int node) {
    double sum = sums[node];
    for (int child = 2 * node + 1; child <= 2 * node + 2 && child < sums.length; child++) {
      sum += treeSum(sums, child);
    }
    return sum;
  }

  /** A point of the plate, by its row in all of it; all ranks call it. */
  public double point(int row, int column) {
    int inner = Math.clamp(row - 1, 0, innerRows() - 1);
    int owner = 0;
    while (owner < ranks.size() - 1 && firstOf(owner + 1) <= inner) {
      owner++;
    }
    double[] value = new double[1];
    if (owner == ranks.rank()) {
      value[0] = at(row - first, column);
    }
    ranks.broadcast(value, owner);
    return value[0];
  }

  /** The row in the middle of the first slab, as the ranks had it that the plate began with. */
  int middleOfFirstSlab() {
    return (slabAtFirst + 2) / 2;
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
