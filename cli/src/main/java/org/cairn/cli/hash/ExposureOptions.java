// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.hash;

import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Units;
import org.cairn.cli.answer.Words;
import org.cairn.plan.hash.Exposure;
import picocli.CommandLine.Option;

/** What a program would ask of its hash. */
final class ExposureOptions {
  private static final int[] BITS = {32, 64, 128};

  @Option(
      names = "--state",
      paramLabel = "SIZE",
      converter = Units.Size.class,
      defaultValue = "1TB",
      description =
          "State of all ranks, for the blocks that XXH3 of 32 and 64 bits would miss;"
              + " ${DEFAULT-VALUE} unless given.")
  private double state;

  @Option(
      names = "--checkpoints",
      paramLabel = "N",
      converter = Units.Count.class,
      defaultValue = "1000",
      description = "How many checkpoints are taken of it; ${DEFAULT-VALUE} unless given.")
  private long checkpoints;

  @Option(
      names = "--state-block",
      paramLabel = "SIZE",
      defaultValue = "16KiB",
      description = "In blocks of this size; ${DEFAULT-VALUE} unless given.")
  private String block = "";

  @Option(
      names = "--dirty",
      paramLabel = "PART",
      converter = Units.Share.class,
      defaultValue = "100%",
      description = "What part of them changes each time; 100%% unless given.")
  private double dirty;

  Exposure exposure() {
    return new Exposure(state, Lists.blocks(block).getFirst(), checkpoints, dirty);
  }

  /** What is to be expected, as a table and a sentence. */
  static void tell(Answer answer, Exposure exposure) {
    Sheet sheet =
        new Sheet("Blocks that XXH3 is expected to miss", "expected")
            .column("bits", Kind.COUNT)
            .column("of a changed block", Kind.CHANCE)
            .column("missed blocks", Kind.CHANCE)
            .column("chance of any", Kind.CHANCE);
    for (int bits : BITS) {
      double rate = Math.scalb(1.0, -bits);
      sheet.row(bits, rate, exposure.missed(rate), exposure.chanceOfAny(rate));
    }
    answer.sheet(sheet);
    answer
        .given("stateBytes", exposure.stateBytes())
        .given("stateBlockBytes", exposure.block())
        .given("checkpoints", exposure.checkpoints())
        .given("dirtyShare", exposure.dirty())
        .given("decisions", exposure.decisions());
    answer.note(
        "The last table: "
            + Words.count(exposure.checkpoints())
            + " checkpoints of "
            + Words.count(Math.ceil(exposure.stateBytes() / exposure.block()))
            + " blocks of which "
            + Words.percent(exposure.dirty())
            + " change each time (--state, --state-block, --checkpoints, --dirty), told apart by the"
            + " first 32 or 64 bits of XXH3 or by all 128.");
  }
}
