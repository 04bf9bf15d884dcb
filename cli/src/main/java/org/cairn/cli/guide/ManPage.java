// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.guide;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The page of a command for {@code man}, made of what its {@code --help} is made of. */
final class ManPage {
  private static final int WIDTH = 78;

  private final CommandSpec spec;
  private final StringBuilder page = new StringBuilder();

  private ManPage(CommandSpec spec) {
    this.spec = spec;
  }

  /** The name of the page without its section: {@code cairn-plan-interval}. */
  static String name(CommandSpec spec) {
    return spec.qualifiedName("-");
  }

  /** The page, in the language of {@code man}. */
  static String of(CommandSpec spec) {
    return new ManPage(spec).write();
  }

  private String write() {
    line(".TH \"%s\" 1 \"\" \"Cairn\"".formatted(name(spec).toUpperCase(Locale.ROOT)));
    section("NAME");
    line(text(name(spec)) + " \\- " + text(summary(spec)));
    section("SYNOPSIS");
    verbatim(help().synopsis(0).lines().toList());
    section("DESCRIPTION");
    for (String paragraph : spec.usageMessage().description()) {
      line(paragraph.isEmpty() ? ".PP" : text(paragraph));
    }
    arguments();
    commands();
    List<String> footer = List.of(spec.usageMessage().footer());
    if (!footer.isEmpty()) {
      section("EXAMPLES AND EXIT CODES");
      verbatim(footer.stream().filter(line -> !line.equals("Examples:")).toList());
    }
    return page.toString();
  }

  /** Without colours, and wide enough for a page. */
  private Help help() {
    CommandLine line = spec.commandLine();
    int before = line.getUsageHelpWidth();
    line.setUsageHelpWidth(WIDTH);
    try {
      return new Help(spec, Help.defaultColorScheme(Help.Ansi.OFF));
    } finally {
      line.setUsageHelpWidth(before);
    }
  }

  private void arguments() {
    boolean some =
        !spec.positionalParameters().isEmpty()
            || spec.options().stream().anyMatch(option -> !option.hidden());
    if (!some) {
      return;
    }
    section("OPTIONS");
    spec.positionalParameters().forEach(one -> item(one.paramLabel(), one));
    for (OptionSpec option : spec.options()) {
      if (!option.hidden()) {
        String label = option.arity().max() == 0 ? "" : " " + option.paramLabel();
        item(String.join(", ", option.names()) + label, option);
      }
    }
  }

  private void item(String head, ArgSpec argument) {
    line(".TP");
    line("\\fB" + text(head) + "\\fR");
    line(text(String.join(" ", argument.description())));
  }

  private void commands() {
    if (spec.subcommands().isEmpty()) {
      return;
    }
    section("COMMANDS");
    for (Map.Entry<String, CommandLine> one : spec.subcommands().entrySet()) {
      CommandSpec sub = one.getValue().getCommandSpec();
      line(".TP");
      line("\\fB" + text(name(sub)) + "\\fR(1)");
      line(text(summary(sub)));
    }
  }

  private static String summary(CommandSpec spec) {
    String[] description = spec.usageMessage().description();
    return description.length == 0 ? spec.name() : description[0];
  }

  private void section(String name) {
    line(".SH " + name);
  }

  private void verbatim(List<String> lines) {
    line(".nf");
    lines.forEach(one -> line(text(one)));
    line(".fi");
  }

  private void line(String line) {
    page.append(line).append('\n');
  }

  /** A dot or a quotation mark at the beginning of a line would be a request. */
  private static String text(String plain) {
    String escaped =
        plain.replace("\\", "\\e").replace("-", "\\-").replace("%n", " ").replace("%%", "%");
    return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
  }
}
