// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.cairn.cli.terminal.Terminal;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class BenchHelpTest {
  static Stream<String> texts() {
    PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), true, UTF_8);
    Terminal terminal = new Terminal(nowhere, () -> nowhere, 0);
    CommandLine all = (CommandLine) new BenchProvider().command(terminal);
    return Stream.concat(Stream.of(all), all.getSubcommands().values().stream())
        .map(CommandLine::getCommandSpec)
        .flatMap(spec -> textsOf(spec).stream());
  }

  private static List<String> textsOf(CommandSpec spec) {
    List<String> texts = new ArrayList<>();
    texts.addAll(List.of(spec.usageMessage().description()));
    texts.addAll(List.of(spec.usageMessage().footer()));
    spec.args().forEach(argument -> texts.addAll(List.of(argument.description())));
    return texts.stream().filter(text -> text.contains("%")).toList();
  }

  /** Where a text cannot be formatted, a user sees a warning of picocli's before it. */
  @ParameterizedTest
  @MethodSource("texts")
  void percentSignsAreDoubled(String text) {
    assertThatCode(() -> String.format(Locale.ROOT, text)).as(text).doesNotThrowAnyException();
  }
}
