// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.cairn.supply.Mutex;
import org.cairn.supply.UnseenWrites;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * Knows which pages of one dataset may differ from the version it is compared with.
 *
 * <p>A scan forgets what it tells, and the checkpoint it was made for may fail. So pages are
 * remembered twice: those written since the version that is known to be the base, and those written
 * since the checkpoint taken last. Only when the container says that the latter has become the base
 * the former are forgotten. Of any other base nothing is known, and every block is suspect.
 *
 * <p>Guarantee: a block that is not suspect has the bytes that it had when the base was saved,
 * unless something wrote to it past the page tables and nobody {@linkplain
 * org.cairn.supply.UnseenWrites said} so.
 */
final class DirtyTracker {
  /** A sample is this many stretches, and of each of them one part in so many. */
  private static final int STRETCHES = 16;

  private static final int PART = 32;

  private final WatchedPages pages;
  private final int pageSize;

  /** Guards what pages are written; held while the pages' own is, never the other way round. */
  private final Mutex mutex = new Mutex();

  private long address;
  private long length;
  private List<WatchedPages.Range> watched = List.of();
  private boolean sampling;
  private BitSet sinceBase = new BitSet();
  private BitSet sinceTaken = new BitSet();
  private @Nullable Base base;

  /** The checkpoint taken last. */
  private @Nullable VersionId taken;

  DirtyTracker(WatchedPages pages) {
    this.pages = pages;
    this.pageSize = pages.pageSize();
  }

  /** Whether it is this memory that is known. */
  boolean isOf(MemorySegment memory) {
    return address == memory.address() && length == memory.byteSize();
  }

  boolean isWatching() {
    return !watched.isEmpty();
  }

  /** How many bytes are watched. */
  long watchedBytes() {
    return watched.stream().mapToLong(range -> range.to() - range.from()).sum();
  }

  /** Whether a part of the pages is watched only, to learn how many are written. */
  boolean isSampling() {
    return sampling;
  }

  // ---------------------------------------------------------------- watching

  /** Whole pages of memory: those at its ends it may share with others. */
  record Whole(long from, long to) {
    static Whole of(MemorySegment memory, int page) {
      long end = memory.address() + memory.byteSize();
      return new Whole(Math.ceilDiv(memory.address(), page) * page, end / page * page);
    }

    long bytes() {
      return Math.max(0, to - from);
    }
  }

  /** Begins to watch all of some memory; nothing is known of it before the next checkpoint. */
  void watch(MemorySegment memory) throws UnwatchableException {
    watch(memory, 1, 1);
    sampling = false;
  }

  /** Begins to watch a few pages of some memory, evenly spread: one part in so many. */
  void sample(MemorySegment memory) throws UnwatchableException {
    watch(memory, STRETCHES, PART);
    sampling = true;
  }

  private void watch(MemorySegment memory, int most, int part) throws UnwatchableException {
    forget();
    address = memory.address();
    length = memory.byteSize();
    Whole whole = Whole.of(memory, pageSize);
    long count = whole.bytes() / pageSize;
    makeRoom();
    long stretches = Math.min(most, count);
    List<WatchedPages.Range> added = new ArrayList<>();
    try {
      for (long i = 0; i < stretches; i++) {
        long first = count * i / stretches;
        long some = Math.max(1, count / (stretches * part));
        added.add(
            pages.add(
                whole.from + first * pageSize,
                whole.from + (first + some) * pageSize,
                this::written));
      }
      watched = added;
    } catch (UnwatchableException | RuntimeException | Error e) {
      pages.remove(added);
      throw e;
    }
  }

  /** Who is told of pages must not run out of memory then: they are told once. */
  private void makeRoom() {
    try (Mutex.Held _ = mutex.hold()) {
      int all = page(address + length - 1) + 1;
      sinceBase = new BitSet(all);
      sinceTaken = new BitSet(all);
    }
  }

  /** Watches no longer; what the program has marked of the memory is soon others'. */
  void end() {
    forget();
    UnseenWrites.unmark(address, address + length);
  }

  /** Watches no longer, and knows nothing. */
  void forget() {
    List<WatchedPages.Range> before = watched;
    watched = List.of();
    sampling = false;
    if (!before.isEmpty()) {
      pages.remove(before);
    }
    try (Mutex.Held _ = mutex.hold()) {
      base = null;
      taken = null;
      sinceBase = new BitSet();
      sinceTaken = new BitSet();
    }
  }

  private void written(long from, long to) {
    try (Mutex.Held _ = mutex.hold()) {
      int first = page(from);
      int end = page(to);
      sinceBase.set(first, end);
      sinceTaken.set(first, end);
    }
  }

  private int page(long at) {
    return Math.toIntExact((at - address / pageSize * pageSize) / pageSize);
  }

  // ---------------------------------------------------------------- checkpoints

  /**
   * What a scan says, before a checkpoint is taken.
   *
   * @param writtenBytes of the pages that are watched, since the base; -1 if it is not known
   */
  record Look(Suspects suspects, long writtenBytes) {
    static final Look BLIND = new Look(Suspects.all(), -1);
  }

  /**
   * Finds what may differ from the base, and watches from now on what changes after this
   * checkpoint.
   *
   * @param now what the checkpoint is compared with
   * @param published what the checkpoint became that was durable last
   * @param taking the checkpoint
   * @throws UnwatchableException if it is watched no longer; everything is suspect then
   */
  Look look(Optional<Base> now, @Nullable Base published, VersionId taking)
      throws UnwatchableException {
    @Nullable BitSet[] found = new BitSet[1];
    try {
      scan(now, published, taking, found);
    } catch (RuntimeException | Error e) {
      forget(); // what was told may be lost half way
      throw e;
    }
    BitSet suspect = found[0];
    return suspect == null ? Look.BLIND : see(suspect);
  }

  private void scan(
      Optional<Base> now, @Nullable Base published, VersionId taking, @Nullable BitSet[] found)
      throws UnwatchableException {
    pages.scan(
        watched,
        () -> {
          try (Mutex.Held _ = mutex.hold()) {
            found[0] = settle(now, published) ? (BitSet) sinceBase.clone() : null;
            taken = taking;
            sinceTaken.clear();
          }
        });
  }

  /** Whether the base is one of which it is known what was written since. */
  private boolean settle(Optional<Base> now, @Nullable Base published) {
    if (published != null
        && published.version().equals(taken)
        && now.equals(Optional.of(published))) {
      base = published;
      BitSet before = sinceBase;
      sinceBase = sinceTaken;
      sinceTaken = before;
    } else if (now.isEmpty() || !now.get().equals(base)) {
      base = null;
    }
    return base != null;
  }

  private Look see(BitSet written) {
    long bytes = (long) written.cardinality() * pageSize;
    int next = 0;
    for (WatchedPages.Range range : watched) {
      written.set(next, page(range.from()));
      next = page(range.to());
    }
    written.set(next, page(address + length - 1) + 1);
    return new Look(Suspects.on(written, pageSize, address), bytes);
  }

  /**
   * Memory has the bytes of a version, and is watched.
   *
   * @throws UnwatchableException if it is watched no longer
   */
  void restored(Base version) throws UnwatchableException {
    pages.scan(
        watched,
        () -> {
          try (Mutex.Held _ = mutex.hold()) {
            base = version;
            taken = null;
            sinceBase.clear();
            sinceTaken.clear();
          }
        });
  }
}
