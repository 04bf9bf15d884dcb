// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.cairn.comm.Ranks.Program;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The contract of {@link org.cairn.comm.Communicator}. A communicator proves itself by a test class
 * that inherits this one and runs programs on it.
 */
public abstract class BaseCommunicatorTest {
  /** No scenario takes this long; a communicator that hangs fails here. */
  private static final Duration LIMIT = Duration.ofSeconds(60);

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
                    scenario.name() + ", ranks: " + ranks,
                    () -> assertTimeoutPreemptively(LIMIT, () -> run(ranks, scenario::run))));
  }
}
