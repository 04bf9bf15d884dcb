// SPDX-License-Identifier: Apache-2.0
package org.cairn.redivision;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.cairn.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.jspecify.annotations.Nullable;

/**
 * Elements that follow one another both where they lie and where they go: a row of a region that
 * both have, or many rows where nothing lies between them. In both they ascend.
 *
 * <p>Whoever reads elements for somebody else needs to know only where they lie: so much of it goes
 * into a message. The bytes then go packed, in the order in which they lie.
 */
public final class Runs {
  /** How many elements each has. */
  private final long length;

  private final long count;

  /** Of the axes that are counted, the last one fastest. */
  private final long[] extent;

  private final long[] sourceStride;
  private final long[] targetStride;
  private final long sourceStart;
  private final long targetStart;

  private Runs(
      long length,
      long[] extent,
      long[] sourceStride,
      long[] targetStride,
      long sourceStart,
      long targetStart) {
    this.length = length;
    this.extent = extent;
    this.sourceStride = sourceStride;
    this.targetStride = targetStride;
    this.sourceStart = sourceStart;
    this.targetStart = targetStart;
    long product = 1;
    for (long one : extent) {
      product *= one;
    }
    this.count = product;
  }

  /**
   * A brick in memory: elements of a larger one, the last axis fastest.
   *
   * @param shape of the larger one
   * @param from where the brick begins in that
   * @param start where the first element of the larger one lies
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes or compares them
  public record Place(long[] shape, long[] from, long start) {
    private long first(long[] strides) {
      long at = start;
      for (int axis = 0; axis < strides.length; axis++) {
        at += from[axis] * strides[axis];
      }
      return at;
    }
  }

  /** The runs of a brick of so many elements along each axis; at least one. */
  public static Runs of(long[] extent, Place source, Place target) {
    long[] sourceStride = strides(source.shape);
    long[] targetStride = strides(target.shape);
    int counted = extent.length - 1;
    long length = extent[counted];
    while (counted > 0
        && extent[counted] == source.shape[counted]
        && extent[counted] == target.shape[counted]) {
      counted--;
      length *= extent[counted];
    }
    return new Runs(
        length,
        Arrays.copyOf(extent, counted),
        sourceStride,
        targetStride,
        source.first(sourceStride),
        target.first(targetStride));
  }

  /** Elements that lie one after the other. */
  public static Runs straight(long elements, long source, long target) {
    return new Runs(elements, new long[0], new long[0], new long[0], source, target);
  }

  private static long[] strides(long[] extent) {
    long[] strides = new long[extent.length];
    long stride = 1;
    for (int axis = extent.length - 1; axis >= 0; axis--) {
      strides[axis] = stride;
      stride *= extent[axis];
    }
    return strides;
  }

  /** How many elements there are. */
  public long elements() {
    return length * count;
  }

  /** The first element where they lie. */
  public long low() {
    return sourceStart;
  }

  /** Behind the last element where they lie. */
  public long high() {
    return source(count - 1) + length;
  }

  /** The first element of a run where they lie. */
  private long source(long run) {
    return place(run, sourceStart, sourceStride);
  }

  /** The first element of a run where they go. */
  private long target(long run) {
    return place(run, targetStart, targetStride);
  }

  private long place(long run, long start, long[] stride) {
    long place = start;
    long left = run;
    for (int axis = extent.length - 1; axis >= 0; axis--) {
      place += left % extent[axis] * stride[axis];
      left /= extent[axis];
    }
    return place;
  }

  /** The first run of which something lies behind an element, or at it. */
  private long firstEndingBehind(long element) {
    long low = 0;
    long high = count;
    while (low < high) {
      long middle = low + high >>> 1;
      if (source(middle) + length > element) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  // ---------------------------------------------------------------- copying

  /** Is given what lies in a stretch of bytes, run by run. */
  private interface Stretch {
    /**
     * A part of a run.
     *
     * @param from where it lies, in bytes
     * @param bytes how many
     * @param to where it goes, in bytes
     */
    void take(long from, long bytes, long to);
  }

  private void forEach(long width, long position, long end, Stretch stretch) {
    for (long run = firstEndingBehind(position / width); run < count; run++) {
      long source = source(run) * width;
      if (source >= end) {
        return;
      }
      long low = Math.max(source, position);
      long high = Math.min(source + length * width, end);
      if (high > low) {
        stretch.take(low, high - low, target(run) * width + low - source);
      }
    }
  }

  /**
   * Copies what lies in these bytes to where it goes.
   *
   * @param width bytes of an element
   * @param position the first of the bytes, where elements lie
   * @param end behind the last
   * @param bytes what they are; null for zeros
   */
  public void copy(
      int width, long position, long end, @Nullable MemorySegment bytes, MemorySegment target) {
    forEach(
        width,
        position,
        end,
        (from, count, to) -> {
          if (bytes == null) {
            target.asSlice(to, count).fill((byte) 0);
          } else {
            MemorySegment.copy(bytes, from - position, target, to, count);
          }
        });
  }

  /** How many bytes of it lie in these bytes. */
  long packedBytes(int width, long position, long end) {
    long[] sum = new long[1];
    forEach(width, position, end, (_, count, _) -> sum[0] += count);
    return sum[0];
  }

  /** Puts what lies in these bytes one after the other, for somebody else. */
  void pack(int width, long position, long end, MemorySegment bytes, MemorySegment packed) {
    long[] at = new long[1];
    forEach(
        width,
        position,
        end,
        (from, count, _) -> {
          MemorySegment.copy(bytes, from - position, packed, at[0], count);
          at[0] += count;
        });
  }

  /** Brings what {@link #pack} put one after the other to where it goes. */
  void unpack(int width, long position, long end, MemorySegment packed, MemorySegment target) {
    long[] at = new long[1];
    forEach(
        width,
        position,
        end,
        (_, count, to) -> {
          MemorySegment.copy(packed, at[0], target, to, count);
          at[0] += count;
        });
  }

  /** Is given elements that follow one another. */
  interface Elements {
    /** So many of them, from one on. */
    void take(long first, long count);
  }

  /** All elements, where they go. */
  void forEachTarget(Elements elements) {
    for (long run = 0; run < count; run++) {
      elements.take(target(run), length);
    }
  }

  /** Gives each element the same bytes. */
  void fill(MemorySegment element, MemorySegment target) {
    long width = element.byteSize();
    forEach(
        width,
        sourceStart * width,
        high() * width,
        (_, bytes, to) -> {
          for (long at = to; at < to + bytes; at += width) {
            MemorySegment.copy(element, 0, target, at, width);
          }
        });
  }

  // ---------------------------------------------------------------- in messages

  /** Writes where they lie, and not where they go. */
  void writeSource(RecordWriter out) {
    out.putLong(length).putLong(sourceStart).putInt(extent.length);
    for (int axis = 0; axis < extent.length; axis++) {
      out.putLong(extent[axis]).putLong(sourceStride[axis]);
    }
  }

  /** What {@link #writeSource} wrote; where they go is not known. */
  static Runs readSource(RecordReader in) throws CorruptContainerException {
    long length = in.getLong();
    long start = in.getLong();
    int axes = in.getCount(2 * Long.BYTES);
    long[] extent = new long[axes];
    long[] stride = new long[axes];
    for (int axis = 0; axis < axes; axis++) {
      extent[axis] = in.getLong();
      stride[axis] = in.getLong();
    }
    return new Runs(length, extent, stride, new long[axes], start, 0);
  }
}
