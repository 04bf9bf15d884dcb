// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What one thread needs to change blocks of one size and see who notices. A batch is so many blocks
 * as fit a cache; all changes strike the same ones, as in algorithm 1.
 */
final class Sampler {
  private static final int BATCH_BYTES = 64 << 10;

  private static final ValueLayout.OfLong ELEMENT =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final StudyPlan plan;
  private final List<BlockDigests> sources;
  private final int block;
  private final int elements;
  private final long[] before;
  private final long[] after;
  private final MemorySegment bytes;
  private final long[][] digestsBefore;
  private final long[] digestsAfter;
  private final boolean[] changed;
  private final Tally tally;

  Sampler(StudyPlan plan, int block) {
    this.plan = plan;
    this.block = block;
    sources = plan.hashes().stream().map(StudiedHash::digests).distinct().toList();
    elements = block / Long.BYTES;
    int blocks = blocks(block);
    before = new long[blocks * elements];
    after = new long[blocks * elements];
    bytes = MemorySegment.ofArray(new byte[blocks * block]);
    digestsBefore = new long[sources.size()][2 * blocks];
    digestsAfter = new long[2 * blocks];
    changed = new boolean[blocks];
    tally = new Tally(plan.changes().size(), plan.hashes().size());
  }

  /** How many blocks of a size a batch has. */
  static int blocks(int block) {
    return Math.max(1, BATCH_BYTES / block);
  }

  Tally tally() {
    return tally;
  }

  /** Changes so many blocks, drawn from a seed, in every way. */
  void run(int blocks, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SplittableRandom fields = random.split();
    run(blocks, changes(Change.Xor.class), random, () -> integers(blocks, random));
    run(blocks, changes(Change.Move.class), fields, () -> field(blocks, fields));
  }

  private List<Change> changes(Class<? extends Change> kind) {
    return plan.changes().stream().filter(kind::isInstance).toList();
  }

  private void run(int blocks, List<Change> changes, SplittableRandom random, Runnable fill) {
    if (changes.isEmpty()) {
      return;
    }
    fill.run();
    load(before, blocks);
    for (int i = 0; i < sources.size(); i++) {
      sources.get(i).hash(bytes, 0, (long) blocks * block, block, digestsBefore[i]);
    }
    for (Change change : changes) {
      apply(change, blocks, random);
      load(after, blocks);
      compare(plan.changes().indexOf(change), blocks);
    }
  }

  private void integers(int blocks, SplittableRandom random) {
    for (int i = 0; i < blocks * elements; i++) {
      before[i] = random.nextLong();
    }
  }

  /** In each block a wave of another length, height and offset, as simulations are full of. */
  private void field(int blocks, SplittableRandom random) {
    for (int first = 0; first < blocks * elements; first += elements) {
      double angle = random.nextDouble(0.01, 0.5);
      double offset = random.nextDouble(-1, 1);
      double phase = random.nextDouble(2 * Math.PI);
      double x = Math.cos(phase);
      double y = Math.sin(phase);
      double turnX = Math.cos(angle);
      double turnY = Math.sin(angle);
      for (int i = first; i < first + elements; i++) {
        before[i] = Double.doubleToRawLongBits(offset + y);
        double turned = x * turnX - y * turnY;
        y = x * turnY + y * turnX;
        x = turned;
      }
    }
  }

  private void load(long[] values, int blocks) {
    MemorySegment.copy(values, 0, bytes, ELEMENT, 0, blocks * elements);
  }

  private void apply(Change change, int blocks, SplittableRandom random) {
    for (int i = 0; i < blocks; i++) {
      int from = i * elements;
      change.apply(before, after, from, elements, random);
      // Two equal elements that are swapped are no change that anybody could miss.
      changed[i] = !Arrays.equals(before, from, from + elements, after, from, from + elements);
    }
  }

  private void compare(int change, int blocks) {
    for (int i = 0; i < blocks; i++) {
      tally.changed(change, changed[i] ? 1 : 0);
    }
    for (int source = 0; source < sources.size(); source++) {
      sources.get(source).hash(bytes, 0, (long) blocks * block, block, digestsAfter);
      for (int hash : hashesOf(source)) {
        int missed = 0;
        for (int i = 0; i < blocks; i++) {
          missed +=
              changed[i] && plan.hashes().get(hash).equal(digestsBefore[source], digestsAfter, i)
                  ? 1
                  : 0;
        }
        tally.missed(change, hash, missed);
      }
    }
  }

  private List<Integer> hashesOf(int source) {
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < plan.hashes().size(); i++) {
      if (plan.hashes().get(i).digests() == sources.get(source)) {
        places.add(i);
      }
    }
    return places;
  }

  /** Counts by change, and by change and hash. */
  static final class Tally {
    private final long[] changed;
    private final long[][] missed;

    Tally(int changes, int hashes) {
      changed = new long[changes];
      missed = new long[changes][hashes];
    }

    private void changed(int change, int count) {
      changed[change] += count;
    }

    private void missed(int change, int hash, int count) {
      missed[change][hash] += count;
    }

    void add(Tally other) {
      for (int change = 0; change < changed.length; change++) {
        changed[change] += other.changed[change];
        for (int hash = 0; hash < missed[change].length; hash++) {
          missed[change][hash] += other.missed[change][hash];
        }
      }
    }

    Proportion of(int change, int hash) {
      return new Proportion(missed[change][hash], changed[change]);
    }
  }
}
