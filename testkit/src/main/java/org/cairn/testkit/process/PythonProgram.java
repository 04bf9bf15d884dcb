// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The programs in Python that were written from the pages of formats alone. */
public final class PythonProgram {
  private static final Path FOLDER = Path.of("../core/src/test/python");

  private PythonProgram() {}

  /** How a program ended, and what it said. */
  public record Answer(int exit, List<String> lines) {}

  /** Runs a program to its end. */
  public static Answer run(String program, Object... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("python3", FOLDER.resolve(program).toString()));
    Arrays.stream(arguments).map(Object::toString).forEach(command::add);
    Process python;
    try {
      python =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .start();
    } catch (IOException e) {
      throw new AssertionError("this test needs python3 on the PATH; ./setup installs it", e);
    }
    List<String> lines;
    try (var output = python.inputReader(StandardCharsets.UTF_8)) {
      lines = output.lines().toList();
    }
    return new Answer(python.waitFor(), lines);
  }
}
