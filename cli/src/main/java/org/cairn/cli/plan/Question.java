// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.cairn.cli.terminal.Terminal;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A subcommand of {@code plan}: what it refuses is wrong usage, and what it finds is written. */
abstract class Question implements Callable<Integer> {
  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final OutputOptions output = new OutputOptions();

  Question(Terminal terminal) {
    this.terminal = terminal;
  }

  abstract Answer answer() throws Exception;

  final Terminal terminal() {
    return terminal;
  }

  @Override
  public final Integer call() throws Exception {
    try {
      output.check();
      output.write(terminal, answer(), command());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    return 0;
  }

  /** The command line, so that an answer tells how to get it again. */
  private String command() {
    List<String> arguments = spec.root().commandLine().getParseResult().originalArgs();
    return "cairn " + arguments.stream().map(Question::quoted).collect(Collectors.joining(" "));
  }

  private static String quoted(String argument) {
    return argument.matches("[A-Za-z0-9_./:=,%+@-]+") ? argument : "'" + argument + "'";
  }
}
