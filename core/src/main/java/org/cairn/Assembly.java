// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.LongConsumer;
import org.cairn.redivision.Box;
import org.cairn.redivision.FillValue;
import org.cairn.redivision.Region;
import org.cairn.redivision.Runs;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;

/** Puts an array together of the parts that ranks have saved. */
final class Assembly {
  private static final int ALL_CORES = Runtime.getRuntime().availableProcessors();

  /** Less than this is not worth threads. */
  private static final long WORTHWHILE_BYTES = 4L << 20;

  private final ElementType type;
  private final OptionalDouble fill;
  private final List<Piece> pieces;

  /** Where each of them lies. */
  private final List<Region> regions;

  /**
   * A part as it was saved.
   *
   * @param start the first of its elements in the dataset, a ghost perhaps
   */
  record Piece(SavedState state, DatasetEntry entry, long start, Part part) {}

  Assembly(ElementType type, OptionalDouble fill, List<Piece> pieces) {
    this.type = type;
    this.fill = fill;
    this.pieces = List.copyOf(pieces);
    this.regions = pieces.stream().map(piece -> Region.of(piece.part)).toList();
  }

  List<SavedArray.Owned> parts() {
    return pieces.stream()
        .map(piece -> new SavedArray.Owned(piece.state.rank(), piece.part))
        .toList();
  }

  /**
   * Brings the elements of a region, one after the other, into memory.
   *
   * @param shared whether other threads may use it
   */
  void fill(Region wanted, MemorySegment target, boolean shared) {
    if (fill.isPresent()) {
      FillValue.fill(type, fill.getAsDouble(), target);
    }
    read(wanted, new Room(wanted.extent(), new long[wanted.axes()]), target, shared);
  }

  /**
   * Brings the elements of a part into memory that is laid out as it says, ghosts included where
   * the array has them; what is beyond its end is zero, or what elements are that nobody has.
   *
   * @param target of shared memory
   * @param most how many elements are read at a time
   * @param progress told how many more elements are there
   */
  void fill(Part part, MemorySegment target, long most, LongConsumer progress) {
    if (fill.isPresent()) {
      FillValue.fill(type, fill.getAsDouble(), target);
    } else if (part.hasGhosts()) {
      target.fill((byte) 0);
    }
    long[] local = part.localShape().stream().mapToLong(Long::longValue).toArray();
    for (Box box : Box.of(part)) {
      for (Region some : box.region().chunks(most)) {
        read(some, new Room(local, box.local(some)), target, true);
        progress.accept(some.elements());
      }
    }
  }

  /** Where elements go: a brick that begins somewhere in a larger one. */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes or compares them
  private record Room(long[] shape, long[] from) {}

  private void read(Region wanted, Room room, MemorySegment target, boolean shared) {
    for (int i = 0; i < regions.size(); i++) {
      Region common = regions.get(i).and(wanted);
      if (!common.isEmpty()) {
        Piece piece = pieces.get(i);
        read(piece, runs(piece, common, wanted, room), target, shared);
      }
    }
  }

  private void read(Piece piece, Runs runs, MemorySegment target, boolean shared) {
    int width = type.bytes();
    long low = runs.low() * width;
    long high = runs.high() * width;
    VersionSource.Sink sink =
        new VersionSource.Sink() {
          @Override
          public void block(DatasetEntry dataset, int block, MemorySegment bytes) {
            long position = (long) block * dataset.spec().blockSize();
            runs.copy(width, position, position + bytes.byteSize(), bytes, target);
          }

          @Override
          public void zeros(DatasetEntry dataset, int first, int blocks) {
            long position = (long) first * dataset.spec().blockSize();
            long end = position + (long) blocks * dataset.spec().blockSize();
            runs.copy(width, position, end, null, target);
          }
        };
    try {
      piece.state.scan(
          new VersionSource.Range(piece.entry, low, high),
          shared && high - low >= WORTHWHILE_BYTES ? ALL_CORES : 1,
          sink,
          done -> {});
    } catch (IOException e) {
      throw piece.state.unreadable(String.valueOf(e.getMessage()));
    }
  }

  private static Runs runs(Piece piece, Region common, Region wanted, Room room) {
    int axes = common.axes();
    long[] inPart = new long[axes];
    long[] inRoom = room.from.clone();
    for (int axis = 0; axis < axes; axis++) {
      inPart[axis] =
          common.from()[axis] - piece.part.offset().get(axis) + piece.part.before().get(axis);
      inRoom[axis] += common.from()[axis] - wanted.from()[axis];
    }
    long[] local = piece.part.localShape().stream().mapToLong(Long::longValue).toArray();
    return Runs.of(
        common.extent(),
        new Runs.Place(local, inPart, piece.start),
        new Runs.Place(room.shape, inRoom, 0));
  }
}
