// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Children start, with classes that are loaded already and without. */
class ChildJavaTest {
  private static String said(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  @Test
  void aCacheIsMadeOnceAndUsedSilently() throws Exception {
    ChildJava java = ChildJava.like(Echo.class, "training");
    List<String> first = java.command(List.of("-Xmx32m"), Echo.class, List.of("a", "b"));
    List<String> second = java.command(List.of(), Echo.class, List.of());
    assertThat(said(first)).isEqualTo("[a, b]");
    assertThat(said(second)).isEqualTo("[]");
    assertThat(first).anyMatch(word -> word.startsWith("-XX:AOTCache="));
    assertThat(second).contains(first.get(first.indexOf("-cp") + 1));
  }

  @Test
  void whoSeesOtherModulesGoesWithout() throws Exception {
    List<String> command =
        ChildJava.like(Echo.class, "training")
            .command(List.of("--add-modules=java.sql"), Echo.class, List.of("c"));
    assertThat(command)
        .contains(ChildJava.classPath())
        .noneMatch(word -> word.startsWith("-XX:AOTCache="));
    assertThat(said(command)).isEqualTo("[c]");
  }

  @Test
  void whereTheTrainingFailsChildrenStartAllTheSame() throws Exception {
    List<String> command =
        ChildJava.like(ChildJavaTest.class).command(List.of(), Echo.class, List.of("d"));
    assertThat(command).contains(ChildJava.classPath());
    assertThat(said(command)).isEqualTo("[d]");
  }

  /** Says what it was told. */
  static final class Echo {
    private Echo() {}

    public static void main(String[] arguments) {
      System.out.println(List.of(arguments));
    }
  }
}
