// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.cairn.CorruptContainerException;
import org.cairn.frame.FrameDecoder;
import org.cairn.supply.Workspace;

/** Memory for a frame as it is stored, used again for the next. */
public final class StoredFrame implements AutoCloseable {
  private final Workspace space = new Workspace();
  private MemorySegment memory = MemorySegment.NULL;

  /**
   * Compares the checksum of a frame.
   *
   * @throws CorruptContainerException if it is not what was written
   */
  public void verify(SegmentReader segment, SegmentFrames.Frame frame) throws IOException {
    frame.info().verify(read(segment, frame), segment.location(), frame.offset());
  }

  /**
   * Expands a frame, which is open until the next one is read.
   *
   * @throws CorruptContainerException if it is not what was written
   */
  public void open(SegmentReader segment, SegmentFrames.Frame frame, FrameDecoder decoder)
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
