// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
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
    long length = frame.info().storedLength();
    memory = space.atLeast(memory, length);
    MemorySegment bytes = memory.asSlice(0, length);
    segment.read(frame, bytes);
    frame.info().verify(bytes, segment.location(), frame.offset());
  }

  @Override
  public void close() {
    space.close();
  }
}
