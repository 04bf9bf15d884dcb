// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import org.cairn.comm.Communicator;
import org.cairn.supply.Closing;

/**
 * The communicators of a job beside those of its tiers, so that no message meets one of another
 * thread or of the program.
 *
 * @param control what the program's threads call together
 * @param background agrees on outcomes
 * @param farewell asks who is closing
 */
record Channels(Communicator control, Communicator background, Communicator farewell) {
  static Channels of(Communicator world) {
    return new Channels(world.duplicate(), world.duplicate(), world.duplicate());
  }

  /**
   * Closes them.
   *
   * @param abandoned whether nobody may hear the farewell of this rank, or have heard it
   */
  void close(Closing closing, boolean abandoned) {
    if (!abandoned) {
      closing.then(farewell::close);
    }
    closing.then(background::close).then(control::close);
  }
}
