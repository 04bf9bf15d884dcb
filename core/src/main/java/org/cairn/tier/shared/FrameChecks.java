// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.cairn.CorruptContainerException;
import org.cairn.supply.Workspace;

/**
 * Compares frames, as they are stored, with their checksums: each once, however many blocks and
 * ranks need it. Nothing is decoded. For one thread.
 */
final class FrameChecks implements AutoCloseable {
  private final Workspace space = new Workspace();
  private final Map<Place, Optional<CorruptContainerException>> known = new HashMap<>();
  private MemorySegment memory = MemorySegment.NULL;

  /** A frame, by where it lies. */
  private record Place(String segment, long address) {}

  /**
   * Looks at the frame that a block lies in.
   *
   * @return how many bytes were read for it; none if it was looked at before
   * @throws CorruptContainerException if it is not what was written
   */
  long verify(SegmentReader segment, BlockEntry entry) throws IOException {
    SegmentFrames.Frame frame = segment.frames().of(segment.location(), entry);
    Place place = new Place(segment.name(), frame.address());
    Optional<CorruptContainerException> before = known.get(place);
    if (before != null) {
      if (before.isPresent()) {
        throw before.get();
      }
      return 0;
    }
    try {
      verify(segment, frame);
      known.put(place, Optional.empty());
    } catch (CorruptContainerException e) {
      known.put(place, Optional.of(e));
      throw e;
    }
    return frame.info().storedLength();
  }

  private void verify(SegmentReader segment, SegmentFrames.Frame frame) throws IOException {
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
