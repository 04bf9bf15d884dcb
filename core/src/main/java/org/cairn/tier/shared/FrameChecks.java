// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.cairn.CorruptContainerException;

/**
 * Compares frames, as they are stored, with their checksums: each once, however many blocks and
 * ranks need it. Nothing is decoded. For one thread.
 */
final class FrameChecks implements AutoCloseable {
  private final StoredFrame stored = new StoredFrame();
  private final Map<Place, Optional<CorruptContainerException>> known = new HashMap<>();

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
      stored.verify(segment, frame);
      known.put(place, Optional.empty());
    } catch (CorruptContainerException e) {
      known.put(place, Optional.of(e));
      throw e;
    }
    return frame.info().storedLength();
  }

  @Override
  public void close() {
    stored.close();
  }
}
