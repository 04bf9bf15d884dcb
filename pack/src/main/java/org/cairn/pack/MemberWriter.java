// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.Label;
import org.cairn.frame.FrameOrder;
import org.cairn.hash.BlockHasher;
import org.cairn.record.Digest;
import org.cairn.record.Field;
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
  private final Label label;
  private final List<Blocks> streams = new ArrayList<>();

  /** The segments that blocks lie in, and how many bytes are stored there for them. */
  private final Map<String, Double> stored = new LinkedHashMap<>();

  private final String own;

  /** What is known of the blocks of one stream. */
  private record Blocks(DatasetEntry entry, long[] digests, long[] addresses, String[] elsewhere) {}

  /**
   * A file that is packed.
   *
   * @param own the name of the segment that is being written
   */
  MemberWriter(SourceFile file, VersionId version, Label label, String own) {
    this.file = file;
    this.version = version;
    this.label = label;
    this.own = own;
    stored.put(own, 0.0);
    int slot = 0;
    for (Stream stream : file.streams()) {
      DatasetEntry entry = stream.entry(slot);
      slot += entry.blocks();
      streams.add(
          new Blocks(
              entry,
              new long[2 * entry.blocks()],
              new long[entry.blocks()],
              new String[entry.blocks()]));
    }
  }

  /** Hashes a part of a stream. */
  void hash(FrameOrder.Part part, MemorySegment bytes, BlockHasher hasher) {
    Blocks blocks = streams.get(part.variable());
    int first = Math.toIntExact(part.from() / Stream.BLOCK);
    hasher.hash(bytes, 0, part.length(), Stream.BLOCK, blocks.digests, first);
    for (long at = 0; at < part.length(); at += Stream.BLOCK) {
      int block = first + (int) (at / Stream.BLOCK);
      boolean zero = Zeros.isZero(bytes, at, blocks.entry.blockLength(block));
      blocks.addresses[block] = zero ? ZERO : 0;
    }
  }

  boolean isZero(int stream, int block) {
    return streams.get(stream).addresses[block] == ZERO;
  }

  long low(int stream, int block) {
    return streams.get(stream).digests[2 * block];
  }

  long high(int stream, int block) {
    return streams.get(stream).digests[2 * block + 1];
  }

  int blockLength(int stream, int block) {
    return streams.get(stream).entry.blockLength(block);
  }

  /** Says where a block is in the frames of the segment that is being written. */
  void put(int stream, int block, long address) {
    streams.get(stream).addresses[block] = address;
  }

  /**
   * Says that a block lies in an older segment.
   *
   * @param bytes how many are stored there for it
   */
  void put(int stream, int block, String segment, long address, double bytes) {
    streams.get(stream).addresses[block] = address;
    streams.get(stream).elsewhere[block] = segment;
    stored.merge(segment, bytes, Double::sum);
  }

  void addStored(double bytes) {
    stored.merge(own, bytes, Double::sum);
  }

  /** How many bytes of which segment are for this file. */
  Map<String, Long> stored() {
    Map<String, Long> all = new LinkedHashMap<>();
    stored.forEach((segment, bytes) -> all.put(segment, Math.round(bytes)));
    return all;
  }

  /** The index of the file. */
  MemberIndex index(int number, Instant now) {
    MemberIndex.Builder index = new MemberIndex.Builder(number);
    stored.keySet().forEach(index::segment);
    RootDigest root = new RootDigest();
    long count = 0;
    for (Blocks blocks : streams) {
      root.add(blocks.entry.spec());
      RootDigest.Key key = root.key(blocks.entry.spec());
      for (int block = 0; block < blocks.entry.blocks(); block++) {
        add(index, root, key, blocks, block);
      }
      count += blocks.entry.blocks();
    }
    Digest digest = new Digest(root.low(), root.high());
    return index.build(head(count, root, now), digest, now);
  }

  private void add(
      MemberIndex.Builder index, RootDigest root, RootDigest.Key key, Blocks blocks, int block) {
    int length = blocks.entry.blockLength(block);
    if (blocks.addresses[block] == ZERO) {
      index.addZeros(1, length);
      root.addZeros(key, block, 1);
    } else {
      long low = blocks.digests[2 * block];
      long high = blocks.digests[2 * block + 1];
      String elsewhere = blocks.elsewhere[block];
      int segment = index.segment(elsewhere == null ? own : elsewhere);
      index.addFramed(segment, blocks.addresses[block], length, low, high);
      root.add(key, block, low, high);
    }
  }

  private byte[] head(long blocks, RootDigest root, Instant now) {
    List<Field> fields = new ArrayList<>(label.toFields());
    fields.add(file.toPacked().toField());
    VersionInfo info =
        new VersionInfo(
            version,
            0,
            now,
            streams.stream().mapToLong(one -> one.entry.spec().byteLength()).sum(),
            blocks,
            blocks,
            stored().values().stream().mapToLong(bytes -> bytes).sum(),
            root.low(),
            root.high(),
            fields);
    RecordWriter out = RecordWriter.onHeap();
    VersionHead.write(info, streams.stream().map(Blocks::entry).toList(), out);
    return out.toArray();
  }
}
