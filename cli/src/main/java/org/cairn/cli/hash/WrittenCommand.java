// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.hash;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Question;
import org.cairn.cli.answer.Words;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.TemporaryFolder;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.hash.BlockSizes;
import org.cairn.track.UnwatchableException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cairn hash written}. */
@Command(
    name = "written",
    description = {
      "How much of the memory that programs write to between two checkpoints has changed (figures"
          + " 7.1 to 7.4 and table 7.1 of Ferreira 2011).",
      "",
      "Runs the programs that come with Cairn. At each checkpoint the kernel tells which pages of"
          + " their arrays were written to, and all blocks are compared with what they were at the"
          + " checkpoint before.",
      ""
    },
    footer = {
      "",
      "Pictures (--plot): the names of the programs",
      "",
      "Examples:",
      "  cairn hash written                                       all three, about a minute",
      "  cairn hash written --programs heat2d --size 2048 --every 500 --svg heat.svg",
      "  cairn hash written --csv --table checkpoints             each checkpoint",
      "",
      "Of a program of yours, cairn show DIR tells what was written, hashed and changed."
    })
final class WrittenCommand extends Question {
  @Option(
      names = "--programs",
      paramLabel = "NAME,...",
      defaultValue = "heat2d,poisson,cloverleaf",
      description = "Which programs; ${DEFAULT-VALUE} unless given.")
  private String programs = "";

  @Option(
      names = "--size",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Points along a side of each program's grid; 1024 unless given, 480 for cloverleaf.")
  private int size;

  @Option(
      names = "--every",
      paramLabel = "K",
      defaultValue = "0",
      description =
          "Steps from checkpoint to checkpoint; 50 of heat2d and poisson and 20 of cloverleaf"
              + " unless given.")
  private int every;

  @Option(
      names = "--checkpoints",
      paramLabel = "N",
      defaultValue = "20",
      description = "How many checkpoints of each; ${DEFAULT-VALUE} unless given.")
  private int checkpoints;

  @Option(
      names = "--blocks",
      paramLabel = "SIZE,...",
      defaultValue = "512,4KiB,16KiB",
      description =
          "Block sizes, one by one or by powers of two from one to another; 512, 4KiB and"
              + " 16KiB unless given.")
  private String blocks = "";

  WrittenCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  public Answer answer() throws IOException {
    List<StudiedProgram.Kind> kinds = Lists.of(programs, StudiedProgram.Kind::parse);
    List<Integer> sizes = BlockSizes.check(Lists.blocks(blocks));
    atLeast("--size", size, 0);
    atLeast("--every", every, 0);
    atLeast("--checkpoints", checkpoints, 2);
    Map<StudiedProgram.Kind, List<WrittenStudy.Seen>> seen = new LinkedHashMap<>();
    for (StudiedProgram.Kind kind : kinds) {
      seen.put(kind, study(kind, sizes));
    }
    return WrittenAnswer.of(seen, sizes);
  }

  private List<WrittenStudy.Seen> study(StudiedProgram.Kind kind, List<Integer> sizes)
      throws IOException {
    int points = size == 0 ? kind.size() : size;
    int steps = every == 0 ? kind.every() : every;
    long all = (long) steps * checkpoints;
    try (TemporaryFolder folder = TemporaryFolder.of(null, "written");
        ProgressBar bar =
            terminal().bar(kind.title(), all, number -> Words.count(number) + " steps")) {
      return new WrittenStudy(kind, points, steps, sizes)
          .run(checkpoints, folder.path().resolve("checkpoints"), bar::reach);
    } catch (UnwatchableException e) {
      throw new CommandFailedException(
          "what %s writes to cannot be seen here: %s".formatted(kind.title(), e.why()), e);
    }
  }

  private static void atLeast(String option, int value, int least) {
    if (value < least) {
      throw new IllegalArgumentException(
          "%s is %d; there must be at least %d".formatted(option, value, Math.max(1, least)));
    }
  }
}
