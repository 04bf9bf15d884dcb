// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import java.util.List;
import java.util.stream.Stream;

/**
 * The contract of {@link org.cairn.comm.Communicator} as a list of scenarios, so that a test can
 * run them on threads, and a process under {@code mpirun} can run them all by name.
 *
 * <p>The scenario with a message of more than 2 GiB needs more than 4 GiB of memory and runs only
 * with {@code -Dcairn.largeMessages=true}.
 */
public final class CommunicatorScenarios {
  /** The property that allows messages of more than 2 GiB. */
  public static final String LARGE_MESSAGES = "cairn.largeMessages";

  private CommunicatorScenarios() {}

  /** All scenarios, simple ones first. */
  public static List<Scenario> all() {
    return Stream.of(
            MessageScenarios.all(),
            ExchangeScenarios.all(),
            CollectiveScenarios.all(),
            OperationScenarios.all(),
            CountedScenarios.all(),
            GroupScenarios.all(),
            GridScenarios.all())
        .flatMap(List::stream)
        .toList();
  }

  /** The scenario of this name. */
  public static Scenario named(String name) {
    return all().stream()
        .filter(scenario -> scenario.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no scenario is called " + name));
  }
}
