// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.record.CorruptContainerException;

/**
 * What one rank has in a version: its catalog, and for every block where it lies.
 *
 * <p>Kept in runs, in files and in memory: blocks that lie side by side share all but their
 * digests, and blocks of zeros share everything. An index takes some 16 bytes a block. Immutable.
 */
public final class MemberIndex {

  private final int rank;
  private final List<String> segments;
  private final byte[] catalog;
  private final List<Run> runs;
  private final int[] firstBlocks;
  private final int blocks;

  private MemberIndex(int rank, List<String> segments, byte[] catalog, List<Run> runs, int blocks) {
    this.rank = rank;
    this.segments = List.copyOf(segments);
    this.catalog = catalog;
    this.runs = runs;
    this.firstBlocks = new int[runs.size()];
    for (int i = 1; i < firstBlocks.length; i++) {
      firstBlocks[i] = firstBlocks[i - 1] + runs.get(i - 1).count();
    }
    this.blocks = blocks;
  }

  /** The rank whose blocks these are. */
  public int rank() {
    return rank;
  }

  /** The names of the segments that entries refer to. */
  public List<String> segments() {
    return segments;
  }

  /** What the caller gave as catalog. */
  public byte[] catalog() {
    return catalog.clone();
  }

  /** How many blocks there are. */
  public int blocks() {
    return blocks;
  }

  /** Where a block lies, by its place in the order in which blocks were added. */
  public BlockEntry entry(int block) {
    if (block < 0 || block >= blocks) {
      throw new IndexOutOfBoundsException("block " + block + " of " + blocks);
    }
    int at = Arrays.binarySearch(firstBlocks, block);
    int run = at >= 0 ? at : -at - 2;
    return runs.get(run).entry(block - firstBlocks[run]);
  }

  /** The bytes of blocks in each of the segments, by their names. */
  public Map<String, Long> liveBytes() {
    Map<String, Long> live = new LinkedHashMap<>();
    segments.forEach(segment -> live.put(segment, 0L));
    for (Run run : runs) {
      if (run.segment() >= 0) {
        live.merge(segments.get(run.segment()), run.storedBytes(), Long::sum);
      }
    }
    return live;
  }

  void write(RecordOutput out) {
    out.u32(SegmentFormat.INDEX_TAG).u32(rank).u32(segments.size());
    segments.forEach(out::text);
    out.u32(catalog.length).raw(catalog).u32(blocks).u32(runs.size());
    runs.forEach(run -> run.write(out));
    out.checksum();
  }

  static MemberIndex read(RecordInput in) throws CorruptContainerException {
    in.expectTag(SegmentFormat.INDEX_TAG, "a member index");
    int rank = in.notNegative("rank");
    List<String> segments = new ArrayList<>();
    for (int i = in.count(5); i > 0; i--) {
      segments.add(in.name());
    }
    byte[] catalog = in.raw(in.count(1));
    int blocks = in.notNegative("blocks");
    List<Run> runs = new ArrayList<>();
    long found = 0;
    for (int i = in.count(Run.MIN_BYTES); i > 0; i--) {
      Run run = Run.read(in, segments.size());
      runs.add(run);
      found += run.count();
    }
    if (found != blocks) {
      throw in.corrupt("expected %d blocks in a member index, found %d".formatted(blocks, found));
    }
    in.expectEnd();
    return new MemberIndex(rank, segments, catalog, runs, blocks);
  }

  /** Collects the entries of one rank. Not for use by several threads. */
  public static final class Builder {
    private final int rank;
    private final Map<String, Integer> segments = new LinkedHashMap<>();
    private final List<Run> runs = new ArrayList<>();
    private final List<BlockEntry> pending = new ArrayList<>();
    private int blocks;

    /** An index of this rank without blocks. */
    public Builder(int rank) {
      this.rank = rank;
    }

    /** The number by which entries refer to a segment. */
    public int segment(String name) {
      return segments.computeIfAbsent(name, _ -> segments.size());
    }

    /**
     * Adds the next block.
     *
     * @throws IllegalArgumentException if its segment was not named before
     */
    public void add(BlockEntry entry) {
      if (entry.segment() >= segments.size()) {
        throw new IllegalArgumentException("segment " + entry.segment() + " of " + segments.size());
      }
      if (!pending.isEmpty() && !Run.continues(pending.getLast(), entry)) {
        endRun();
      }
      pending.add(entry);
      blocks = Math.addExact(blocks, 1);
    }

    private void endRun() {
      if (!pending.isEmpty()) {
        runs.add(Run.of(pending));
        pending.clear();
      }
    }

    /** The index of all blocks added so far. */
    public MemberIndex build(byte[] catalog) {
      endRun();
      List<String> names = List.copyOf(segments.keySet());
      return new MemberIndex(rank, names, catalog.clone(), List.copyOf(runs), blocks);
    }
  }
}
