// SPDX-License-Identifier: Apache-2.0
package org.cairn.watch;

import org.cairn.comm.Ranks;
import org.cairn.comm.Ranks.Program;
import org.cairn.testkit.comm.BaseCommunicatorTest;

class WatchedCommunicatorTest extends BaseCommunicatorTest {
  @Override
  protected void run(int ranks, Program program) {
    Ranks.run(ranks, inner -> program.run(new WatchedCommunicator(inner, new Activity())));
  }

  @Override
  protected int maximumRanks() {
    return 3;
  }
}
