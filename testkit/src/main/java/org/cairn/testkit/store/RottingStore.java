// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;

/**
 * A store whose medium loses bytes that were written well: bits flip, or sectors cannot be read any
 * more. What is written there again is good again. Rot is on the medium; whether the system's
 * memory still has the good bytes is said with each.
 */
public final class RottingStore extends ForwardingStore {
  private final boolean hasMedium;
  private final Map<String, List<Range>> rotten = new HashMap<>();

  /** How a place rots. */
  public enum Kind {
    /** Bits have flipped, for everybody. */
    FLIPPED,
    /** Reading fails, for everybody. */
    UNREADABLE,
    /** Bits have flipped on the medium; the system's memory has what was written. */
    BEHIND_CACHE
  }

  private record Range(long from, long to, Kind kind) {
    boolean touches(long start, long end) {
      return from < end && to > start;
    }
  }

  private RottingStore(Store store, boolean hasMedium) {
    super(store);
    this.hasMedium = hasMedium;
  }

  /** Lets the files of a store rot. */
  public static RottingStore over(Store store) {
    return new RottingStore(store, true);
  }

  /** The same, but nobody can look past the system's memory. */
  public static RottingStore withoutMedium(Store store) {
    return new RottingStore(store, false);
  }

  /** From now on these bytes are not what was written. */
  public synchronized void rot(String name, long position, long length, Kind kind) {
    rotten
        .computeIfAbsent(name, _ -> new ArrayList<>())
        .add(new Range(position, position + length, kind));
  }

  /** Whether any of these bytes are not what was written. */
  public synchronized boolean isRotten(String name, long position, long length) {
    return ranges(name).stream().anyMatch(range -> range.touches(position, position + length));
  }

  private List<Range> ranges(String name) {
    return rotten.getOrDefault(name, List.of());
  }

  private synchronized void spoil(String name, long position, MemorySegment bytes, boolean cached)
      throws IOException {
    for (Range range : ranges(name)) {
      boolean seen = !cached || range.kind != Kind.BEHIND_CACHE;
      if (seen && range.touches(position, position + bytes.byteSize())) {
        if (range.kind == Kind.UNREADABLE) {
          throw new IOException("Input/output error");
        }
        long from = Math.max(0, range.from - position);
        long to = Math.min(bytes.byteSize(), range.to - position);
        for (long at = from; at < to; at++) {
          byte value = bytes.get(ValueLayout.JAVA_BYTE, at);
          bytes.set(ValueLayout.JAVA_BYTE, at, (byte) (value ^ 0x5a));
        }
      }
    }
  }

  private synchronized void written(String name, long from, long to) {
    List<Range> left = new ArrayList<>();
    for (Range range : ranges(name)) {
      if (!range.touches(from, to)) {
        left.add(range);
        continue;
      }
      if (range.from < from) {
        left.add(new Range(range.from, from, range.kind));
      }
      if (range.to > to) {
        left.add(new Range(to, range.to, range.kind));
      }
    }
    rotten.put(name, left);
  }

  @Override
  public StoreFile open(String name, Access access) throws IOException {
    return new RottingFile(store().open(name, access), true);
  }

  @Override
  public Optional<StoreFile> openUncached(String name) throws IOException {
    return hasMedium
        ? Optional.of(new RottingFile(store().open(name, Access.READ), false))
        : Optional.empty();
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    store().rename(from, to);
    List<Range> moved = rotten.remove(from);
    rotten.put(to, moved == null ? List.of() : moved);
  }

  @Override
  public synchronized void delete(String name) throws IOException {
    store().delete(name);
    rotten.remove(name);
  }

  private final class RottingFile extends ForwardingFile {
    private final boolean cached;

    RottingFile(StoreFile file, boolean cached) {
      super(file);
      this.cached = cached;
    }

    @Override
    public long read(long position, MemorySegment target) throws IOException {
      long count = super.read(position, target);
      spoil(name(), position, target.asSlice(0, count), cached);
      return count;
    }

    @Override
    public void write(long position, MemorySegment source) throws IOException {
      super.write(position, source);
      written(name(), position, position + source.byteSize());
    }

    @Override
    public void truncate(long size) throws IOException {
      super.truncate(size);
      written(name(), size, Long.MAX_VALUE);
    }
  }
}
