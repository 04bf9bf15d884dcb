// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.cairn.cli.Cli;
import org.cairn.testkit.random.Thorough;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What pages show of commands is what they print. */
@Timeout(300)
@Tag("slow")
class SessionTest {
  /** Closed forms; the others simulate, or read files that are not here. */
  private static final Set<String> QUICK =
      Set.of("interval", "wall-time", "replication", "differential", "multilevel");

  private static final Set<String> SIMULATED = Set.of("simulate", "compare");

  @TempDir static Path temp;

  // --- cairn plan, which depends on nothing but the question ----------------------------------

  @TestFactory
  @Thorough
  Stream<DynamicTest> pagesShowWhatPlanPrints() throws IOException {
    List<Session> sessions = sessions(SessionTest::isPlan);
    assertThat(sessions).hasSizeGreaterThan(4);
    return sessions.stream()
        .map(session -> DynamicTest.dynamicTest(session.toString(), () -> look(session)));
  }

  private static List<Session> sessions(Predicate<Session> tried) throws IOException {
    return Page.all().stream().flatMap(page -> Session.of(page).stream()).filter(tried).toList();
  }

  private static boolean isPlan(Session session) {
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

  // --- what reads and writes files ------------------------------------------------------------

  @TestFactory
  @Thorough
  Stream<DynamicTest> pagesShowWhatIsPrinted() throws IOException {
    List<Session> sessions = sessions(session -> session.isRun() && !session.isAfterPrograms());
    assertThat(sessions).hasSizeGreaterThan(12);
    return sessions.stream().collect(Collectors.groupingBy(Session::page)).entrySet().stream()
        .map(
            page ->
                DynamicTest.dynamicTest(
                    page.getKey().toString(), () -> runAll(page.getKey(), page.getValue())));
  }

  private static void runAll(Path page, List<Session> sessions) throws Exception {
    Sessions.check(sessions, Files.createDirectories(temp.resolve(page.toString())));
  }
}
