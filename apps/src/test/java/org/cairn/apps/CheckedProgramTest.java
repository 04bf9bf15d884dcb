// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.cairn.apps.cloverleaf.CloverLeafProgram;
import org.cairn.apps.poisson.PoissonProgram;
import org.cairn.testkit.process.ChildJava;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loops of our programs do what they say: processes that look at every access end as others do. */
class CheckedProgramTest {
  @TempDir Path temp;

  private String run(Class<?> program, String... more) throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.addAll(List.of("--checkpoints", temp.resolve(program.getSimpleName()).toString()));
    ChildJava child = ChildJava.like(CloverLeafProgram.class, "--size", "8", "--steps", "3");
    Process process =
        new ProcessBuilder(child.command(List.of(), program, arguments))
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output).contains("every access of every loop is looked at");
    return output;
  }

  @Test
  void loopsDoWhatTheySay() throws Exception {
    String clover =
        run(CloverLeafProgram.class, "--size", "10x2", "--steps", "75", "--in-order", "--check");
    assertThat(clover).contains("1.82280367310257", "12.0000000000000");
    run(PoissonProgram.class, "--size", "12x9", "--steps", "50", "--tolerance", "0", "--check");
  }
}
