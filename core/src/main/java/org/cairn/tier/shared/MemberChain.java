// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.CorruptContainerException;
import org.cairn.record.Digest;
import org.cairn.version.DatasetEntry;
import org.cairn.version.RootDigest;
import org.cairn.version.VersionHead;

/**
 * Reads what a rank has in a version, through the indices that its own is a change to, down to a
 * whole one. What comes out has the root digest that was told, or is refused.
 *
 * <p>Blocks that an index leaves to an older one are found there by dataset and number: datasets
 * may have come, gone or grown since.
 */
final class MemberChain {
  private final OpenSegments segments;
  private final int rank;

  /** From the newest on. */
  private final List<Found> found = new ArrayList<>();

  /** One index of the chain. */
  private record Found(SegmentReader segment, MemberIndex index, VersionHead head) {
    CorruptContainerException corrupt(String what) {
      return new CorruptContainerException(
          segment.location(), -1, "the index of rank %d: %s".formatted(index.rank(), what));
    }
  }

  /**
   * What was read.
   *
   * @param state with an index that says all
   * @param chain the indices that it was made of
   */
  record Resolved(MemberState state, Chain chain) {}

  private MemberChain(OpenSegments segments, int rank) {
    this.segments = segments;
    this.rank = rank;
  }

  /**
   * Reads all about a rank.
   *
   * @param segments those that the version refers to
   * @param name the one with the rank's own index
   * @param root the root digest that its state must have
   * @throws CorruptContainerException that names the file which is damaged
   */
  static Resolved read(OpenSegments segments, String name, int rank, Digest root)
      throws IOException {
    MemberChain chain = new MemberChain(segments, rank);
    chain.collect(name);
    MemberState state = chain.resolve();
    if (!RootDigest.holds(state::addTo, root) || !state.index().root().equals(root)) {
      throw chain
          .found
          .getFirst()
          .corrupt(
              "expected blocks with root digest %s, found %s".formatted(root, state.computeRoot()));
    }
    return new Resolved(state, chain.toChain());
  }

  private void collect(String name) throws IOException {
    SegmentReader segment = segments.open(name);
    MemberIndex index = segment.member(rank);
    add(segment, index);
    Optional<Link> next = index.link();
    while (next.isPresent()) {
      if (found.size() > Link.MOST_LINKS) {
        throw found.getLast().corrupt("more than %d links".formatted(Link.MOST_LINKS));
      }
      next = follow(next.get()).link();
    }
  }

  private MemberIndex follow(Link link) throws IOException {
    Found newer = found.getLast();
    SegmentReader segment = segments.open(link.segment());
    if (!segment.ranks().contains(rank)) {
      throw newer.corrupt("a link to %s, which has none".formatted(segment.name()));
    }
    MemberIndex index = segment.member(rank, link.checksum());
    // So no chain comes back to where it was.
    if (index.number() >= link.number()) {
      throw newer.corrupt(
          "number %d, and a link to number %d in %s"
              .formatted(link.number(), index.number(), segment.name()));
    }
    add(segment, index);
    return index;
  }

  private void add(SegmentReader segment, MemberIndex index) throws IOException {
    VersionHead head = MemberState.head(segment, index);
    found.add(new Found(segment, index, head));
  }

  // ---------------------------------------------------------------- putting them together

  private MemberState resolve() throws IOException {
    Found whole = found.getLast();
    MemberState state = new MemberState(whole.head, whole.index);
    for (Found newer : found.subList(0, found.size() - 1).reversed()) {
      state = new Merge(state, newer).merge();
    }
    return state;
  }

  /** Puts what an index tells of into the place of what the older one says. */
  private static final class Merge {
    private final MemberState older;
    private final Found newer;
    private final MemberIndex.Builder all;
    private final Map<String, Older> before = new HashMap<>();

    /** A dataset of the older version. */
    private record Older(DatasetEntry dataset, int firstBlock) {}

    Merge(MemberState older, Found newer) {
      this.older = older;
      this.newer = newer;
      this.all = new MemberIndex.Builder(newer.index.rank());
      int first = 0;
      for (DatasetEntry dataset : older.head().datasets()) {
        before.put(dataset.name(), new Older(dataset, first));
        first += dataset.blocks();
      }
    }

    MemberState merge() throws IOException {
      int number = 0;
      RunCursor mine = new RunCursor(newer.index);
      for (DatasetEntry dataset : newer.head.datasets()) {
        int block = 0;
        while (block < dataset.blocks()) {
          int some = Math.min(mine.sameFrom(number), dataset.blocks() - block);
          if (mine.run().isUnchanged()) {
            copyOlder(dataset, block, some);
          } else {
            copy(newer.index, mine.run(), mine.inRun(number), some);
          }
          block += some;
          number += some;
        }
      }
      MemberIndex index = newer.index;
      return new MemberState(
          newer.head,
          all.build(
              index.catalog(), index.root(), index.takenAt(), index.verification().orElse(null)));
    }

    private void copyOlder(DatasetEntry dataset, int first, int count) throws IOException {
      Older old = before.get(dataset.name());
      if (old == null || !has(old.dataset, dataset, first + count - 1)) {
        throw newer.corrupt(
            "leaves block %d of \"%s\" to an older index, which does not have it"
                .formatted(first + count - 1, dataset.name()));
      }
      RunCursor theirs = new RunCursor(older.index());
      int number = old.firstBlock + first;
      int end = number + count;
      while (number < end) {
        int some = Math.min(theirs.sameFrom(number), end - number);
        copy(older.index(), theirs.run(), theirs.inRun(number), some);
        number += some;
      }
    }

    private static boolean has(DatasetEntry old, DatasetEntry dataset, int block) {
      return old.spec().blockSize() == dataset.spec().blockSize()
          && old.spec().algorithm() == dataset.spec().algorithm()
          && block < old.blocks()
          && old.blockLength(block) == dataset.blockLength(block);
    }

    private void copy(MemberIndex from, Run run, int first, int count) {
      if (run.isZeros()) {
        all.addZeros(count, run.blockLength());
        return;
      }
      int segment = all.segment(from.segments().get(run.segment()));
      for (int i = first; i < first + count; i++) {
        all.add(
            segment,
            run.offset() + run.start(i),
            (int) (run.start(i + 1) - run.start(i)),
            run.codec(),
            run.blockLength(),
            run.digests()[2 * i],
            run.digests()[2 * i + 1]);
      }
    }
  }

  // ---------------------------------------------------------------- what it was made of

  /** What the next index can be tied to; nothing, where indices lie beside blocks of versions. */
  private Chain toChain() {
    List<Found> links = found.subList(1, found.size()).reversed();
    boolean apart = links.stream().allMatch(one -> one.segment.identity().ofIndices());
    if (links.isEmpty() || !apart) {
      return Chain.NONE;
    }
    List<Chain.Step> steps = links.stream().map(this::step).toList();
    Found own = found.getFirst();
    return new Chain(steps, own.index.number(), changes(own));
  }

  private Chain.Step step(Found one) {
    Member member = one.segment.memberInfo(rank);
    return new Chain.Step(
        one.index.number(), one.segment.name(), member.checksum(), member.length(), changes(one));
  }

  /** The blocks that an index of changes tells of. */
  private static Changes changes(Found one) {
    Changes.Builder changes = new Changes.Builder();
    if (one.index.number() == 0) {
      return Changes.NONE;
    }
    RunCursor runs = new RunCursor(one.index);
    int number = 0;
    for (DatasetEntry dataset : one.head.datasets()) {
      int block = 0;
      while (block < dataset.blocks()) {
        int some = Math.min(runs.sameFrom(number), dataset.blocks() - block);
        if (!runs.run().isUnchanged()) {
          changes.add(dataset.name(), block, block + some);
        }
        block += some;
        number += some;
      }
    }
    return changes.build();
  }
}
