// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.command;

import org.cairn.cli.terminal.Terminal;
import picocli.CommandLine.Option;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** {@code --json}, for commands that mix it in: output for machines in place of that for people. */
public final class JsonOption {
  @Option(names = "--json", description = "Print the result as JSON.")
  private boolean requested;

  /** Whether the user asked for it. */
  public boolean requested() {
    return requested;
  }

  /** Prints one document on one line, at once: others may follow. */
  public static void printLine(Terminal terminal, Object event) {
    terminal.out().println(JsonMapper.builder().build().writeValueAsString(event));
    terminal.out().flush();
  }

  /** Prints records, maps and lists as one JSON document. */
  public static void print(Terminal terminal, Object report) {
    JsonMapper mapper = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    terminal.out().println(mapper.writeValueAsString(report));
  }
}
