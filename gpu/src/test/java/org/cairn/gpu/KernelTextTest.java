// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The PTX text that is committed is that of the source beside it. */
class KernelTextTest {
  private static final Path COMMITTED = Path.of("src/main/resources/org/cairn/gpu/cairn.ptx");

  @TempDir Path directory;

  @Test
  void everyKernelIsThere() throws IOException {
    String text = Files.readString(COMMITTED);
    for (Kernels kernel : Kernels.values()) {
      assertThat(text).contains(".visible .entry " + kernel.symbol() + "(");
    }
    assertThat(text).doesNotContain("/home/", "/tmp/", "/work/");
  }

  @Test
  void theTextIsThatOfTheSource() throws IOException, InterruptedException {
    assumeTrue(isThere("nvcc"), "there is no nvcc here: nobody looks whether cairn.ptx is current");
    Path made = directory.resolve("cairn.ptx");
    int status =
        new ProcessBuilder("sh", "src/main/cuda/make-ptx.sh", made.toAbsolutePath().toString())
            .inheritIO()
            .start()
            .waitFor();
    assertThat(status).isZero();
    assumeTrue(
        compiler(made).equals(compiler(COMMITTED)),
        () -> "another nvcc made cairn.ptx, it cannot be compared here");
    assertThat(made).as("run src/main/cuda/make-ptx.sh").hasSameTextualContentAs(COMMITTED);
  }

  private static boolean isThere(String program) {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  private static String compiler(Path text) {
    try (Stream<String> lines = Files.lines(text)) {
      return lines.filter(line -> line.contains("Cuda compilation tools")).findFirst().orElse("");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
