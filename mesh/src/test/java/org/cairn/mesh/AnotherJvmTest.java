// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.cairn.testkit.process.ChildJava;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loops are the same loops in another JVM, and when their method has got another lambda: then a
 * compiler gives those behind it other numbers.
 */
class AnotherJvmTest {
  private static final String PROGRAM =
      """
      import static org.cairn.mesh.Access.*;

      import java.nio.file.Path;
      import java.time.Duration;
      import org.cairn.Options;
      import org.cairn.comm.SoloCommunicator;
      import org.cairn.mesh.*;

      public class Program {
        public static void main(String[] arguments) {
          Options often = Options.defaults().every(Duration.ofNanos(1)).threads(1);
          MeshOptions options = MeshOptions.of(often).threads(1);
          try (Mesh mesh = Mesh.open(Path.of(arguments[0]), new SoloCommunicator(), options)) {
            boolean replays = mesh.replaying();
            Grid grid = mesh.grid("g", 5, 4);
            Field u = grid.field("u");
            mesh.each("start", grid.all(), writes(u), (k, i, j) -> u.set(k, i + .25 * j));
            mesh.ready();
            for (int step = 0; step < 20; step++) {
              if (step == Integer.parseInt(arguments[1])) {
                Runtime.getRuntime().halt(9);
              }
              // more
              mesh.each("halve", grid.cells(), updates(u), k -> u.set(k, u.at(k) * .5 + 1));
              mesh.each("turn", grid.all(), updates(u), (k, i, j) -> u.set(k, i - u.at(k)));
            }
            double sum = mesh.sum("sum", grid.all(), reads(u), k -> u.at(k));
            System.out.println((replays ? "went on to " : "ran to ") + sum);
          }
        }
      }
      """;

  private static final String ANOTHER =
      "if (step < 0) { mesh.each(\"never\", grid.cells(), updates(u), k -> u.set(k, 7)); }";

  @TempDir Path temp;

  private Path compiled(String name, String source) throws IOException {
    Path folder = Files.createDirectories(temp.resolve(name));
    Path file = Files.writeString(folder.resolve("Program.java"), source);
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-cp", ChildJava.classPath(), file.toString());
    assertThat(code).isZero();
    return folder;
  }

  private static String run(Path program, Path checkpoints, int killedAt)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                ChildJava.executable(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                program + File.pathSeparator + ChildJava.classPath(),
                "Program",
                checkpoints.toString(),
                String.valueOf(killedAt))
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isEqualTo(killedAt < 0 ? 0 : 9);
    return output;
  }

  @Test
  void loopsAreTheSameWhereTheirMethodHasAnotherLambda() throws Exception {
    Path before = compiled("before", PROGRAM);
    Path after = compiled("after", PROGRAM.replace("// more", ANOTHER));
    String straight = run(before, temp.resolve("straight"), -1);
    String end = straight.substring(straight.indexOf("ran to ") + 7).strip();

    run(before, temp.resolve("job"), 13);

    assertThat(run(after, temp.resolve("job"), -1)).contains("went on to " + end);
  }
}
