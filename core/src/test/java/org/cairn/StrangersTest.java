// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.cairn.testkit.random.OnlyThorough;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes on real directories: what is left of others is not taken for one's own. Where
 * nobody is killed or waits, {@code WhoseTest} has the same without processes, and here it is for
 * the profile {@code kills}.
 */
@Timeout(600)
@Tag("slow")
class StrangersTest {
  @TempDir private Path place;

  private List<String> nodes(int... numbers) {
    return IntStream.of(numbers).mapToObj(n -> place.resolve("node" + n).toString()).toList();
  }

  private static Process start(
      long tag, int steps, String request, String shared, List<String> nodes, String... flags)
      throws IOException {
    List<String> arguments = new ArrayList<>(List.of("" + tag, "" + steps, request, shared));
    arguments.addAll(nodes);
    List<String> all = new ArrayList<>(List.of("-Xmx128m"));
    all.addAll(List.of(flags));
    return ChildJvm.start(NodeProgram.class, all, arguments);
  }

  /** Runs a program; kills it once it has said a line that begins so. */
  private static List<String> run(
      long tag, int steps, String request, String shared, List<String> nodes, String killAfter)
      throws IOException, InterruptedException {
    return listen(start(tag, steps, request, shared, nodes), killAfter);
  }

  private static List<String> listen(Process child, String killAfter)
      throws IOException, InterruptedException {
    List<String> said = new ArrayList<>();
    try (BufferedReader output = child.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        said.add(line);
        if (!killAfter.isEmpty() && line.startsWith(killAfter)) {
          child.toHandle().destroyForcibly();
        }
      }
    }
    child.waitFor();
    return said;
  }

  private static List<String> run(long tag, int steps, String request, List<String> nodes)
      throws IOException, InterruptedException {
    return run(tag, steps, request, "-", nodes, "");
  }

  private static String job(List<String> said) {
    String safe = said.stream().filter(line -> line.startsWith("safe ")).findFirst().orElseThrow();
    return safe.split(" ")[1];
  }

  @Test
  @OnlyThorough
  void twoJobsOnMixedNodesAreRefusedAndCanBeChosen() throws Exception {
    List<String> a = run(1, 3, "newest", nodes(0, 1, 2, 3));
    List<String> b = run(2, 3, "newest", nodes(4, 5, 6, 7));
    assertThat(a).startsWith("begun 1 0").endsWith("safe " + job(a) + " 3");
    assertThat(run(3, 1, "newest", nodes(0, 1, 6, 7)))
        .singleElement()
        .asString()
        .startsWith("refused")
        .contains(job(a), job(b), "node0", "rank3.cairn of rank 3");
    assertThat(run(3, 0, "newest", nodes(0, 1, 2, 3))).containsExactly("restored 1 3");
    assertThat(run(3, 0, "newest", nodes(4, 5, 6, 7))).containsExactly("restored 2 3");
  }

  @Test
  void aNodeReturnsAfterTheUserBeganAnew() throws Exception {
    List<String> old = run(1, 3, "newest", nodes(0, 1, 2));
    byte[] file = Files.readAllBytes(place.resolve("node1/rank1/rank1.cairn"));
    List<String> anew = run(2, 3, "begin-anew", nodes(0, 1, 3));
    assertThat(anew).startsWith("begun 2 0");
    assertThat(Files.readAllBytes(place.resolve("node1/rank1/rank1.cairn"))).isEqualTo(file);
    assertThat(run(3, 0, "newest", nodes(0, 1, 2))).containsExactly("restored 2 3");
    assertThat(run(3, 0, job(old), nodes(0, 1, 2))).containsExactly("restored 1 3");
    assertThat(run(3, 0, "newest", nodes(0, 1, 2))).containsExactly("restored 1 3");
  }

  @Test
  @OnlyThorough
  void aFileBelongsToTheRankThatItNamesInside() throws Exception {
    run(1, 3, "newest", nodes(0, 1, 2, 3));
    Files.copy(
        place.resolve("node3/rank3/rank3.cairn"),
        place.resolve("node1/rank1/rank1.cairn"),
        StandardCopyOption.REPLACE_EXISTING);
    // The state of rank 1 comes from its partner; "mixed" would be said.
    assertThat(run(2, 0, "newest", nodes(0, 1, 2, 3))).containsExactly("restored 1 3");
  }

  @Test
  @OnlyThorough
  void aRankOfFourIsNoJobOfOne() throws Exception {
    run(1, 3, "newest", nodes(0, 1, 2, 3));
    Path alone = Files.createDirectories(place.resolve("node9/rank0")).resolve("rank0.cairn");
    Files.copy(place.resolve("node2/rank2/rank2.cairn"), alone);
    byte[] before = Files.readAllBytes(alone);
    assertThat(run(2, 1, "newest", nodes(9)))
        .singleElement()
        .asString()
        .startsWith("refused")
        .contains("node9", "rank 3: local: no container");
    assertThat(Files.readAllBytes(alone)).isEqualTo(before);
  }

  @Test
  @OnlyThorough
  void aPurgedSegmentIsNotMadeUpForByAnotherRun() throws Exception {
    String shared = place.resolve("shared").toString();
    run(1, 2, "newest", shared, nodes(0, 1), "");
    for (Path segment : files(shared, "seg-")) {
      Files.delete(segment);
    }
    // All local directories are lost: each start is on nodes that nobody used.
    assertThat(run(2, 2, "newest", shared, nodes(2, 3), ""))
        .singleElement()
        .asString()
        .startsWith("refused");
    List<String> anew = run(2, 2, "begin-anew", shared, nodes(4, 5), "");
    assertThat(anew).startsWith("begun 2 0").endsWith("safe " + job(anew) + " 2");
    assertThat(run(3, 0, "newest", shared, nodes(6, 7), "")).containsExactly("restored 2 2");
  }

  private static List<Path> files(String directory, String prefix) throws IOException {
    try (Stream<Path> all = Files.list(Path.of(directory))) {
      return all.filter(file -> file.getFileName().toString().startsWith(prefix)).toList();
    }
  }

  @Test
  void whoComesToALiveJobsSharedDirectoryWaitsUntilItIsDead() throws Exception {
    String shared = place.resolve("shared").toString();
    String rest = "-Dtest.leaseRest=5";
    Process first = start(1, 100_000, "newest", shared, nodes(0, 1), rest);
    Process second = null;
    try (BufferedReader output = first.inputReader(StandardCharsets.UTF_8)) {
      hear(output, 2);
      Path log = place.resolve("log");
      second =
          start(
              2,
              1,
              "newest",
              shared,
              nodes(2, 3),
              rest,
              "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
              "-Dorg.slf4j.simpleLogger.logFile=" + log);
      while (second.isAlive() && !says(log, "waiting for ")) {
        hear(output, 1);
      }
      String last = hear(output, 20);
      assertThat(second.inputReader(StandardCharsets.UTF_8).ready()).as("it waits").isFalse();
      assertThat(Files.readString(log)).contains("lease-", "held by", "taken over after 5 s");
      first.destroyForcibly().waitFor();
      List<String> said = listen(second, "");
      assertThat(said).hasSize(2);
      assertThat(said.getFirst()).startsWith("restored 1 ");
      assertThat(step(said.getFirst())).isGreaterThanOrEqualTo(step(last));
    } finally {
      first.destroyForcibly();
      if (second != null) {
        second.destroyForcibly();
      }
    }
  }

  private static boolean says(Path log, String what) throws IOException {
    return Files.exists(log) && Files.readString(log).contains(what);
  }

  private static long step(String line) {
    return Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
  }

  /** The last of so many lines. */
  private static String hear(BufferedReader output, int lines) throws IOException {
    String last = "";
    for (int i = 0; i < lines; i++) {
      last = Objects.requireNonNull(output.readLine(), "the first one has ended");
    }
    return last;
  }

  @Test
  void tasksOfAnArrayShareEverythingAndKnowNothingOfEachOther() throws Exception {
    String shared = place.resolve("shared").toString();
    for (int life = 1; life <= 2; life++) {
      List<Process> tasks = new ArrayList<>();
      for (int task = 1; task <= 3; task++) {
        tasks.add(start(task, 2, "newest", shared, nodes(0, 1), "-Dcairn.job=task-" + task));
      }
      for (int task = 1; task <= 3; task++) {
        List<String> said = listen(tasks.get(task - 1), "");
        assertThat(said).startsWith(life == 1 ? "begun " + task + " 0" : "restored " + task + " 2");
        assertThat(said).hasSize(3);
      }
    }
  }

  @Test
  void killedAndStartedAgainAtOnceOnASharedDirectory() throws Exception {
    String shared = place.resolve("shared").toString();
    String expected = "begun 1 0";
    for (int life = 1; life <= 3; life++) {
      List<String> said = run(1, 1000, "newest", shared, nodes(0, 1), "safe ");
      assertThat(said.getFirst()).startsWith(expected);
      expected = "restored 1 ";
    }
    List<String> last = run(1, 0, "newest", shared, nodes(0, 1), "");
    assertThat(last.getFirst()).startsWith("restored 1 ");
  }
}
