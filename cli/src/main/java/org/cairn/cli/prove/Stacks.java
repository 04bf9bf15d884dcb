// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What the threads of a JVM do at the moment. */
final class Stacks {
  private static final int MOST_FRAMES = 12;
  private static final long PATIENCE_SECONDS = 20;

  private Stacks() {}

  /** All stacks of a process, or why there are none. */
  static String of(long process) throws InterruptedException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    if (!Files.isExecutable(jcmd)) {
      return "no stacks of process %d: %s is missing; use a JDK%n".formatted(process, jcmd);
    }
    try {
      Path answer = Files.createTempFile("cairn-stacks", ".txt");
      try {
        Process asking =
            new ProcessBuilder(jcmd.toString(), Long.toString(process), "Thread.print")
                .redirectErrorStream(true)
                .redirectOutput(answer.toFile())
                .start();
        if (!asking.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
          asking.destroyForcibly();
        }
        return new String(Files.readAllBytes(answer), UTF_8);
      } finally {
        Files.deleteIfExists(answer);
      }
    } catch (IOException e) {
      return "no stacks of process %d: %s%n".formatted(process, e.getMessage());
    }
  }

  /** The thread that runs the program, and as much of its stack as one wants to read. */
  static List<String> ofMain(String stacks) {
    List<String> lines = new ArrayList<>();
    boolean inside = false;
    for (String line : stacks.lines().toList()) {
      if (line.startsWith("\"main\"") || line.startsWith("\"rank ") || line.startsWith("\"rank-")) {
        inside = true;
        lines.add(line.substring(0, line.indexOf('"', 1) + 1));
      } else if (line.isBlank()) {
        inside = false;
      } else if (inside && line.strip().startsWith("at ") && lines.size() <= MOST_FRAMES) {
        lines.add("  " + line.strip());
      }
    }
    return lines;
  }
}
