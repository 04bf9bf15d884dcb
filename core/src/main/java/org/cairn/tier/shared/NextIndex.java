// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.cairn.container.VersionView;
import org.cairn.record.Digest;
import org.cairn.record.RecordWriter;
import org.cairn.record.SealedRecord;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionHead;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Makes the index that a flush writes beside its blocks, and now and then one that lies {@link
 * Chain apart}, for others to link to.
 */
final class NextIndex {
  /** A block that changed takes more than one in a long run. */
  private static final int DEARER = 3;

  private final int rank;
  private final Flushed before;
  private final IndexMemory now;
  private final SharedNames.Segment own;

  /** What is written apart; null if nothing is. */
  private final @Nullable Apart apart;

  /** The blocks that the version's own index tells of; null for all. */
  private final @Nullable Changes told;

  /** What that index is tied to, but for what is written apart just now. */
  private final Chain linked;

  /**
   * An index for others to link to.
   *
   * @param told the blocks that it tells of; null for all
   */
  private record Apart(int number, @Nullable Changes told) {}

  /**
   * What was made.
   *
   * @param index for the segment of the version
   * @param apart for the file that holds indices alone
   * @param references the segments that the version needs of this rank, and how many bytes there
   * @param chain what the next index can be tied to
   */
  record Made(
      MemberIndex index, Optional<MemberIndex> apart, List<Reference> references, Chain chain) {}

  /**
   * Decides what is to be written.
   *
   * @param own the segment of the version
   * @param before what was flushed before
   * @param mine the blocks that lie elsewhere since
   * @param now where all lie
   * @param linkable whether the indices of before can be read
   */
  NextIndex(
      int rank,
      SharedNames.Segment own,
      Flushed before,
      Changes mine,
      IndexMemory now,
      boolean linkable) {
    this.rank = rank;
    this.own = own;
    this.before = before;
    this.now = now;
    Chain chain = linkable ? before.chain() : Chain.NONE;
    Changes all = (chain.isDue() ? chain.merged() : chain.since()).union(mine);
    if (before.version().isPresent() && isMuch(mine)) {
      // The next will change as much: nobody would link to it.
      this.apart = null;
      this.told = null;
      this.linked = Chain.NONE;
    } else if (chain.isFull() || isMuch(all)) {
      this.apart = new Apart(0, null);
      this.told = Changes.NONE;
      this.linked = Chain.NONE;
    } else if (chain.isDue()) {
      this.apart = new Apart(chain.flushes(), all);
      this.told = Changes.NONE;
      this.linked = chain.kept();
    } else {
      this.apart = null;
      this.told = all;
      this.linked = chain;
    }
  }

  private boolean isMuch(Changes changes) {
    return changes.count() * DEARER > now.storedBlocks();
  }

  /** Makes what has to be written of the version that is seen. */
  Made make(VersionView view, Verification verification) throws IOException {
    Optional<MemberIndex> aside = Optional.empty();
    Chain chain = linked;
    Apart wanted = apart;
    if (wanted != null) {
      Link link = wanted.number == 0 ? null : linked.link(wanted.number);
      aside = Optional.of(index(view, wanted.told, null, link));
      chain = linked.plus(step(wanted, aside.get()));
    }
    Link link = null;
    if (told != null) {
      chain = chain.flushed(told);
      link = chain.link(Math.min(chain.flushes(), Link.MOST_NUMBER - 1));
    }
    return new Made(index(view, told, verification, link), aside, references(chain), chain);
  }

  private Chain.Step step(Apart wanted, MemberIndex index) throws IOException {
    Changes changes = wanted.told == null ? Changes.NONE : wanted.told;
    try (RecordWriter out = new RecordWriter()) {
      index.write(out);
      Digest checksum = SealedRecord.checksumOf(out.bytes());
      return new Chain.Step(
          wanted.number, own.forIndices().name(), checksum, out.position(), changes);
    }
  }

  /** An index of some blocks, or of all. */
  private MemberIndex index(
      VersionView view,
      @Nullable Changes some,
      @Nullable Verification verification,
      @Nullable Link link) {
    MemberIndex.Builder builder = new MemberIndex.Builder(rank);
    int[] numbers = new int[now.segmentNumbers()];
    Arrays.fill(numbers, -1);
    for (DatasetEntry dataset : view.datasets()) {
      BlockSet blocks =
          some == null
              ? BlockSet.range(0, dataset.blocks())
              : some.of(dataset.name()).below(dataset.blocks());
      int at = 0;
      for (int i = 0; i < blocks.ranges(); i++) {
        addUnchanged(blocks.first(i) - at, builder);
        add(dataset, blocks.first(i), blocks.end(i), numbers, builder);
        at = blocks.end(i);
      }
      addUnchanged(dataset.blocks() - at, builder);
    }
    VersionInfo info = view.info();
    try (Arena arena = Supply.confinedArena()) {
      return builder.build(
          VersionHead.write(view, arena).toArray(ValueLayout.JAVA_BYTE),
          new Digest(info.digestLow(), info.digestHigh()),
          info.takenAt(),
          verification,
          link);
    }
  }

  private static void addUnchanged(int count, MemberIndex.Builder builder) {
    if (count > 0) {
      builder.addUnchanged(count);
    }
  }

  private void add(
      DatasetEntry dataset, int first, int end, int[] numbers, MemberIndex.Builder builder) {
    BlockPlaces places = now.places(dataset);
    int block = first;
    while (block < end) {
      int zeros = Math.min(places.zerosFrom(block), end - block);
      if (zeros > 0) {
        addZeros(dataset, block, zeros, builder);
        block += zeros;
        continue;
      }
      int segment = places.segment(block);
      if (numbers[segment] < 0) {
        numbers[segment] = builder.segment(now.segment(segment));
      }
      builder.add(
          numbers[segment],
          places.offset(block),
          places.storedLength(block),
          places.codec(block),
          dataset.blockLength(block),
          places.low(block),
          places.high(block));
      block++;
    }
  }

  /** Only the last block of a dataset may be short. */
  private static void addZeros(
      DatasetEntry dataset, int first, int count, MemberIndex.Builder builder) {
    int last = first + count - 1;
    if (dataset.blockLength(last) == dataset.blockLength(first)) {
      builder.addZeros(count, dataset.blockLength(first));
    } else {
      builder.addZeros(count - 1, dataset.blockLength(first));
      builder.addZeros(1, dataset.blockLength(last));
    }
  }

  private List<Reference> references(Chain chain) throws IOException {
    Map<String, Long> needed = new TreeMap<>(now.live());
    chain.steps().forEach(step -> needed.merge(step.segment(), step.bytes(), Long::sum));
    List<Reference> all = new ArrayList<>();
    for (Map.Entry<String, Long> one : needed.entrySet()) {
      Reference known = before.references().get(one.getKey());
      if (known != null) {
        all.add(known.needing(one.getValue()));
      } else if (isOfThisFlush(one.getKey())) {
        all.add(new Reference(one.getKey(), 0, one.getValue(), Digest.NONE));
      } else {
        throw new IOException("nothing refers to " + one.getKey());
      }
    }
    return all;
  }

  private boolean isOfThisFlush(String name) {
    return name.equals(own.name()) || name.equals(own.forIndices().name());
  }
}
