// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is known to be bad in the file of a container, until it is mended or nobody needs it any
 * more. Guarded by the container's lock.
 */
final class Rot {
  /** Good bytes that were found in the system's memory are kept up to this many. */
  private static final long MAX_RESCUED = 64L << 20;

  /** On a disk that is dying more are left for the rounds after these have been mended. */
  private static final int MAX_BLOCKS = 1 << 16;

  private final TreeMap<Long, BadBlock> blocks = new TreeMap<>();
  private final Map<Pointer, String> records = new LinkedHashMap<>();

  /** Blocks and records, by their places, that are bad on the medium and good in its cache. */
  private final Map<Long, byte[]> rescued = new HashMap<>();

  private long rescuedBytes;
  private @Nullable String anchor;
  private final Set<String> told = new HashSet<>();
  private List<String> found = new ArrayList<>();
  private List<String> healed = new ArrayList<>();
  private List<String> lost = new ArrayList<>();

  boolean isEmpty() {
    return blocks.isEmpty() && records.isEmpty() && anchor == null;
  }

  /**
   * A block was found to be bad.
   *
   * @param plain its bytes, if they were found in the cache
   * @return whether that is new
   */
  boolean add(BadBlock bad, byte @Nullable [] plain) {
    if (blocks.size() >= MAX_BLOCKS && !blocks.containsKey(bad.place())) {
      return false;
    }
    rescue(bad.place(), plain);
    return blocks.put(bad.place(), bad) == null;
  }

  /** A commit came upon a bad block. */
  void addFound(BadBlock bad) {
    if (add(bad, null)) {
      found.add(bad.what());
    }
  }

  /** A map record or a catalog was found to be bad; see {@link #add(BadBlock, byte[])}. */
  boolean add(Pointer record, String what, byte @Nullable [] bytes) {
    rescue(record.offset(), bytes);
    return records.put(record, what) == null;
  }

  /** A superblock, or the root it leads to, was found to be bad. */
  boolean addAnchor(String what) {
    boolean first = anchor == null;
    anchor = what;
    return first;
  }

  private void rescue(long place, byte @Nullable [] bytes) {
    if (bytes != null && rescuedBytes + bytes.length <= MAX_RESCUED) {
      byte[] before = rescued.put(place, bytes);
      rescuedBytes += bytes.length - (before == null ? 0 : before.length);
    }
  }

  byte @Nullable [] rescued(long place) {
    return rescued.get(place);
  }

  /** The places of bad blocks, for a commit: as they are now. */
  Set<Long> places() {
    return Set.copyOf(blocks.keySet());
  }

  Collection<BadBlock> blocks() {
    return List.copyOf(blocks.values());
  }

  Map<Pointer, String> records() {
    return Map.copyOf(records);
  }

  @Nullable String anchor() {
    return anchor;
  }

  /** Nobody refers to it any more. */
  void forget(BadBlock bad) {
    blocks.remove(bad.place());
    forget(bad.place());
    told.remove(bad.what());
  }

  void forget(Pointer record) {
    String what = records.remove(record);
    forget(record.offset());
    told.remove(what);
  }

  private void forget(long place) {
    byte[] bytes = rescued.remove(place);
    rescuedBytes -= bytes == null ? 0 : bytes.length;
  }

  void healed(BadBlock bad) {
    healed.add(bad.what());
    forget(bad);
  }

  void healed(Pointer record) {
    healed.add(String.valueOf(records.get(record)));
    forget(record);
  }

  void healedAnchor() {
    if (anchor != null) {
      healed.add(anchor);
      anchor = null;
    }
  }

  /**
   * Names what cannot be healed, once.
   *
   * @param consequence what is lost with it, which may become less as versions go
   */
  void lost(String what, String consequence) {
    if (told.add(what)) {
      lost.add(consequence + what);
    }
  }

  /** What became of bad places since this was asked last. */
  Mended take() {
    Mended mended = new Mended(found, healed, lost);
    found = new ArrayList<>();
    healed = new ArrayList<>();
    lost = new ArrayList<>();
    return mended;
  }
}
