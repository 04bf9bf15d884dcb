// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import org.cairn.cli.terminal.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code cairn plan}. */
@Command(
    name = "plan",
    description = {
      "Answers, before the first run and from a run's own events: how often to checkpoint, to which"
          + " tier, is differential worth it, is replication worth it, what will the run cost.",
      "",
      "Times are written 90s, 15min, 1h30min, 5y (a year has 365 days), sizes 16GB or 16GiB, rates"
          + " 1TB/s, parts 3%% or 0.03. Each answer is a few sentences and a table; --json and --csv"
          + " are for machines, --svg, --png and --html draw.",
      ""
    },
    synopsisSubcommandLabel = "QUESTION",
    footer = {
      "",
      "Examples:",
      "  cairn plan interval --mtbf 5y --sockets 10000 --checkpoint 5min",
      "  cairn plan replication --mtbf 5y --sockets 200000 --checkpoint 15min --png efficiency.png",
      "  cairn plan simulate --mtbf 4y --sockets 20000 --checkpoint 15min --failures weibull:0.469",
      "  cairn plan from-run checkpoints",
      "",
      "docs/plan.md has each question with its answer and picture."
    })
public final class PlanCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  private PlanCommand() {}

  /** The command with its questions, writing to this terminal. */
  public static CommandLine on(Terminal terminal) {
    return new CommandLine(new PlanCommand())
        .addSubcommand(new IntervalCommand(terminal))
        .addSubcommand(new WallTimeCommand(terminal))
        .addSubcommand(new ReplicationCommand(terminal))
        .addSubcommand(new DifferentialCommand(terminal))
        .addSubcommand(new MultilevelCommand(terminal))
        .addSubcommand(new SimulateCommand(terminal))
        .addSubcommand(new CompareCommand(terminal))
        .addSubcommand(new TraceCommand(terminal))
        .addSubcommand(new FromRunCommand(terminal));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say which question to answer");
  }
}
