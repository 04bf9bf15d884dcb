// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.LongConsumer;
import org.cairn.division.Division;
import org.cairn.redivision.Redivision;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;

/** What was saved under one name, as it is dealt out to another number of ranks. */
sealed interface Shares {
  /** As much is read at a time, between one word of progress and the next. */
  long PIECE_BYTES = 64L << 20;

  /** What a rank will have; nothing of it is read yet. */
  DatasetSpec of(int rank);

  /** Whether a rank has any of it. */
  default boolean isFor(int rank) {
    return true;
  }

  /**
   * Reads what a rank will have.
   *
   * @param target memory that all threads may use
   * @param progress told how many more bytes are there
   */
  void read(int rank, MemorySegment target, LongConsumer progress);

  /** In which way it is dealt out, in few words. */
  String how();

  /** The same with another shape and division; how it is saved stays. */
  private static DatasetSpec spec(
      DatasetSpec like, String name, List<Long> shape, Division division) {
    long bytes = Math.multiplyExact(DatasetSpec.elements(shape), like.type().bytes());
    return new DatasetSpec(
        name,
        like.type(),
        shape,
        bytes,
        like.blockSize(),
        like.algorithm(),
        like.codec(),
        division);
  }

  /**
   * Bricks of an array, one for each rank, their ghosts filled by who has the elements.
   *
   * @param name of the dataset of each rank
   * @param like how it was saved
   */
  record OfArray(
      String name, DatasetSpec like, SavedArray array, Grid grid, Grid.Ghosts ghosts, int ranks)
      implements Shares {
    private Part part(int rank) {
      return grid.part(rank, ghosts);
    }

    @Override
    public DatasetSpec of(int rank) {
      Part part = part(rank);
      return spec(like, name, part.localShape(), new Division.Parts(array.name(), List.of(part)));
    }

    @Override
    public void read(int rank, MemorySegment target, LongConsumer progress) {
      int width = like.type().bytes();
      array.into(
          part(rank), target, PIECE_BYTES / width, elements -> progress.accept(elements * width));
    }

    @Override
    public String how() {
      return "grid " + grid;
    }
  }

  /**
   * Equal stretches of the items of a bag, in their order.
   *
   * @param items all of them: an array of so many, or of so many and the elements of each
   */
  record OfItems(DatasetSpec like, Division.Bag bag, SavedArray items, int ranks)
      implements Shares {
    private long first(int rank) {
      return Redivision.share(items.shape().getFirst(), rank, ranks);
    }

    @Override
    public DatasetSpec of(int rank) {
      long count = first(rank + 1) - first(rank);
      boolean rows = like.shape().size() == 2 && like.shape().getLast() == bag.width();
      List<Long> shape = rows ? List.of(count, (long) bag.width()) : List.of(count * bag.width());
      return spec(like, like.name(), shape, bag);
    }

    @Override
    public void read(int rank, MemorySegment target, LongConsumer progress) {
      long[] from = new long[items.shape().size()];
      long[] to = items.shape().stream().mapToLong(Long::longValue).toArray();
      from[0] = first(rank);
      to[0] = first(rank + 1);
      long at = 0;
      for (SavedArray some :
          items.slice(from, to).chunks(Math.max(1, PIECE_BYTES / like.type().bytes()))) {
        some.into(target.asSlice(at, some.byteSize()));
        at += some.byteSize();
        progress.accept(some.byteSize());
      }
    }

    @Override
    public String how() {
      return "equal shares";
    }
  }

  /**
   * What a rank had, as it was: for the rank of the same number, or for each of them.
   *
   * @param owner the only rank that gets it; empty if all do
   */
  record AsBefore(OptionalInt owner, SavedState state, DatasetEntry entry) implements Shares {
    @Override
    public DatasetSpec of(int rank) {
      return entry.spec();
    }

    @Override
    public boolean isFor(int rank) {
      return owner.isEmpty() || owner.getAsInt() == rank;
    }

    @Override
    public void read(int rank, MemorySegment target, LongConsumer progress) {
      SavedDataset all = new SavedDataset(state, entry);
      long piece = PIECE_BYTES / all.type().bytes();
      for (long at = 0; at < all.size(); at += piece) {
        SavedDataset some = all.slice(at, Math.min(piece, all.size() - at));
        some.into(target.asSlice(at * all.type().bytes(), some.byteSize()));
        progress.accept(some.byteSize());
      }
    }

    @Override
    public String how() {
      return owner.isEmpty() ? "everywhere" : "as before";
    }
  }
}
