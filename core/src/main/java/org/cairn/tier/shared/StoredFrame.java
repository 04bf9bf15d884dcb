// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.cairn.frame.FrameDecoder;
import org.cairn.supply.Workspace;
import org.cairn.tier.shared.SegmentFrames;
import org.cairn.tier.shared.SegmentReader;

/** Memory for a frame as it is stored, used again for the next. */
final class StoredFrame implements AutoCloseable {
  private final Workspace space = new Workspace();
  private MemorySegment memory = MemorySegment.NULL;

  /**
   * Compares the checksum of a frame.
   *
   * @throws org.cairn.CorruptContainerException if it is not what was written
   */
  void verify(SegmentReader segment, SegmentFrames.Frame frame) throws IOException {
    frame.info().verify(read(segment, frame), segment.location(), frame.offset());
  }

  /**
   * Expands a frame, which is open until the next one is read.
   *
   * @throws org.cairn.CorruptContainerException if it is not what was written
   */
  void open(SegmentReader segment, SegmentFrames.Frame frame, FrameDecoder decoder)
      throws IOException {
    frame.info().check(segment.location(), frame.offset());
    decoder.open(read(segment, frame), frame.info(), segment.location(), frame.offset());
  }

  private MemorySegment read(SegmentReader segment, SegmentFrames.Frame frame) throws IOException {
    long length = frame.info().storedLength();
    memory = space.atLeast(memory, length);
    MemorySegment bytes = memory.asSlice(0, length);
    segment.read(frame, bytes);
    return bytes;
  }

  @Override
  public void close() {
    space.close();
  }
}
