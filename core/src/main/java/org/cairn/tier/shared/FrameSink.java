// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.cairn.frame.Effort;
import org.cairn.frame.FrameInfo;

/** Takes frames as they are stored, in the order of their addresses. */
interface FrameSink {
  /**
   * Takes the next frame.
   *
   * @param stored gone when it returns
   */
  void take(FrameInfo info, Effort effort, MemorySegment stored) throws IOException;
}
