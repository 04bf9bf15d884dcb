// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.cairn.cli.Cli;
import org.cairn.testkit.random.Thorough;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * What pages show of {@code cairn plan} is what it prints; it depends on nothing but the question.
 */
@Tag("slow")
class SessionTest {
  /** Closed forms; the others simulate, or read files that are not here. */
  private static final Set<String> QUICK =
      Set.of("interval", "wall-time", "replication", "differential", "multilevel");

  private static final Set<String> SIMULATED = Set.of("simulate", "compare");

  @TestFactory
  @Thorough
  Stream<DynamicTest> pagesShowWhatIsPrinted() throws IOException {
    List<Session> sessions =
        Page.all().stream()
            .flatMap(page -> Session.of(page).stream())
            .filter(SessionTest::isTried)
            .toList();
    assertThat(sessions).hasSizeGreaterThan(4);
    return sessions.stream()
        .map(session -> DynamicTest.dynamicTest(session.toString(), () -> look(session)));
  }

  private static boolean isTried(Session session) {
    List<String> words = session.words();
    if (words.size() < 2 || !words.getFirst().equals("plan")) {
      return false;
    }
    boolean simulates = SIMULATED.contains(words.get(1)) || words.contains("--failures");
    return simulates ? Boolean.getBoolean(Thorough.PROPERTY) : QUICK.contains(words.get(1));
  }

  private static void look(Session session) {
    Cli.Result result = Cli.run(session.words().toArray());

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).as(session.toString()).matches(session.expected());
  }
}
