// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The family of {@code cairn bench} commands. */
@Command(
    name = "bench",
    description = "Measures Cairn on this machine, as ratios to what the machine can do.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Examples:",
      "  cairn bench targets --quick        are the promised ratios kept? A minute or two",
      "  cairn bench targets                the same with 512 MiB, and a file 1,000 checkpoints old",
      "  cairn bench sweep --csv sweep.csv  dirty fractions, block sizes, algorithms",
      "  cairn bench hash                   how fast each algorithm hashes",
      "  cairn bench erasure                how fast Reed-Solomon codes are computed",
      "  cairn bench transform              how fast typed bytes are made easier to compress",
      "  cairn bench aggregate              how small and fast checkpoints of many ranks become",
      "  cairn bench mpi                    messages between ranks, against C",
      "  cairn bench tiers                  what partner, erasure and shared tiers cost",
      "  cairn bench moments                processes that have just begun; large changes",
      "  cairn bench against --fti DIR      beside FTI, another library, in turn",
      "  cairn bench memory                 what processes take of memory beside their state",
      "  cairn bench scale                  messages and bytes of 16 to 512 thread ranks",
      "  cairn bench ranks                  restarts on another number of ranks",
      "  cairn bench mesh                   loops made of kernels, against loops by hand",
      "  cairn bench gpu                    what a device hashes, and device datasets cost",
      "  cairn bench tracking               what it costs to know which pages were written",
      "  cairn bench simulate               how fast failures are simulated",
      "  cairn bench compare ../before .    two builds in turn: what became worse"
    })
final class BenchCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to measure");
  }
}
