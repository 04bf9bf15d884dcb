// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.hash;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Question;
import org.cairn.cli.answer.Units;
import org.cairn.cli.inspect.StateName;
import org.cairn.cli.inspect.StateOption;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.hash.BlockSizes;
import org.cairn.plan.hash.Change;
import org.cairn.plan.hash.CollisionStudy;
import org.cairn.plan.hash.Exposure;
import org.cairn.plan.hash.Outcome;
import org.cairn.plan.hash.StudiedHash;
import org.cairn.plan.hash.StudyPlan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn hash study}. */
@Command(
    name = "study",
    description = {
      "How often hashes miss that a block has changed.",
      "",
      "Algorithm 1 of Keller and Bautista-Gomez 2019: blocks of random 64-bit integers, every"
          + " element of which is combined with a pattern by XOR; a block that has the digest it had"
          + " before is missed. --changes adds what simulations do to numbers, and --from and --to"
          + " take two states that a program saved instead.",
      ""
    },
    footer = {
      "",
      "Changes of simulations (--changes): ulp, ulp-pair, swap, sign, negate, shift, halo",
      "Pictures (--plot): the names of the hashes that missed something",
      "",
      "Examples:",
      "  cairn hash study                                         table I, a short one",
      "  cairn hash study --hashes adler-32,fletcher-32-mod-65536 --blocks 128..1KiB \\",
      "      --iterations 10M --width 2%%                          until rates are known to 2 %%",
      "  cairn hash study --patterns 4,0xff,0xfff --blocks 128    what the hexadecimals would give",
      "  cairn hash study --patterns none --changes all           what simulations do",
      "  cairn hash study --from checkpoints@1.3 --to checkpoints@1.4      what a program did",
      "  cairn hash study --state 40TB --checkpoints 5000         what 32 and 64 bits would miss"
    })
final class StudyCommand extends Question {
  private static final String NONE = "none";

  /** Sizes of chapter 7 and of Cairn, for states of programs. */
  private static final String STATE_BLOCKS = "512,4KiB,16KiB";

  private static final String STUDY_BLOCKS = "128..32KiB";

  @Option(
      names = "--patterns",
      paramLabel = "P,...",
      defaultValue = "1,2,4,8,16,random",
      description =
          "What every element is combined with: that many last bits, a hexadecimal number such as"
              + " 0xff, random (another one for each block), or none; ${DEFAULT-VALUE} unless given.")
  private String patterns = "";

  @Option(
      names = "--changes",
      paramLabel = "C,...",
      defaultValue = NONE,
      description =
          "Changes of a smooth field of numbers, see the end of this help; all, or ${DEFAULT-VALUE}"
              + " unless given.")
  private String changes = "";

  @Option(
      names = "--blocks",
      paramLabel = "SIZE,...",
      description =
          "Block sizes, multiples of 8, one by one or by powers of two from one to another;"
              + " from 128 to 32KiB unless given, and 512, 4KiB and 16KiB for states of programs.")
  private @Nullable String blocks;

  @Option(
      names = "--hashes",
      paramLabel = "NAME,...",
      defaultValue = "all",
      description = "Which hashes; xxh3-N is XXH3 cut to N bits. ${DEFAULT-VALUE} unless given.")
  private String hashes = "";

  @Option(
      names = "--iterations",
      paramLabel = "N",
      converter = Units.Count.class,
      defaultValue = "10000",
      description =
          "How many blocks of each size are changed in each way, at most; ${DEFAULT-VALUE} unless"
              + " given.")
  private long iterations;

  @Option(
      names = "--width",
      paramLabel = "PART",
      converter = Units.Share.class,
      defaultValue = "0",
      description =
          "Be done with a block size as soon as every rate that is not 0 is known to this part of"
              + " itself, e.g. 5%%.")
  private double width;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description =
          "Seed of the random numbers; the same seed gives the same table, on any number of"
              + " threads. ${DEFAULT-VALUE} unless given.")
  private long seed;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads to use; one for each core unless given.")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--from",
      paramLabel = "DIR[@V]",
      description = "Compare states that a program saved: this one ...")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "DIR[@V]", description = "... and this later one.")
  private @Nullable String to;

  @Mixin private final StateOption state = new StateOption();

  @Mixin private final ExposureOptions exposure = new ExposureOptions();

  StudyCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  public Answer answer() throws IOException {
    List<StudiedHash> chosen = Lists.hashes(hashes, StudiedHash.values());
    Exposure exposed = exposure.exposure();
    if (from != null && to != null) {
      return states(from, to, chosen, exposed);
    }
    if (from != null || to != null) {
      throw new IllegalArgumentException("give both states: --from DIR[@V] --to DIR[@V]");
    }
    StudyPlan plan = plan(chosen);
    List<Outcome> outcomes;
    try (ProgressBar bar = terminal().bar("study", CollisionStudy.bytes(plan), Quantities::bytes)) {
      outcomes = CollisionStudy.run(plan, positive(threads), bar::reach);
    }
    return StudyAnswer.of(plan, outcomes, exposed);
  }

  private StudyPlan plan(List<StudiedHash> chosen) {
    List<Change> all = new ArrayList<>();
    if (!patterns.equals(NONE)) {
      all.addAll(Lists.of(patterns, Change.Xor::parse));
    }
    if (changes.equals("all")) {
      all.addAll(List.of(Change.Move.values()));
    } else if (!changes.equals(NONE)) {
      all.addAll(Lists.of(changes, Change.Move::parse));
    }
    if (all.isEmpty()) {
      throw new IllegalArgumentException(
          "there is nothing to change with; give --patterns or --changes");
    }
    if (iterations < 1) {
      throw new IllegalArgumentException(
          "--iterations is " + iterations + "; there must be at least 1");
    }
    if (!(width >= 0 && width < 1)) {
      throw new IllegalArgumentException(
          "--width is " + width + "; it must be a part, such as 5% or 0.05");
    }
    return new StudyPlan(
        chosen, all, Lists.blocks(blocks == null ? STUDY_BLOCKS : blocks), iterations, width, seed);
  }

  private static int positive(int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("--threads is " + threads + "; there must be at least 1");
    }
    return threads;
  }

  private Answer states(String first, String second, List<StudiedHash> chosen, Exposure exposed)
      throws IOException {
    List<Integer> sizes = BlockSizes.check(Lists.blocks(blocks == null ? STATE_BLOCKS : blocks));
    return new StatePair(terminal(), state, chosen, sizes)
        .compare(StateName.parse(first), StateName.parse(second), exposed);
  }
}
