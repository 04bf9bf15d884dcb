// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.HashAlgorithm;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.container.BlockScan;
import org.cairn.container.VersionView;
import org.cairn.hash.BlockHasher;
import org.cairn.hash.Hashers;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;

/**
 * Compares two versions, of one container or of two.
 *
 * <p>Where both have a dataset in blocks of one size with digests of one strong algorithm, the maps
 * tell everything and no block is read. Otherwise both are read, and compared in the largest blocks
 * that both are made of, with digests that are computed for the purpose.
 */
final class VersionDifference {
  private static final HashAlgorithm COMMON = HashAlgorithm.XXH3_128;

  private final VersionView before;
  private final VersionView after;
  private final Workers workers;

  private VersionDifference(VersionView before, VersionView after, Workers workers) {
    this.before = before;
    this.after = after;
    this.workers = workers;
  }

  /** The datasets of the version after, then those that are gone. */
  static List<DatasetDifference> of(VersionView before, VersionView after, Workers workers)
      throws IOException {
    return new VersionDifference(before, after, workers).compare();
  }

  private List<DatasetDifference> compare() throws IOException {
    List<DatasetDifference> differences = new ArrayList<>();
    for (DatasetEntry dataset : after.datasets()) {
      Optional<DatasetEntry> old = before.find(dataset.name());
      differences.add(old.isPresent() ? compare(old.get(), dataset) : added(dataset));
    }
    for (DatasetEntry dataset : before.datasets()) {
      if (after.find(dataset.name()).isEmpty()) {
        differences.add(removed(dataset));
      }
    }
    return differences;
  }

  private static DatasetDifference added(DatasetEntry dataset) {
    return new DatasetDifference(
        null, dataset.spec(), dataset.spec().blockSize(), dataset.blocks(), all(dataset));
  }

  private static DatasetDifference removed(DatasetEntry dataset) {
    return new DatasetDifference(
        dataset.spec(), null, dataset.spec().blockSize(), dataset.blocks(), all(dataset));
  }

  private static BlockRanges all(DatasetEntry dataset) {
    BlockRanges all = new BlockRanges();
    if (dataset.blocks() > 0) {
      all.add(0, dataset.blocks() - 1L);
    }
    return all;
  }

  private DatasetDifference compare(DatasetEntry old, DatasetEntry now) throws IOException {
    return mapsTell(old.spec(), now.spec()) ? compareMaps(old, now) : compareBytes(old, now);
  }

  private static boolean mapsTell(DatasetSpec old, DatasetSpec now) {
    return old.blockSize() == now.blockSize()
        && old.algorithm() == now.algorithm()
        && !old.algorithm().weak();
  }

  private DatasetDifference compareMaps(DatasetEntry old, DatasetEntry now) {
    int blocks = Math.max(old.blocks(), now.blocks());
    int common = Math.min(old.blocks(), now.blocks());
    BlockRanges changed = new BlockRanges();
    int block = 0;
    while (block < common) {
      // The last one may have another length.
      int alike = Math.min(zerosOfBoth(old, now, block), common - 1 - block);
      if (alike == 0 && !sameBlock(old, now, block)) {
        changed.add(block);
      }
      block += Math.max(1, alike);
    }
    if (blocks > common) {
      changed.add(common, blocks - 1L);
    }
    return new DatasetDifference(old.spec(), now.spec(), now.spec().blockSize(), blocks, changed);
  }

  private int zerosOfBoth(DatasetEntry old, DatasetEntry now, int block) {
    return Math.min(before.zerosFrom(old, block), after.zerosFrom(now, block));
  }

  private boolean sameBlock(DatasetEntry old, DatasetEntry now, int block) {
    return old.blockLength(block) == now.blockLength(block)
        && before.place(old, block).sameContent(after.place(now, block));
  }

  private DatasetDifference compareBytes(DatasetEntry old, DatasetEntry now) throws IOException {
    int unit = commonUnit(old.spec().blockSize(), now.spec().blockSize());
    long[] oldDigests = digests(before, old, unit);
    long[] nowDigests = digests(after, now, unit);
    int units = Math.max(oldDigests.length, nowDigests.length) / 2;
    BlockRanges changed = new BlockRanges();
    for (int i = 0; i < units; i++) {
      boolean same =
          2 * i < oldDigests.length
              && 2 * i < nowDigests.length
              && length(old.spec(), unit, i) == length(now.spec(), unit, i)
              && oldDigests[2 * i] == nowDigests[2 * i]
              && oldDigests[2 * i + 1] == nowDigests[2 * i + 1];
      if (!same) {
        changed.add(i);
      }
    }
    return new DatasetDifference(old.spec(), now.spec(), unit, units, changed);
  }

  private static int commonUnit(int a, int b) {
    return BigInteger.valueOf(a).gcd(BigInteger.valueOf(b)).intValue();
  }

  private static long length(DatasetSpec spec, int unit, int index) {
    return Math.min(unit, spec.byteLength() - (long) index * unit);
  }

  private long[] digests(VersionView view, DatasetEntry dataset, int unit) throws IOException {
    long units = BlockHasher.blocks(dataset.spec().byteLength(), unit);
    // What a file claims must not be what is allocated.
    if (2 * units > Math.min(Integer.MAX_VALUE - 8L, Runtime.getRuntime().maxMemory() / 64)) {
      throw new CommandFailedException(
          "\"%s\" is too large to be compared in blocks of %d bytes with this heap; give Java a larger one (-Xmx)"
              .formatted(dataset.name(), unit));
    }
    long[] digests = new long[(int) (2 * units)];
    int unitsPerBlock = dataset.spec().blockSize() / unit;
    BlockHasher hasher = Hashers.of(COMMON);
    List<VersionSource.Damage> damages =
        BlockScan.run(
            view,
            List.of(dataset),
            workers,
            (entry, block, bytes) ->
                hasher.hash(bytes, 0, bytes.byteSize(), unit, digests, block * unitsPerBlock),
            true,
            done -> {});
    if (!damages.isEmpty()) {
      throw new CommandFailedException(damages.getFirst().what());
    }
    return digests;
  }
}
