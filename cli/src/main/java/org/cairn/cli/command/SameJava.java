// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.command;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** Command lines for more JVMs like this one: the same executable, flags and class path. */
public final class SameJava {

  private SameJava() {}

  /** The {@code cairn} command once more, which {@code part} is a command of. */
  public static List<String> cairn(CommandSpec part, List<String> arguments) {
    return cairn(part, List.of(), arguments);
  }

  /**
   * The same with more flags for its JVM, which count for more than those of this one.
   *
   * @param flags such as {@code -Djava.io.tmpdir=/scratch}
   */
  public static List<String> cairn(CommandSpec part, List<String> flags, List<String> arguments) {
    return command(part.root().userObject().getClass(), flags, arguments);
  }

  /** The command that runs a class with these arguments. */
  public static List<String> command(Class<?> main, List<String> arguments) {
    return command(main, List.of(), arguments);
  }

  private static List<String> command(Class<?> main, List<String> flags, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(SameJava::isForChildren)
        .forEach(command::add);
    command.addAll(flags);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(arguments);
    return command;
  }

  /** Debuggers and agents are for one process; what describes our terminal is not the child's. */
  private static boolean isForChildren(String flag) {
    return !flag.startsWith("-agent")
        && !flag.startsWith("-javaagent")
        && !flag.startsWith("-Xrun")
        && !flag.startsWith("-Dcairn.stderr")
        && !flag.startsWith("-Dcairn.columns")
        && !flag.startsWith("-Dcairn.terminal")
        && !flag.startsWith("-XX:StartFlightRecording");
  }
}
