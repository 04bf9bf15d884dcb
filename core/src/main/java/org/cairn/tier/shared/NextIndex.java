// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.cairn.container.VersionView;
import org.cairn.record.Digest;
import org.cairn.record.RecordWriter;
import org.cairn.record.SealedRecord;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionHead;
import org.cairn.version.VersionInfo;

/**
 * Makes the index that a flush writes: of what changed, if the indices before it are worth to be
 * kept for that, else of all blocks.
 */
final class NextIndex {
  private static final int DIGEST_BYTES = Digest.BYTES;

  /** A block that changed takes more than one in a long run. */
  private static final int DEARER = 3;

  private final int rank;
  private final Flushed before;
  private final IndexMemory now;
  private final Changes changes;
  private final boolean whole;
  private final int number;
  private final Chain kept;

  /**
   * Decides what is to be written.
   *
   * @param before what was flushed before
   * @param mine the blocks that lie elsewhere since
   * @param now where all lie
   * @param linkable whether the indices of before can be read
   */
  NextIndex(int rank, Flushed before, Changes mine, IndexMemory now, boolean linkable) {
    this.rank = rank;
    this.before = before;
    this.now = now;
    Chain chain = before.chain();
    Changes all = chain.merged().union(mine);
    Chain below = chain.kept();
    this.whole =
        !linkable
            || chain.isEmpty()
            || chain.next() >= Link.MOST_NUMBER
            || all.count() * DEARER > now.storedBlocks()
            || keptInVain(below) > now.storedBlocks() * DIGEST_BYTES;
    this.number = whole ? 0 : chain.next();
    this.changes = whole ? Changes.NONE : all;
    this.kept = whole ? Chain.NONE : below;
  }

  /**
   * How many bytes of blocks lie in segments that would stay for their indices alone. A state of
   * which much changes would keep many times its size.
   */
  private long keptInVain(Chain chain) {
    Map<String, Long> live = now.live();
    long bytes = 0;
    for (Chain.Step step : chain.steps()) {
      bytes += live.containsKey(step.segment()) ? 0 : step.written();
    }
    return bytes;
  }

  /** The index, of the version that is seen. */
  MemberIndex build(VersionView view, Verification verification) {
    MemberIndex.Builder builder = new MemberIndex.Builder(rank);
    int[] numbers = new int[now.segmentNumbers()];
    Arrays.fill(numbers, -1);
    for (DatasetEntry dataset : view.datasets()) {
      BlockSet told =
          whole
              ? BlockSet.range(0, dataset.blocks())
              : changes.of(dataset.name()).below(dataset.blocks());
      int at = 0;
      for (int i = 0; i < told.ranges(); i++) {
        addUnchanged(told.first(i) - at, builder);
        add(dataset, told.first(i), told.end(i), numbers, builder);
        at = told.end(i);
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
          whole ? null : kept.link(number));
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

  /** The segments that the version needs of this rank, and how many bytes there. */
  List<Reference> references(String own) throws IOException {
    Map<String, Long> needed = new TreeMap<>(now.live());
    kept.steps().forEach(step -> needed.merge(step.segment(), step.bytes(), Long::sum));
    List<Reference> all = new ArrayList<>();
    for (Map.Entry<String, Long> one : needed.entrySet()) {
      Reference known = before.references().get(one.getKey());
      if (known != null) {
        all.add(new Reference(known.segment(), known.size(), one.getValue(), known.footer()));
      } else if (one.getKey().equals(own)) {
        all.add(new Reference(own, 0, one.getValue(), Digest.NONE));
      } else {
        throw new IOException("nothing refers to " + one.getKey());
      }
    }
    return all;
  }

  /** The chain that ends with the index that was made. */
  Chain chain(MemberIndex index, String own, long written) throws IOException {
    try (RecordWriter out = new RecordWriter()) {
      index.write(out);
      Digest checksum = SealedRecord.checksumOf(out.bytes());
      return kept.plus(new Chain.Step(number, own, checksum, out.position(), written, changes));
    }
  }
}
