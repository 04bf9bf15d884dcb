// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * Where the bytes of a rank's datasets lie in the one byte space that parity covers.
 *
 * <pre>Space → count:u32 (name:text bytes:u64 extents:u32 (address:u64 length:u64){extents}){count}
 * </pre>
 *
 * <p>A dataset lies in one or more extents, which may be longer than it. It stays where it is from
 * version to version; when it grows, extents are lengthened or added; what is released is used
 * again. What belongs to no dataset counts as zero. Small datasets lie side by side; large ones
 * begin at a multiple of 16 KiB, so that a changed block touches few blocks of parity.
 *
 * <p>Immutable. The same space and the same sizes always give the same next space: so a repeated
 * update comes to the same parity.
 */
final class ByteSpace {
  static final ByteSpace EMPTY = new ByteSpace(Map.of());

  private static final long GRAIN = 8;
  private static final long LARGEST_ALIGNMENT = 16 << 10;

  /** Smaller pieces are not worth having more extents. */
  private static final long LEAST_PIECE = 64 << 10;

  /** What a growing dataset gets beyond its need, as a part of its size: fewer extents. */
  private static final int RESERVE = 8;

  private final Map<String, Place> places;

  record Extent(long address, long length) {
    long end() {
      return address + length;
    }
  }

  /** The extents of one dataset and how many bytes of them it uses. */
  private record Place(long bytes, List<Extent> extents) {
    long capacity() {
      return extents.stream().mapToLong(Extent::length).sum();
    }
  }

  /** Receives parts of a dataset: {@code length} bytes from {@code offset} on are at an address. */
  interface PartVisitor {
    void part(long address, long offset, long length);
  }

  private ByteSpace(Map<String, Place> places) {
    this.places = places;
  }

  /** The first byte behind all datasets. */
  long end() {
    return places.values().stream()
        .flatMap(place -> place.extents().stream())
        .mapToLong(Extent::end)
        .max()
        .orElse(0);
  }

  /** The windows of so many bytes in which there are bytes of a dataset. */
  BitSet windows(long windowBytes) {
    BitSet windows = new BitSet();
    places.forEach(
        (name, place) ->
            locate(
                name,
                0,
                place.bytes(),
                (address, offset, length) ->
                    windows.set(
                        (int) (address / windowBytes),
                        (int) ((address + length - 1) / windowBytes) + 1)));
    return windows;
  }

  /** The extents of a dataset; none if there is no such dataset. */
  List<Extent> extents(String name) {
    Place place = places.get(name);
    return place == null ? List.of() : place.extents();
  }

  /** Says where {@code length} bytes of a dataset from {@code from} on lie. */
  void locate(String name, long from, long length, PartVisitor visitor) {
    long start = 0;
    long offset = from;
    long end = from + length;
    for (Extent extent : extents(name)) {
      long until = Math.min(end, start + extent.length());
      if (offset < until) {
        visitor.part(extent.address() + (offset - start), offset, until - offset);
        offset = until;
      }
      start += extent.length();
    }
    if (offset < end) {
      throw new IllegalArgumentException(
          "bytes %d to %d of \"%s\" have no place".formatted(offset, end, name));
    }
  }

  /** How many bytes of a dataset, from the first on, lie where they lie in {@code other}. */
  long agreesUpTo(String name, ByteSpace other) {
    List<Extent> mine = extents(name);
    List<Extent> theirs = other.extents(name);
    long agreed = 0;
    for (int i = 0; i < Math.min(mine.size(), theirs.size()); i++) {
      if (mine.get(i).address() != theirs.get(i).address()) {
        return agreed;
      }
      agreed += Math.min(mine.get(i).length(), theirs.get(i).length());
      if (mine.get(i).length() != theirs.get(i).length()) {
        return agreed;
      }
    }
    return agreed;
  }

  // Changing.

  /** The space of the next version, which has datasets of these sizes. */
  ByteSpace next(Map<String, Long> sizes) {
    return new Allocation(sizes).space();
  }

  private static long grains(long bytes) {
    return Math.ceilDiv(bytes, GRAIN) * GRAIN;
  }

  private static long reserve(long bytes) {
    return grains(bytes / RESERVE);
  }

  private final class Allocation {
    private final Map<String, Place> next = new LinkedHashMap<>();

    /** Address → end of what is taken. */
    private final TreeMap<Long, Long> taken = new TreeMap<>();

    Allocation(Map<String, Long> sizes) {
      // What stays comes first, and nothing of it moves.
      sizes.forEach((name, bytes) -> next.put(name, kept(name, bytes)));
      sizes.forEach(this::extend);
    }

    ByteSpace space() {
      return new ByteSpace(next);
    }

    private Place kept(String name, long bytes) {
      Place before = places.get(name);
      List<Extent> extents = before == null ? List.of() : before.extents();
      long wanted = grains(bytes);
      if (before != null && before.capacity() <= wanted + reserve(bytes)) {
        wanted = before.capacity();
      }
      List<Extent> kept = new ArrayList<>();
      for (Extent extent : extents) {
        long length = Math.min(extent.length(), wanted);
        if (length > 0) {
          kept.add(new Extent(extent.address(), length));
          taken.put(extent.address(), extent.address() + length);
          wanted -= length;
        }
      }
      return new Place(bytes, kept);
    }

    private void extend(String name, long bytes) {
      Place kept = next.getOrDefault(name, new Place(bytes, List.of()));
      long missing = grains(bytes) - kept.capacity();
      if (missing <= 0) {
        return;
      }
      List<Extent> extents = new ArrayList<>(kept.extents());
      boolean grows = places.containsKey(name);
      long wanted = missing + (grows ? reserve(bytes) : 0);
      long more = extents.isEmpty() ? 0 : lengthen(extents, wanted);
      if (more < missing) {
        allocate(wanted - more, alignment(bytes), extents);
      }
      next.put(name, new Place(bytes, List.copyOf(extents)));
    }

    /** Takes what is free right behind the last extent; says how much that was. */
    private long lengthen(List<Extent> extents, long wanted) {
      Extent last = extents.removeLast();
      Map.Entry<Long, Long> after = taken.ceilingEntry(last.end());
      long limit = after == null ? Long.MAX_VALUE : after.getKey();
      long more = Math.min(wanted, limit - last.end());
      Extent longer = new Extent(last.address(), last.length() + more);
      extents.add(longer);
      taken.put(longer.address(), longer.end());
      return more;
    }

    private void allocate(long wanted, long alignment, List<Extent> extents) {
      long left = wanted;
      long least = wanted < LEAST_PIECE ? wanted : Math.max(LEAST_PIECE, wanted / RESERVE);
      while (left > 0) {
        Extent extent = gap(left, Math.min(left, least), alignment);
        extents.add(extent);
        taken.put(extent.address(), extent.end());
        left -= extent.length();
      }
    }

    /** The first gap that has it all; else the first that has enough of it; else the end. */
    private Extent gap(long wanted, long least, long alignment) {
      Extent part = null;
      long free = 0;
      for (Map.Entry<Long, Long> next : taken.entrySet()) {
        long start = Math.ceilDiv(free, alignment) * alignment;
        long length = next.getKey() - start;
        if (length >= wanted) {
          return new Extent(start, wanted);
        }
        if (part == null && length >= least) {
          part = new Extent(start, length);
        }
        free = Math.max(free, next.getValue());
      }
      return part != null ? part : new Extent(Math.ceilDiv(free, alignment) * alignment, wanted);
    }

    private static long alignment(long bytes) {
      return Math.clamp(Long.highestOneBit(bytes), GRAIN, LARGEST_ALIGNMENT);
    }
  }

  // As bytes.

  byte[] write() {
    RecordWriter out = RecordWriter.onHeap().putInt(places.size());
    places.forEach(
        (name, place) -> {
          out.putText(name).putLong(place.bytes()).putInt(place.extents().size());
          place.extents().forEach(e -> out.putLong(e.address()).putLong(e.length()));
        });
    return out.toArray();
  }

  static ByteSpace read(RecordReader in) throws IOException {
    Map<String, Place> places = new LinkedHashMap<>();
    int count = in.getCount(16);
    for (int i = 0; i < count; i++) {
      String name = in.getText();
      long bytes = in.getLongNumber("bytes of a dataset");
      int extents = in.getCount(16);
      List<Extent> list = new ArrayList<>(extents);
      for (int j = 0; j < extents; j++) {
        list.add(checked(new Extent(in.getLong(), in.getLong())));
      }
      places.put(name, new Place(bytes, List.copyOf(list)));
    }
    return new ByteSpace(places);
  }

  private static Extent checked(Extent extent) {
    if (extent.address() < 0 || extent.length() <= 0 || extent.end() < 0) {
      throw new IllegalArgumentException("an impossible extent " + extent);
    }
    return extent;
  }

  @Override
  public String toString() {
    return places.toString();
  }
}
