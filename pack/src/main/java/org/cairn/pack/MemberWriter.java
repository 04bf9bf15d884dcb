// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.cairn.frame.FrameOrder;
import org.cairn.hash.BlockHasher;
import org.cairn.record.Digest;
import org.cairn.record.RecordWriter;
import org.cairn.tier.shared.MemberIndex;
import org.cairn.version.DatasetEntry;
import org.cairn.version.RootDigest;
import org.cairn.version.VersionHead;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.version.Zeros;

/** Notes for each block of a file where it lies and what it is, and makes an index of that. */
final class MemberWriter {
  private static final long ZERO = -1;

  private final SourceFile file;
  private final VersionId version;
  private final List<Blocks> streams = new ArrayList<>();
  private double stored;

  /** What is known of the blocks of one stream. */
  private record Blocks(DatasetEntry entry, long[] digests, long[] addresses) {}

  MemberWriter(SourceFile file, VersionId version) {
    this.file = file;
    this.version = version;
    int slot = 0;
    for (Stream stream : file.streams()) {
      DatasetEntry entry = stream.entry(slot);
      slot += entry.blocks();
      streams.add(new Blocks(entry, new long[2 * entry.blocks()], new long[entry.blocks()]));
    }
  }

  /**
   * Hashes a part of a stream.
   *
   * @param address that of its first byte in the frames
   */
  void hash(FrameOrder.Part part, MemorySegment bytes, long address, BlockHasher hasher) {
    Blocks blocks = streams.get(part.variable());
    int first = Math.toIntExact(part.from() / Stream.BLOCK);
    hasher.hash(bytes, 0, part.length(), Stream.BLOCK, blocks.digests, first);
    for (long at = 0; at < part.length(); at += Stream.BLOCK) {
      int block = first + (int) (at / Stream.BLOCK);
      boolean zero = Zeros.isZero(bytes, at, blocks.entry.blockLength(block));
      blocks.addresses[block] = zero ? ZERO : address + at;
    }
  }

  void addStored(double bytes) {
    stored += bytes;
  }

  /** How many bytes of the pack are for this file. */
  long stored() {
    return Math.round(stored);
  }

  /** The index of the file. */
  MemberIndex index(int number, String segment, Instant now) {
    MemberIndex.Builder index = new MemberIndex.Builder(number);
    int own = index.segment(segment);
    RootDigest root = new RootDigest();
    long count = 0;
    for (Blocks blocks : streams) {
      root.add(blocks.entry.spec());
      RootDigest.Key key = root.key(blocks.entry.spec());
      for (int block = 0; block < blocks.entry.blocks(); block++) {
        add(index, own, root, key, blocks, block);
      }
      count += blocks.entry.blocks();
    }
    Digest digest = new Digest(root.low(), root.high());
    return index.build(head(count, root, now), digest, now);
  }

  private static void add(
      MemberIndex.Builder index,
      int segment,
      RootDigest root,
      RootDigest.Key key,
      Blocks blocks,
      int block) {
    int length = blocks.entry.blockLength(block);
    if (blocks.addresses[block] == ZERO) {
      index.addZeros(1, length);
      root.addZeros(key, block, 1);
    } else {
      long low = blocks.digests[2 * block];
      long high = blocks.digests[2 * block + 1];
      index.addFramed(segment, blocks.addresses[block], length, low, high);
      root.add(key, block, low, high);
    }
  }

  private byte[] head(long blocks, RootDigest root, Instant now) {
    VersionInfo info =
        new VersionInfo(
            version,
            0,
            now,
            streams.stream().mapToLong(one -> one.entry.spec().byteLength()).sum(),
            blocks,
            blocks,
            stored(),
            root.low(),
            root.high(),
            List.of(file.toPacked().toField()));
    RecordWriter out = RecordWriter.onHeap();
    VersionHead.write(info, streams.stream().map(Blocks::entry).toList(), out);
    return out.toArray();
  }
}
