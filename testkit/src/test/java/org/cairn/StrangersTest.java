// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes on real directories: what is left of others is not taken for one's own. */
@Timeout(180)
class StrangersTest {
  @TempDir private Path place;

  private List<String> nodes(int... numbers) {
    return IntStream.of(numbers).mapToObj(n -> place.resolve("node" + n).toString()).toList();
  }

  /** Runs a program; kills it once it has said a line that begins so. */
  private static List<String> run(
      long tag, int steps, String request, String shared, List<String> nodes, String killAfter)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of("" + tag, "" + steps, request, shared));
    arguments.addAll(nodes);
    Process child = ChildJvm.start(NodeProgram.class, List.of("-Xmx128m"), arguments);
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
