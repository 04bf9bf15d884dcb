// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.cairn.pack.locate.ByteSource;
import org.cairn.tier.shared.SegmentBlocks;
import org.cairn.version.DatasetEntry;

/**
 * The bytes of a file in a pack, as if it lay on a disk: what is read is verified, and only frames
 * that have some of it are decoded. The last blocks are kept, for locators come back to where they
 * were. For one thread.
 */
final class MemberBytes implements ByteSource, AutoCloseable {
  /** 16 MiB of them. */
  private static final int MOST_BLOCKS = 256;

  private final Pack.Member member;
  private final SegmentBlocks blocks;

  /** Where each tile begins in the file, and in its stream. */
  private final long[] starts;

  private final long[] inStream;

  private final Map<Place, MemorySegment> kept =
      new LinkedHashMap<>(MOST_BLOCKS, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Place, MemorySegment> eldest) {
          return size() > MOST_BLOCKS;
        }
      };

  private record Place(int stream, int block) {}

  MemberBytes(Pack.Member member) {
    this.member = member;
    this.blocks = new SegmentBlocks();
    List<PackedFile.Tile> tiles = member.file().tiles();
    this.starts = new long[tiles.size()];
    this.inStream = new long[tiles.size()];
    long[] read = new long[member.streams().size() + 1];
    long offset = 0;
    for (int i = 0; i < starts.length; i++) {
      PackedFile.Tile tile = tiles.get(i);
      starts[i] = offset;
      inStream[i] = read[tile.stream()];
      read[tile.stream()] += tile.length();
      offset += tile.length();
    }
  }

  @Override
  public String name() {
    String name = member.file().name().toString();
    return name.substring(name.lastIndexOf('/') + 1);
  }

  @Override
  public long size() {
    return member.file().size();
  }

  @Override
  public void read(long offset, MemorySegment target) throws IOException {
    Objects.checkFromIndexSize(offset, target.byteSize(), size());
    int at = Arrays.binarySearch(starts, offset);
    int tile = at >= 0 ? at : -at - 2;
    for (long done = 0; done < target.byteSize(); tile++) {
      long inTile = offset + done - starts[tile];
      long some = Math.min(length(tile) - inTile, target.byteSize() - done);
      read(tile, inTile, target.asSlice(done, some));
      done += some;
    }
  }

  private long length(int tile) {
    return member.file().tiles().get(tile).length();
  }

  private void read(int tile, long inTile, MemorySegment target) throws IOException {
    int stream = member.file().tiles().get(tile).stream();
    if (stream == 0) {
      target.fill((byte) 0);
      return;
    }
    DatasetEntry entry = member.streams().get(stream - 1);
    int size = entry.spec().blockSize();
    long position = inStream[tile] + inTile;
    for (long done = 0; done < target.byteSize(); ) {
      MemorySegment block = block(stream - 1, entry, Math.toIntExact((position + done) / size));
      long inBlock = (position + done) % size;
      long some = Math.min(block.byteSize() - inBlock, target.byteSize() - done);
      MemorySegment.copy(block, inBlock, target, done, some);
      done += some;
    }
  }

  private MemorySegment block(int stream, DatasetEntry entry, int number) throws IOException {
    Place place = new Place(stream, number);
    MemorySegment known = kept.get(place);
    if (known == null) {
      known =
          MemorySegment.ofArray(
              blocks.read(member.source(), entry, number).toArray(ValueLayout.JAVA_BYTE));
      kept.put(place, known);
    }
    return known;
  }

  @Override
  public void close() {
    blocks.close();
  }
}
