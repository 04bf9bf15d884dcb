// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import org.cairn.comm.Ranks.Program;
import org.cairn.testkit.comm.BaseCommunicatorTest;

class ThreadCommunicatorTest extends BaseCommunicatorTest {

  @Override
  protected void run(int ranks, Program program) {
    Ranks.run(ranks, program);
  }
}
