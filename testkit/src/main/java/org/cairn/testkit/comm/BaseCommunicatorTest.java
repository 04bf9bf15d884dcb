// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.cairn.comm.Ranks.Program;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of {@link org.cairn.comm.Communicator}. A communicator proves itself by a test class
 * that inherits this one and runs programs on it.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class BaseCommunicatorTest {

  /** Runs a program on so many ranks; a failure of any rank is thrown. */
  protected abstract void run(int ranks, Program program) throws Exception;

  /** The largest number of ranks to try. */
  protected int maximumRanks() {
    return 7;
  }

  @TestFactory
  Stream<DynamicTest> keepsItsPromises() {
    return CommunicatorScenarios.all().stream().flatMap(this::onAllSizes);
  }

  private Stream<DynamicTest> onAllSizes(Scenario scenario) {
    return IntStream.rangeClosed(scenario.minimumRanks(), maximumRanks())
        .mapToObj(
            ranks ->
                DynamicTest.dynamicTest(
                    scenario.name() + ", ranks: " + ranks, () -> run(ranks, scenario::run)));
  }
}
