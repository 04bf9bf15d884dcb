// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.answer;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.cairn.cli.terminal.Terminal;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A subcommand that answers: what it refuses is wrong usage, and what it finds is written. */
public abstract class Question implements Callable<Integer> {
  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final OutputOptions output = new OutputOptions();

  /** A question that is answered on this terminal. */
  protected Question(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * Finds the answer.
   *
   * @throws IllegalArgumentException if the question cannot be asked like that
   */
  public abstract Answer answer() throws Exception;

  /** Where progress is shown. */
  protected final Terminal terminal() {
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
