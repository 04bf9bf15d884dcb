// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.Arrays;
import org.cairn.cli.terminal.Colours;
import org.cairn.cli.terminal.Terminal;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs the command in this process and keeps what it prints. */
public final class Cli {

  private Cli() {}

  /**
   * What a command did.
   *
   * @param outBytes what it printed, as it is
   */
  public record Result(int exitCode, String out, String err, byte[] outBytes) {

    /** What it printed, as JSON. */
    public JsonNode json() {
      return JsonMapper.shared().readTree(out);
    }
  }

  /** Runs {@code cairn} with these arguments, whose text counts. */
  public static Result run(Object... arguments) {
    return run(Colours.NONE, arguments);
  }

  /** The same where the output has colours. */
  public static Result run(Colours colours, Object... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream errors = new PrintStream(err, true, UTF_8);
    Terminal terminal = new Terminal(new PrintStream(out, true, UTF_8), () -> errors, 0, colours);
    int exitCode =
        Main.run(terminal, Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
    return new Result(exitCode, out.toString(UTF_8), err.toString(UTF_8), out.toByteArray());
  }
}
