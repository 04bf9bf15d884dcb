// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class TraceCommandTest {
  private static final String LANL =
      """
      System,nodes,nodenum,Prob Started
      18,4,0,6/21/2005 10:00
      18,4,1,6/21/2005 11:00
      18,4,1,6/21/2005 11:00
      18,4,3,6/21/2005 15:00
      18,4,2,6/22/2005 10:00
      20,2,0,6/21/2005 10:00
      """;

  @TempDir Path temp;
  private Path trace = Path.of("");

  @BeforeEach
  void write() throws IOException {
    trace = temp.resolve("lanl.csv");
    Files.writeString(trace, LANL);
  }

  @Test
  void oneMachine() {
    JsonNode answer = Ask.json("trace --system 18", trace);
    JsonNode given = answer.get("given");
    assertThat(given.get("failures").asInt()).isEqualTo(5);
    assertThat(given.get("nodes").asInt()).isEqualTo(4);
    assertThat(given.get("meanGapHours").asDouble()).isEqualTo(6);
    assertThat(given.get("simultaneous").asInt()).isEqualTo(1);
    assertThat(answer.get("fits").size()).isEqualTo(4);
  }

  /** One of them has too few failures for a gap. */
  @Test
  void allMachines() {
    assertThat(Ask.answer("trace", trace)).contains("6 failures of 2 machines", "LANL system 20");
    assertThat(Ask.answer("trace --csv", trace).lines()).hasSize(3);
    assertThat(Ask.json("trace", trace).get("machines").size()).isEqualTo(2);
  }

  @Test
  void machinesThatAreNotThere() {
    assertThat(Ask.refusal("trace --system 99", trace)).contains("no system \"99\"", "18, 20");
    assertThat(Ask.refusal("trace --system 20", trace)).isNotBlank();
    assertThat(Ask.refusal("simulate --checkpoint 1min --trace", trace))
        .contains("the trace has 2 machines; say which with --system: 18, 20");
  }

  @Test
  void intervalsForATrace() {
    assertThat(Ask.answer("interval --checkpoint 1min --trials 5 --system 18 --trace", trace))
        .contains("the 5 recorded failures of LANL");
  }

  @Test
  void drawsTheGaps(@TempDir Path folder) throws IOException {
    Path picture = folder.resolve("gaps.svg");
    Ask.answer("trace", trace, "--system", "18", "--svg", picture);
    assertThat(Files.readString(picture)).contains("Weibull", "recorded", "LANL system 18");
  }
}
