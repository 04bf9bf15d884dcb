// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.MalformedException;
import org.cairn.pack.locate.Variable;

/**
 * The chunks of a dataset, whatever index leads to them.
 *
 * <p>Trees have a chunk's place among the elements with it, or its place among the chunks. Arrays
 * have it by its number: chunks are counted over the largest lengths that the axes may have, the
 * last axis fastest; the axis without limit, if there is one, goes before all others.
 */
final class Chunks {
  private final Metadata file;
  private final Variable variable;
  private final Dataspace space;
  private final Layout.Chunked layout;
  private final int filters;
  private final int elementAxes;
  private final long chunkBytes;
  private final List<Long> box;

  Chunks(
      Metadata file,
      Variable variable,
      Dataspace space,
      Values values,
      Layout.Chunked layout,
      int filters)
      throws MalformedException {
    this.file = file;
    this.variable = variable;
    this.space = space;
    this.layout = layout;
    this.filters = filters;
    this.elementAxes = values.axes().size();
    this.chunkBytes = bytes(layout.at(), layout.lengths(), values.bytes());
    if (chunkBytes == 0) {
      throw new MalformedException(layout.at(), "has empty chunks");
    }
    List<Long> lengths = new ArrayList<>();
    for (long length : layout.lengths()) {
      lengths.add(length);
    }
    lengths.addAll(values.axes());
    this.box = List.copyOf(lengths);
  }

  /** How many bytes a box of elements takes. */
  static long bytes(long at, long[] lengths, long elementBytes) throws MalformedException {
    long bytes = elementBytes;
    for (long length : lengths) {
      if (length != 0 && bytes > Cursor.FAR / length) {
        throw new MalformedException(at, "has an absurd number of elements");
      }
      bytes *= length;
    }
    return bytes;
  }

  /** Adds them all. */
  void locate() throws IOException, MalformedException {
    switch (layout.index()) {
      case TREE_ONE ->
          TreeOne.entries(
              file,
              layout.at(),
              TreeOne.CHUNKS,
              8 + Long.BYTES * (space.rank() + 1),
              this::ofTreeOne);
      case TREE_TWO ->
          TreeTwo.records(
              file,
              layout.at(),
              filters > 0 ? TreeTwo.FILTERED_CHUNKS : TreeTwo.CHUNKS,
              this::ofTreeTwo);
      case SINGLE -> single(layout.single());
      case IMPLICIT -> implicit();
      case FIXED_ARRAY -> new FixedArray(file, layout.at()).elements(counted(-1));
      case EXTENSIBLE_ARRAY -> {
        int axis = space.unlimitedAxis();
        if (axis < 0) {
          throw new MalformedException(layout.at(), "has no axis along which it grows");
        }
        new ExtensibleArray(file, layout.at()).elements(counted(axis));
      }
    }
  }

  /**
   * An entry of the older tree.
   *
   * <pre>
   * Key → Size:32, Mask:32, Start:64{rank}, 0:64
   * </pre>
   */
  private void ofTreeOne(Cursor key, long child) throws IOException, MalformedException {
    long stored = key.u32();
    long mask = key.u32();
    long[] start = new long[space.rank()];
    for (int i = 0; i < start.length; i++) {
      start[i] = key.count(Long.BYTES);
    }
    add(start, child, stored, mask);
  }

  /**
   * A record of the newer tree.
   *
   * <pre>
   * Record → Chunk:address, [Size, Mask:32], Place:64{rank}      in [ ]: if there are filters
   * </pre>
   */
  private void ofTreeTwo(Cursor record) throws IOException, MalformedException {
    int rank = space.rank();
    long chunk = record.address();
    long stored = chunkBytes;
    long mask = 0;
    if (filters > 0) {
      stored = size(record, record.left() - 4 - (long) Long.BYTES * rank);
      mask = record.u32();
    }
    long[] start = new long[rank];
    for (int i = 0; i < rank; i++) {
      start[i] = start(record.count(Long.BYTES), layout.lengths()[i]);
    }
    add(start, chunk, stored, mask);
  }

  private void single(Layout.Single single) {
    long stored = single.filtered() ? single.bytes() : chunkBytes;
    add(new long[space.rank()], layout.at(), stored, single.mask());
  }

  /** Those within the present lengths; all others follow them or lie between. */
  private void implicit() throws MalformedException {
    Grid grid = new Grid(-1);
    long[] place = new long[space.rank()];
    do {
      file.step();
      long number = grid.number(place);
      long chunk = number > Cursor.FAR / chunkBytes ? Cursor.FAR : number * chunkBytes;
      chunk = Math.min(Cursor.FAR, layout.at() + chunk);
      if (!file.holds(chunk, chunkBytes)) {
        throw MalformedException.outside(chunk, "has chunks beyond the end of the file");
      }
      add(grid.start(number), chunk, chunkBytes, 0);
    } while (next(place));
  }

  /** Goes to the next place among the chunks. */
  private boolean next(long[] place) {
    for (int i = place.length - 1; i >= 0; i--) {
      if (++place[i] < chunksAlong(space.lengths()[i], i)) {
        return true;
      }
      place[i] = 0;
    }
    return false;
  }

  private long chunksAlong(long length, int axis) {
    return Math.ceilDiv(length, layout.lengths()[axis]);
  }

  private ChunkArray.Visitor counted(int firstAxis) throws MalformedException {
    Grid grid = new Grid(firstAxis);
    return (number, element, filtered) -> {
      long chunk = element.address();
      // Most elements of an array that was made for more chunks than there are.
      if (chunk == Cursor.UNDEFINED) {
        return;
      }
      long stored = filtered ? size(element, element.left() - 4) : chunkBytes;
      long mask = filtered ? element.u32() : 0;
      add(grid.start(number), chunk, stored, mask);
    };
  }

  private static long size(Cursor cursor, long bytes) throws IOException, MalformedException {
    if (bytes < 1 || bytes > Long.BYTES) {
      throw new MalformedException(cursor.at(), "has sizes of " + bytes + " bytes");
    }
    return cursor.count((int) bytes);
  }

  private static long start(long place, long length) {
    return place > Cursor.FAR / length ? Cursor.FAR : place * length;
  }

  private void add(long[] start, long chunk, long stored, long mask) {
    if (chunk == Cursor.UNDEFINED) {
      return;
    }
    boolean edge = false;
    for (int i = 0; i < start.length; i++) {
      if (start[i] >= space.lengths()[i]) {
        file.note(chunk, "has a chunk outside of its space");
        return;
      }
      edge |= start[i] > space.lengths()[i] - layout.lengths()[i];
    }
    boolean coded = isCoded(mask, edge);
    if (coded && stored == 0) {
      file.note(chunk, "has a chunk of no bytes");
      return;
    }
    file.found(
        new Extent(variable, elements(start), box, chunk, coded ? stored : chunkBytes, coded));
  }

  /** Whether any filter was used on a chunk: a bit of the mask says that one was not. */
  private boolean isCoded(long mask, boolean edge) {
    long all = filters >= Integer.SIZE ? -1L >>> Integer.SIZE : (1L << filters) - 1;
    return (mask & all) != all && !(layout.plainEdges() && edge);
  }

  /** The start of a chunk, with the axes that elements have themselves. */
  private List<Long> elements(long[] start) {
    Long[] all = new Long[start.length + elementAxes];
    for (int i = 0; i < all.length; i++) {
      all[i] = i < start.length ? start[i] : 0;
    }
    return List.of(all);
  }

  /** Chunks by number. */
  private final class Grid {
    /** The axes, the slowest first. */
    private final int[] axes;

    /** How many chunks are between one and the next along each of them. */
    private final long[] strides;

    Grid(int firstAxis) throws MalformedException {
      int rank = space.rank();
      this.axes = new int[rank];
      this.strides = new long[rank];
      for (int i = 0; i < rank; i++) {
        axes[i] = firstAxis < 0 || i > firstAxis ? i : i == 0 ? firstAxis : i - 1;
      }
      long stride = 1;
      for (int i = rank - 1; i >= 0; i--) {
        strides[i] = stride;
        long along = space.most()[axes[i]] < 0 ? 1 : chunksAlong(space.most()[axes[i]], axes[i]);
        if (along == 0 || stride > Cursor.FAR / along) {
          throw new MalformedException(layout.at(), "has an absurd number of chunks");
        }
        stride *= along;
      }
    }

    long number(long[] place) {
      long number = 0;
      for (int i = 0; i < axes.length; i++) {
        number += place[axes[i]] * strides[i];
      }
      return number;
    }

    /** The first element of a chunk. */
    long[] start(long number) {
      long[] start = new long[axes.length];
      long rest = number;
      for (int i = 0; i < axes.length; i++) {
        start[axes[i]] = Chunks.start(rest / strides[i], layout.lengths()[axes[i]]);
        rest %= strides[i];
      }
      return start;
    }
  }
}
