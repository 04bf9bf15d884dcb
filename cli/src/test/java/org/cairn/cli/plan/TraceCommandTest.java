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
    assertThat(given.get("meanGapSeconds").asDouble()).isEqualTo(6 * 3600);
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

  private static final String WITH_REPAIRS =
      """
      System,nodes,nodenum,Prob Started,Down Time,Facilities,Hardware,Software
      18,4,0,6/21/2005 10:00,60,,CPU,
      18,4,1,6/21/2005 18:00,600,,Disk Drive,
      18,4,1,6/22/2005 11:00,,,,OS
      18,4,3,6/23/2005 15:00,30,Power Outage,,
      18,4,2,6/24/2005 10:00,30,,,
      """;

  @Test
  void repairsAndCauses() throws IOException {
    Files.writeString(trace, WITH_REPAIRS);
    JsonNode answer = Ask.json("trace", trace);
    assertThat(answer.at("/given/repairSeconds").asDouble()).isEqualTo(180 * 60);
    assertThat(answer.at("/given/severeShare").asDouble()).isEqualTo(0.75);
    JsonNode hardware = Ask.row(answer.get("causes"), "hardware");
    assertThat(hardware.get("failures").asInt()).isEqualTo(2);
    assertThat(hardware.get("meanRepairSeconds").asDouble()).isEqualTo(330 * 60);
  }

  /** A job without spare nodes stands still while the node is repaired. */
  @Test
  void jobsThatWaitForRepairs() throws IOException {
    Files.writeString(trace, WITH_REPAIRS);
    String question = "wall-time --checkpoint 1min --trials 20 --interval 1h --work 30d --trace ";
    double spare = Ask.json(question + trace).at("/given/efficiencyShare").asDouble();
    double wait =
        Ask.json(question + trace + " --repair wait").at("/given/efficiencyShare").asDouble();
    // 3 h for most of the failures, of which one comes every 18 h.
    assertThat(1 / wait - 1 / spare).isBetween(0.1, 0.25);
    assertThat(Ask.answer("compare --checkpoint 10min --local 1min --trials 5 --trace " + trace))
        .containsPattern("75\\.0\\s%\\sof\\sthem")
        .contains("Repairs took");
    write();
    assertThat(Ask.refusal(question + trace + " --system 18 --repair wait"))
        .contains("does not say how long repairs took");
    assertThat(Ask.refusal("interval --mtbf 1d --checkpoint 1min --repair wait"))
        .contains("--repair is for a --trace");
  }

  @Test
  void repairsThatAreNone() throws IOException {
    Files.writeString(trace, "time,node,repair,cause\n0,a,5,hardware\n9,b,soon,software\n");
    assertThat(Ask.refusal("trace", trace)).contains("line 3", "\"soon\" is not the time");
    Files.writeString(trace, "time,node,repair,cause\n0,a,5,Hardware\n9,b,,software\n20,a,7,\n");
    JsonNode given = Ask.json("trace", trace).get("given");
    assertThat(given.get("repairSeconds").asDouble()).isEqualTo(6);
    assertThat(given.get("severeShare").asDouble()).isEqualTo(0.5);
  }
}
