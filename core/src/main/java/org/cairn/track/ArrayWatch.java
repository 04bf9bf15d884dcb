// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Tells how much of some arrays of the Java heap lies on pages that were written to: for studies of
 * programs, never for checkpoints. A collector may move an array whenever it likes, and nobody is
 * told; so the place of an array is looked at before and after, and where it has become another one
 * nothing is known. Large arrays are moved seldom: G1, which Java takes unless told otherwise,
 * leaves those of more than half a region where they are. One thread.
 */
public final class ArrayWatch implements AutoCloseable {
  private final UserfaultWatch watch;
  private final int page;
  private final List<MemorySegment> arrays;
  private final List<Stretch> watched = new ArrayList<>();

  /** Where the arrays were when they were looked for last. */
  private long[] places = {};

  /** Pages in a row. */
  private record Stretch(long from, long to) {}

  private ArrayWatch(UserfaultWatch watch, List<MemorySegment> arrays) {
    this.watch = watch;
    this.page = watch.pageSize();
    this.arrays = List.copyOf(arrays);
  }

  /**
   * Watches arrays from now on.
   *
   * @throws UnwatchableException if pages cannot be watched here, or not those of these arrays
   */
  public static ArrayWatch of(List<MemorySegment> arrays) throws UnwatchableException {
    ArrayWatch watch = new ArrayWatch(UserfaultWatch.open(), arrays);
    try {
      watch.begin();
      return watch;
    } catch (UnwatchableException e) {
      watch.close();
      throw e;
    }
  }

  private void begin() throws UnwatchableException {
    places = look();
    Mappings ground = Mappings.read();
    for (Stretch stretch : stretches()) {
      Optional<String> why = ground.refusal(stretch.from, stretch.to);
      if (why.isPresent()) {
        throw new UnwatchableException(
            "the Java heap is %s; start java with -XX:+UseG1GC".formatted(why.get()));
      }
      watch.watch(stretch.from, stretch.to);
      watched.add(stretch);
      watch.scan(stretch.from, stretch.to, (_, _) -> {});
    }
  }

  private long[] look() {
    return arrays.stream().mapToLong(watch.system()::addressOf).toArray();
  }

  /** The pages of all arrays; small ones may have some in common. */
  private List<Stretch> stretches() {
    List<Stretch> each = new ArrayList<>();
    for (int i = 0; i < places.length; i++) {
      long end = places[i] + arrays.get(i).byteSize();
      each.add(new Stretch(places[i] / page * page, Math.ceilDiv(end, page) * page));
    }
    each.sort(Comparator.comparingLong(Stretch::from));
    List<Stretch> apart = new ArrayList<>();
    for (Stretch next : each) {
      if (apart.isEmpty() || apart.getLast().to < next.from) {
        apart.add(next);
      } else {
        Stretch last = apart.removeLast();
        apart.add(new Stretch(last.from, Math.max(last.to, next.to)));
      }
    }
    return apart;
  }

  /**
   * How many bytes of each array lie on pages that were written to since this was asked last, or
   * since the beginning; empty for an array that the collector has moved meanwhile.
   *
   * @throws UnwatchableException if an array cannot be watched where it is now
   */
  public List<OptionalLong> written() throws UnwatchableException {
    long[] bytes = new long[places.length];
    boolean scanned = scan(bytes);
    List<OptionalLong> written = new ArrayList<>();
    long[] now = look();
    boolean anyMoved = false;
    for (int i = 0; i < bytes.length; i++) {
      boolean moved = !scanned || now[i] != places[i];
      written.add(moved ? OptionalLong.empty() : OptionalLong.of(bytes[i]));
      anyMoved |= moved;
    }
    if (anyMoved) {
      end();
      begin();
    }
    return written;
  }

  /** Whether the pages are still those of the heap: when arrays move, it may give some back. */
  private boolean scan(long[] bytes) throws UnwatchableException {
    try {
      for (Stretch stretch : watched) {
        watch.scan(stretch.from, stretch.to, (from, to) -> add(bytes, from, to));
      }
      return true;
    } catch (UnwatchableException e) {
      if (Arrays.equals(look(), places)) {
        throw e;
      }
      return false;
    }
  }

  /** What of these pages is in which array. */
  private void add(long[] bytes, long from, long to) {
    for (int i = 0; i < bytes.length; i++) {
      long end = Math.min(to, places[i] + arrays.get(i).byteSize());
      bytes[i] += Math.max(0, end - Math.max(from, places[i]));
    }
  }

  private void end() {
    watched.forEach(stretch -> watch.unwatch(stretch.from, stretch.to));
    watched.clear();
  }

  @Override
  public void close() {
    end();
    watch.close();
  }
}
