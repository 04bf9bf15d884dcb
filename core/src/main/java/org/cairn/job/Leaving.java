// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How this rank lets go of a file that it does not go on with, in the middle of something that all
 * ranks do. What was written there is forced already, and what was only read is as it was: a close
 * that fails loses nothing. So it is told, and does not part this rank from the others, who know
 * nothing of it and go on.
 */
final class Leaving {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private Leaving() {}

  /** A way to let go. */
  @FunctionalInterface
  interface Step {
    void run() throws IOException;
  }

  /**
   * Lets go, as far as that can be done.
   *
   * @param file for messages
   */
  static void leave(Object file, Step step) {
    try {
      step.run();
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.warn("{} could not be let go of as it should; nothing is lost: {}", file, e.toString());
    }
  }
}
