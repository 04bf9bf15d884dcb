// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.time.Duration;
import java.util.List;
import org.cairn.container.Mended;

/** Is told what scrubbing finds. Called by the thread that scrubs, and by those that commit. */
public interface ScrubListener {
  /** A round over some files begins. */
  void began(List<String> files);

  /** Something is not on disk any more as it was written. */
  void found(String file, List<String> bad);

  /** A commit brought good bytes to new places, or could not. */
  void mended(String file, Mended mended);

  /** A round has ended. */
  void ended(Round round);

  /**
   * What a round did.
   *
   * @param bytes how many were read and verified
   * @param bad how many blocks and records were found that are not as they were written
   * @param cached the files that could only be read through the system's memory
   * @param given the files that could not be read to their end, with the reason
   * @param time from the first step to the last
   */
  record Round(long bytes, long bad, List<String> cached, List<String> given, Duration time) {}
}
