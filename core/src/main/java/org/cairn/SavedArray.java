// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongConsumer;
import org.cairn.redivision.Region;
import org.cairn.supply.Supply;

/**
 * An array that ranks had together, as one array, or a slice of it; see {@link SavedVersion#array}.
 * Elements come in the order of the whole array, the last axis fastest, whoever had them; ghosts
 * are never read. Every block is verified before anybody sees it.
 */
public final class SavedArray extends SavedElements {
  /** As much of an array is put together at a time, where it goes to a file. */
  private static final long CHUNK_BYTES = 64L << 20;

  private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[1 << 16]);

  private final String name;
  private final ElementType type;
  private final Assembly assembly;
  private final Region region;

  SavedArray(String name, ElementType type, Assembly assembly, Region region) {
    this.name = name;
    this.type = type;
    this.assembly = assembly;
    this.region = region;
  }

  /**
   * A part of the array, and whose it was.
   *
   * @param rank the rank that saved it
   * @param part where it lies
   */
  public record Owned(int rank, Part part) {}

  @Override
  public String name() {
    return name;
  }

  @Override
  public ElementType type() {
    return type;
  }

  @Override
  public List<Long> shape() {
    return Arrays.stream(region.extent()).boxed().toList();
  }

  @Override
  public long size() {
    return region.elements();
  }

  /** How the whole array was divided, in the order of ranks. */
  public List<Owned> parts() {
    return assembly.parts();
  }

  /**
   * A slice; only the blocks that it lies in are read.
   *
   * @param from the first element along each axis, counted from the first of these
   * @param to behind the last one
   */
  public SavedArray slice(long[] from, long[] to) {
    return new SavedArray(name, type, assembly, region.slice(from, to));
  }

  /**
   * Slices that follow one another, none of which has more elements than this, to be read one after
   * the other.
   */
  public Iterable<SavedArray> chunks(long most) {
    Iterable<Region> regions = region.chunks(most);
    return () -> {
      Iterator<Region> next = regions.iterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return next.hasNext();
        }

        @Override
        public SavedArray next() {
          return new SavedArray(name, type, assembly, next.next());
        }
      };
    };
  }

  @Override
  void fill(MemorySegment target, boolean shared) {
    assembly.fill(region, target, shared);
  }

  /** Fills memory with a part of the whole array, and its ghosts; see {@link Assembly#fill}. */
  void into(Part part, MemorySegment target, long most, LongConsumer progress) {
    assembly.fill(part, target, most, progress);
  }

  /**
   * Writes the elements to a file, a stretch at a time. Stretches of zeros are left out, and must
   * not be there yet: so a new file has holes there.
   *
   * @param position where the first byte goes
   * @param progress told how many bytes are done, now and then
   * @throws IOException if the file cannot be written
   * @throws CheckpointUnavailableException if a block is damaged
   */
  public void writeTo(FileChannel file, long position, LongConsumer progress) throws IOException {
    long most = Math.max(1, CHUNK_BYTES / type.bytes());
    try (Arena arena = Supply.sharedArena()) {
      MemorySegment room =
          arena.allocate(Math.max(1, Math.min(size(), most) * type.bytes()), Long.BYTES);
      long done = 0;
      for (Region chunk : region.chunks(most)) {
        MemorySegment some = room.asSlice(0, chunk.elements() * type.bytes());
        assembly.fill(chunk, some, true);
        if (!isZero(some)) {
          writeFully(file, some.asByteBuffer(), position + done);
        }
        done += some.byteSize();
        progress.accept(done);
      }
    }
    extend(file, position + byteSize());
  }

  private static boolean isZero(MemorySegment bytes) {
    for (long at = 0; at < bytes.byteSize(); at += ZEROS.byteSize()) {
      long end = Math.min(bytes.byteSize(), at + ZEROS.byteSize());
      if (MemorySegment.mismatch(bytes, at, end, ZEROS, 0, end - at) >= 0) {
        return false;
      }
    }
    return true;
  }
}
