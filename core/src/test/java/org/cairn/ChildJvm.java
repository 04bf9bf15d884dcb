// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.cairn.testkit.process.ChildJava;

/** Starts JVMs that share the class path of this one, and little else. */
final class ChildJvm {
  private ChildJvm() {}

  /** The command that runs a class quickly. */
  static List<String> command(Class<?> main, List<String> flags, List<String> arguments) {
    List<String> all = new ArrayList<>(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=off"));
    all.addAll(flags);
    return ChildJava.like(NodeProgram.class, "1", "3", "newest", "-", "node0", "node1")
        .command(all, main, arguments);
  }

  /** Starts a class; its errors are ours, its output is read by the caller. */
  static Process start(Class<?> main, List<String> flags, List<String> arguments)
      throws IOException {
    return new ProcessBuilder(command(main, flags, arguments))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
