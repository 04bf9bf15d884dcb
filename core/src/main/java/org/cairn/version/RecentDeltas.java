// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.cairn.record.Digest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The deltas of the versions that a container published last, agreed on by other ranks or not: so
 * that nobody has to find out by comparing maps what was known when they were written. What does
 * not fit into the memory allowed is forgotten, oldest first; then maps are compared.
 *
 * <p>For one thread at a time.
 */
public final class RecentDeltas {
  private static final Logger LOG = LoggerFactory.getLogger(RecentDeltas.class);

  /** Little for a program, and enough for many small deltas. */
  private static final long LEAST_BYTES = 1 << 20;

  private static final int MOST = 256;

  private final Deque<Kept> deltas = new ArrayDeque<>();
  private boolean wanted;
  private long bytes;

  private record Kept(Delta delta, long bytes) {}

  /** From now on they are kept. */
  public void want() {
    wanted = true;
  }

  /** Whether they are kept. */
  public boolean areWanted() {
    return wanted;
  }

  /**
   * Keeps one more.
   *
   * @param mapBytes the memory that the map of the container takes
   */
  public void add(Delta delta, long mapBytes) {
    Kept kept = new Kept(delta, delta.memoryBytes());
    deltas.addLast(kept);
    bytes += kept.bytes;
    while (!deltas.isEmpty() && (bytes > room(mapBytes) || deltas.size() > MOST)) {
      bytes -= deltas.removeFirst().bytes;
    }
  }

  /**
   * Whether a delta can be kept at all. A block takes 16 bytes of a record at least, and up to 56
   * of memory, before and now: what would be forgotten at once is not made.
   *
   * @param recordBytes the length of its map record
   */
  public static boolean hasRoomFor(long recordBytes, long mapBytes) {
    return 4 * recordBytes <= room(mapBytes);
  }

  /** How much memory they may take beside a map of so many bytes. */
  private static long room(long mapBytes) {
    return Math.max(LEAST_BYTES, mapBytes / 2);
  }

  /** Forgets all: blocks lie in other places now. */
  public void clear() {
    deltas.clear();
    bytes = 0;
  }

  /** How much memory they take, about. */
  public long memoryBytes() {
    return bytes;
  }

  /** What leads from a version with this root digest to another; empty if that is not known. */
  public Optional<Delta> between(VersionId base, Digest root, VersionId version) {
    List<Delta> chain = new ArrayList<>();
    VersionId wantedNext = version;
    Iterator<Kept> newestFirst = deltas.descendingIterator();
    while (newestFirst.hasNext()) {
      Delta delta = newestFirst.next().delta;
      if (!delta.version().id().equals(wantedNext) || breaks(chain, delta)) {
        continue;
      }
      chain.add(delta);
      VersionInfo from = delta.base();
      if (from.id().equals(base)) {
        boolean same = from.digestLow() == root.low() && from.digestHigh() == root.high();
        return same ? union(chain) : Optional.empty();
      }
      wantedNext = from.id();
    }
    return Optional.empty();
  }

  /** Whether a delta leads to something else than what the next one is to. */
  private static boolean breaks(List<Delta> chain, Delta older) {
    if (chain.isEmpty()) {
      return false;
    }
    VersionInfo to = older.version();
    VersionInfo from = chain.getLast().base();
    return to.digestLow() != from.digestLow() || to.digestHigh() != from.digestHigh();
  }

  private static Optional<Delta> union(List<Delta> newestFirst) {
    List<Delta> chain = new ArrayList<>(newestFirst);
    Collections.reverse(chain);
    Delta union = Delta.union(chain);
    if (union.isSound()) {
      return Optional.of(union);
    }
    LOG.warn("{} does not come out as the version says; maps are compared instead", union);
    return Optional.empty();
  }
}
