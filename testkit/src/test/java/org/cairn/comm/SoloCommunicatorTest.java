// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.cairn.comm.Ranks.Program;
import org.cairn.testkit.comm.BaseCommunicatorTest;
import org.junit.jupiter.api.Test;

class SoloCommunicatorTest extends BaseCommunicatorTest {

  @Override
  protected void run(int ranks, Program program) throws Exception {
    try (Communicator solo = new SoloCommunicator()) {
      program.run(solo);
    }
  }

  @Override
  protected int maximumRanks() {
    return 1;
  }

  @Test
  void theDomainCanBeChosen() {
    try (Communicator solo = new SoloCommunicator("rack 3")) {
      assertThat(solo.domain(0)).isEqualTo("rack 3");
    }
  }

  @Test
  void evenLargeMessagesToItselfDoNotWait() {
    try (Communicator solo = new SoloCommunicator()) {
      double[] data = new double[1 << 20];
      data[data.length - 1] = 1.5;
      solo.send(data, 0, 1);
      double[] target = new double[1 << 20];
      solo.receive(target, 0, 1);
      assertThat(target[data.length - 1]).isEqualTo(1.5);
    }
  }

  @Test
  void aClosedCommunicatorIsOfNoUse() {
    Communicator solo = new SoloCommunicator();
    solo.close();
    assertThatThrownBy(() -> solo.send(new byte[1], 0, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }
}
