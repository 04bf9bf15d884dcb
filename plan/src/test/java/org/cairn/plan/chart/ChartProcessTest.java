// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.cairn.testkit.process.ChildJava;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What needs a JVM of its own, as fonts are looked up once. */
class ChartProcessTest {
  @TempDir private Path folder;

  @Test
  void drawsWithoutAWordEvenWhereTheDisplayIsGone() throws Exception {
    assertThat(run("DISPLAY", "localhost:99")).isEmpty();
    assertThat(folder.resolve("chart.png")).isNotEmptyFile();
    assertThat(folder.resolve("chart.svg")).isNotEmptyFile();
    assertThat(folder.resolve("page.html")).isNotEmptyFile();
  }

  @Test
  void saysWhatToInstallWhereThereAreNoFonts() throws Exception {
    Path none = Files.writeString(folder.resolve("fonts.conf"), "<fontconfig></fontconfig>");

    assertThat(run("FONTCONFIG_FILE", none.toString()).lines())
        .hasSize(3)
        .allSatisfy(
            line ->
                assertThat(line)
                    .contains("run ./setup", "apt-get install fontconfig fonts-dejavu-core"))
        .anySatisfy(line -> assertThat(line).startsWith(folder.resolve("chart.png").toString()))
        .anySatisfy(line -> assertThat(line).startsWith(folder.resolve("chart.svg").toString()))
        .anySatisfy(line -> assertThat(line).startsWith(folder.resolve("page.html").toString()));
    assertThat(folder.resolve("chart.svg")).doesNotExist();
  }

  /** All that the program prints. Java remembers fonts in the home folder, so it has another. */
  private String run(String variable, String value) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
            ChildJava.executable(),
            "-XX:TieredStopAtLevel=1",
            "-Duser.home=" + folder,
            "-cp",
            ChildJava.classPath(),
            ChartProcess.class.getName(),
            folder.toString());
    builder.environment().put(variable, value);
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).isZero();
    return output;
  }
}
