// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts JVMs that share the class path of this one, and little else. */
final class ChildJvm {
  private ChildJvm() {}

  /** The command that runs a class quickly: no second compiler, no second thread of a collector. */
  static List<String> command(Class<?> main, List<String> flags, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=off");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(flags);
    command.add("-cp");
    command.add(classPath());
    command.add(main.getName());
    command.addAll(arguments);
    return command;
  }

  private static String classPath() {
    // Surefire may start the tests from a jar that only refers to the class path.
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  /** Starts a class; its errors are ours, its output is read by the caller. */
  static Process start(Class<?> main, List<String> flags, List<String> arguments)
      throws IOException {
    return new ProcessBuilder(command(main, flags, arguments))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
