// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.cairn.testkit.process.ChildJava;
import org.junit.jupiter.api.Test;

/** Kernels that lie are found by a JVM that was started to look. */
class CheckingTest {
  @Test
  void kernelsThatLieAreFound() throws Exception {
    Map<String, String> said = run();

    assertThat(said).containsEntry("honest", "fine").containsEntry("honest row", "fine");
    assertThat(said).containsEntry("honest line", "fine").containsEntry("honest some", "fine");
    assertThat(said.get("silent read"))
        .isEqualTo("loop \"loop\" at i=0, j=0, l=0 reads \"u\" and does not say so");
    assertThat(said.get("silent write")).contains("writes \"v\" and does not say so");
    assertThat(said.get("wrong mode")).contains("writes \"u\" and says only: reads u");
    assertThat(said.get("write that reads")).contains("reads \"u\" and says only: writes u");
    assertThat(said.get("outside the stencil"))
        .contains("reads \"u\" (0, 1) away from its point, which is not in what it says: reads u");
    assertThat(said.get("corner of a star")).contains("reads \"u\" (1, 1) away from its point");
    assertThat(said.get("another's point"))
        .contains("writes \"v\" (1, 0) away from its point; a kernel writes its own point only");
    assertThat(said.get("promise"))
        .contains("at i=3, j=0", "promises to write every point of \"v\"", "say writesSome()");
    assertThat(said.get("captured array")).contains("captures a double[] that is no field");
    assertThat(said)
        .containsEntry("honest table", "fine")
        .containsEntry("honest array of its own", "fine");
    assertThat(said.get("array of this"))
        .contains("changes \"table\" of " + Lies.class.getName() + ", which is no field");
    assertThat(said.get("variable of this")).contains("changes \"total\" of ", "use mesh.sum()");
    assertThat(said.get("variable of a class")).contains("changes \"count\" of ");
    assertThat(said.get("half an update"))
        .contains("at i=3, j=0", "promises to write every point of \"v\"")
        .endsWith("say writesSome()");
    assertThat(said.get("thrown")).startsWith("loop \"loop\" failed at point i=2, j=3, l=0: ");
    assertThat(said.get("thrown in a row"))
        .startsWith("loop \"loop\" failed at row from i=0, j=0, l=0: ");
    assertThat(said.get("read outside"))
        .contains("field \"u\" is read outside a loop", "use mesh.fetch()");
    assertThat(said.get("write outside"))
        .contains("field \"u\" is written outside a loop", "use mesh.each()");
  }

  private static Map<String, String> run() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                ChildJava.executable(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dcairn.mesh.check=true",
                "-cp",
                ChildJava.classPath(),
                Lies.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    Map<String, String> said = new TreeMap<>();
    output
        .lines()
        .filter(line -> line.contains(": "))
        .forEach(
            line ->
                said.put(
                    line.substring(0, line.indexOf(": ")), line.substring(line.indexOf(": ") + 2)));
    return said;
  }
}
