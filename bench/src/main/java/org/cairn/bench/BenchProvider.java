// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import org.cairn.cli.CommandProvider;
import org.cairn.cli.terminal.Terminal;
import picocli.CommandLine;

/** Adds {@code bench} to the {@code cairn} command. */
public final class BenchProvider implements CommandProvider {
  @Override
  public Object command(Terminal terminal) {
    return new CommandLine(new BenchCommand())
        .addSubcommand(new TargetsCommand(terminal))
        .addSubcommand(new SweepCommand(terminal))
        .addSubcommand(new HashCommand())
        .addSubcommand(new ErasureCommand(terminal))
        .addSubcommand(new TransformCommand(terminal))
        .addSubcommand(new AggregateCommand(terminal))
        .addSubcommand(new MpiCommand(terminal))
        .addSubcommand(new TiersCommand(terminal))
        .addSubcommand(new MemoryCommand(terminal))
        .addSubcommand(new MomentsCommand(terminal))
        .addSubcommand(new AgainstCommand(terminal))
        .addSubcommand(new ScaleCommand(terminal))
        .addSubcommand(new RanksCommand(terminal))
        .addSubcommand(new MeshCommand(terminal))
        .addSubcommand(new GpuCommand(terminal))
        .addSubcommand(new TrackingCommand(terminal))
        .addSubcommand(new SimulateCommand(terminal))
        .addSubcommand(new CompareCommand(terminal));
  }
}
