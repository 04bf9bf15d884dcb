// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.cairn.CorruptContainerException;
import org.cairn.frame.FrameDecoder;
import org.cairn.supply.Workspace;
import org.jspecify.annotations.Nullable;

/**
 * Takes blocks out of frames. The frame that was asked for last stays open: who asks for blocks in
 * the order of their addresses has each frame decoded once. For one thread.
 */
final class FramedBlocks implements AutoCloseable {
  private final Workspace space = new Workspace();
  private final FrameDecoder decoder = new FrameDecoder();
  private MemorySegment stored = MemorySegment.NULL;
  private MemorySegment block = MemorySegment.NULL;
  private @Nullable SegmentReader segment;
  private SegmentFrames.@Nullable Frame frame;

  /** Why the frame cannot be opened; null if it could. */
  private @Nullable CorruptContainerException damage;

  /**
   * Reads a block, as far as the frame's checksum can tell as it was written.
   *
   * @return its bytes, valid until the next call; those to which nothing was done are not copied
   */
  MemorySegment read(SegmentReader from, BlockEntry entry) throws IOException {
    SegmentFrames.Frame wanted = from.frames().of(from.location(), entry);
    if (segment != from || frame != wanted) {
      open(from, wanted);
    }
    CorruptContainerException known = damage;
    if (known != null) {
      throw known; // rather than read and decode it again for each of its blocks
    }
    block = space.atLeast(block, entry.storedLength());
    return decoder.bytes(entry.offset() - wanted.address(), block.asSlice(0, entry.storedLength()));
  }

  private void open(SegmentReader from, SegmentFrames.Frame wanted) throws IOException {
    segment = null; // until it is open
    frame = null;
    damage = null;
    try {
      wanted.info().check(from.location(), wanted.offset());
      stored = space.atLeast(stored, wanted.info().storedLength());
      MemorySegment bytes = stored.asSlice(0, wanted.info().storedLength());
      from.read(wanted, bytes);
      decoder.open(bytes, wanted.info(), from.location(), wanted.offset());
    } catch (CorruptContainerException e) {
      damage = e;
    }
    segment = from;
    frame = wanted;
  }

  @Override
  public void close() {
    decoder.close();
    space.close();
  }
}
