// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.cairn.Checkpointer;
import org.cairn.ElementType;
import org.jspecify.annotations.Nullable;

/**
 * The state of a program to be measured: some datasets of doubles, off-heap or as arrays, and ways
 * of changing a part of them.
 */
final class State implements AutoCloseable {
  /** Changes are made in units of this size, at random or side by side. */
  static final int GRAIN = 16 << 10;

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  private final @Nullable Arena arena;
  private final MemorySegment[] segments;

  /** One per dataset; empty if the state is off-heap. */
  private final double[][] arrays;

  private final int units;
  private final int[] shuffled;
  private final SplittableRandom random = new SplittableRandom(7);
  private long change;

  private State(@Nullable Arena arena, MemorySegment[] segments, double[][] arrays) {
    this.arena = arena;
    this.segments = segments;
    this.arrays = arrays;
    this.units = Math.toIntExact(segments[0].byteSize() / GRAIN);
    this.shuffled = new int[units * segments.length];
    for (int i = 0; i < shuffled.length; i++) {
      shuffled[i] = i;
    }
    fill();
  }

  static State offHeap(long bytes, int datasets) {
    Arena arena = Arena.ofShared();
    MemorySegment[] segments = new MemorySegment[datasets];
    for (int i = 0; i < datasets; i++) {
      segments[i] = arena.allocate(bytesEach(bytes, datasets), 4096);
    }
    return new State(arena, segments, new double[0][]);
  }

  static State heap(long bytes, int datasets) {
    int elements = Math.toIntExact(bytesEach(bytes, datasets) / Double.BYTES);
    double[][] arrays = new double[datasets][elements];
    MemorySegment[] segments = new MemorySegment[datasets];
    for (int i = 0; i < datasets; i++) {
      segments[i] = MemorySegment.ofArray(arrays[i]);
    }
    return new State(null, segments, arrays);
  }

  private static long bytesEach(long bytes, int datasets) {
    long each = bytes / datasets / GRAIN * GRAIN;
    if (each == 0) {
      throw new IllegalArgumentException(
          bytes + " bytes are too few for " + datasets + " datasets");
    }
    return each;
  }

  /** Doubles that look like a simulation's: smooth with a little noise, no two blocks alike. */
  private void fill() {
    for (MemorySegment segment : segments) {
      for (long at = 0; at < segment.byteSize(); at += Double.BYTES) {
        double value = Math.fma(0.01, random.nextDouble(), (double) (at & 32767));
        segment.set(LONG, at, Double.doubleToRawLongBits(value));
      }
    }
  }

  int datasets() {
    return segments.length;
  }

  long datasetBytes() {
    return segments[0].byteSize();
  }

  long bytes() {
    return datasetBytes() * segments.length;
  }

  boolean isHeap() {
    return arrays.length > 0;
  }

  MemorySegment segment(int dataset) {
    return segments[dataset];
  }

  double[] array(int dataset) {
    if (!isHeap()) {
      throw new IllegalStateException("this state is off-heap");
    }
    return arrays[dataset];
  }

  void protect(Checkpointer cairn) {
    for (int i = 0; i < segments.length; i++) {
      if (isHeap()) {
        cairn.protect("field" + i, arrays[i]);
      } else {
        cairn.protect("field" + i, segments[i], ElementType.DOUBLE);
      }
    }
  }

  /**
   * Changes a part of the state and gives the number of bytes of the units that were changed.
   *
   * @param scattered at random, else in one run per dataset
   * @param step one word is changed in every {@code step} bytes
   */
  long change(double fraction, boolean scattered, int step) {
    change++;
    int each = (int) Math.round(fraction * units);
    if (scattered) {
      changeScattered(each * segments.length, step);
    } else {
      changeRuns(each, step);
    }
    return (long) each * segments.length * GRAIN;
  }

  private void changeScattered(int count, int step) {
    for (int i = 0; i < count; i++) {
      int other = random.nextInt(i, shuffled.length);
      int unit = shuffled[other];
      shuffled[other] = shuffled[i];
      shuffled[i] = unit;
      touch(unit / units, unit % units, step);
    }
  }

  private void changeRuns(int count, int step) {
    for (int dataset = 0; dataset < segments.length; dataset++) {
      int first = random.nextInt(units - count + 1);
      for (int unit = first; unit < first + count; unit++) {
        touch(dataset, unit, step);
      }
    }
  }

  private void touch(int dataset, int unit, int step) {
    MemorySegment segment = segments[dataset];
    long start = (long) unit * GRAIN;
    for (long at = start; at < start + GRAIN; at += Math.min(step, GRAIN)) {
      // Never a value it had before: an odd number is added, and rarely often enough to come round.
      segment.set(LONG, at, segment.get(LONG, at) + 2 * change + 1);
    }
  }

  @Override
  public void close() {
    if (arena != null) {
      arena.close();
    }
  }
}
