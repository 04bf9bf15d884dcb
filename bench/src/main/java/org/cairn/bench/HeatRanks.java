// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.RestartRequest;
import org.cairn.apps.heat2d.Heat2D;
import org.cairn.apps.heat2d.Heat2DOptions;
import org.cairn.apps.heat2d.Heat2DProgram;
import org.cairn.apps.heat2d.Heat2DResult;
import org.cairn.comm.Communicator;
import org.cairn.comm.Communicators;
import org.jspecify.annotations.Nullable;

/**
 * One rank of Heat2D with and without checkpoints, all variants in turn within one process. Prints
 * {@code time VARIANT SECONDS} for each run, and what {@link HeatReference} compares.
 */
final class HeatRanks {
  /** Computing without checkpoints. */
  static final String BASELINE = "none";

  private final Communicator ranks;
  private final Heat settings;
  private final Consumer<String> out;

  /**
   * How it is measured.
   *
   * @param columns of the plate
   * @param every iterations between checkpoints
   * @param checkpoints in each run
   * @param rounds how often each variant runs
   * @param folder for all checkpoints
   */
  record Heat(int columns, int every, int checkpoints, int rounds, Path folder) {
    /** A checkpoint after every {@code every} iterations, but none after the last. */
    int iterations() {
      return every * (checkpoints + 1);
    }

    List<String> arguments() {
      return List.of(
          String.valueOf(columns),
          String.valueOf(every),
          String.valueOf(checkpoints),
          String.valueOf(rounds),
          folder.toString());
    }

    static Heat of(String... arguments) {
      return new Heat(
          Integer.parseInt(arguments[0]),
          Integer.parseInt(arguments[1]),
          Integer.parseInt(arguments[2]),
          Integer.parseInt(arguments[3]),
          Path.of(arguments[4]));
    }
  }

  private HeatRanks(Communicator ranks, Heat settings, Consumer<String> out) {
    this.ranks = ranks;
    this.settings = settings;
    this.out = out;
  }

  /** See {@link Heat#arguments}. */
  public static void main(String[] arguments) throws IOException {
    try (Communicator ranks = Communicators.world()) {
      run(ranks, Heat.of(arguments), System.out::println);
    }
  }

  /** Measures as one of these ranks; rank 0 tells. */
  static void run(Communicator ranks, Heat settings, Consumer<String> out) throws IOException {
    new HeatRanks(ranks, settings, ranks.rank() == 0 ? out : line -> {}).run();
  }

  static String variant(TierChoice choice, boolean asynchronous) {
    return choice + (asynchronous ? "-async" : "-sync");
  }

  private void run() throws IOException {
    for (TierChoice choice : TierChoice.values()) {
      for (boolean asynchronous : new boolean[] {false, true}) {
        Heat2DResult result = reference(choice, asynchronous);
        out.accept(
            "result %s %s %s %s"
                .formatted(
                    variant(choice, asynchronous), result.sum(), result.top(), result.centre()));
      }
    }
    // The first round is for the compiler.
    for (int round = -1; round < settings.rounds(); round++) {
      time(round, BASELINE, null, false);
      for (TierChoice choice : TierChoice.values()) {
        time(round, variant(choice, false), choice, false);
        time(round, variant(choice, true), choice, true);
      }
    }
  }

  private Heat2DResult reference(TierChoice choice, boolean asynchronous) throws IOException {
    Path folder = settings.folder().resolve("reference-" + variant(choice, asynchronous));
    HeatReference reference = HeatReference.of(ranks.size());
    Heat2DOptions options =
        new Heat2DOptions(
            reference.columns(),
            reference.iterations(),
            folder,
            Math.max(1, reference.iterations() / 8),
            Duration.ofHours(1),
            asynchronous,
            choice.tiers(folder),
            false,
            "",
            RestartRequest.newest(),
            null,
            false);
    Heat2DResult result = Heat2DProgram.run(options, ranks);
    clean(folder);
    return result;
  }

  private void time(int round, String variant, @Nullable TierChoice choice, boolean asynchronous)
      throws IOException {
    Heat2D heat = new Heat2D(settings.columns(), ranks);
    warm(heat);
    double seconds;
    if (choice == null) {
      seconds = iterate(heat, () -> {});
    } else {
      Path folder = settings.folder().resolve(variant);
      Options options =
          Options.defaults()
              .asynchronous(asynchronous)
              .tiers(choice.tiers(folder))
              .threads(Math.max(1, Runtime.getRuntime().availableProcessors() / ranks.size()));
      try (Checkpointer cairn = Checkpointer.open(folder, ranks, options)) {
        cairn.protect("plate", double[].class, heat::plate, heat::plateToRestore);
        Checkpoint first = cairn.checkpoint().await();
        first.tiers().forEach(first::await);
        seconds = iterate(heat, cairn::checkpoint);
      }
      clean(folder);
    }
    if (round >= 0) {
      out.accept(String.format(Locale.ROOT, "time %s %.9f", variant, seconds));
    }
  }

  /** A cold plate would be zeros, which cost nothing, and dirty where the heat has got to. */
  private void warm(Heat2D heat) {
    SplittableRandom random = new SplittableRandom(ranks.rank());
    double[] plate = heat.plate();
    for (int i = heat.columns(); i < plate.length; i++) {
      plate[i] = 100 * random.nextDouble();
    }
  }

  /** Seconds of the iterations, checkpoints included; those in the background may go on after. */
  private double iterate(Heat2D heat, Runnable checkpoint) {
    ranks.barrier();
    long start = System.nanoTime();
    for (int i = 1; i <= settings.iterations(); i++) {
      heat.step();
      if (i % settings.every() == 0 && i < settings.iterations()) {
        checkpoint.run();
      }
    }
    ranks.barrier();
    return (System.nanoTime() - start) * 1e-9;
  }

  private void clean(Path folder) throws IOException {
    ranks.barrier();
    if (ranks.rank() == 0 && Files.exists(folder)) {
      new TargetsCommand.Scratch(folder).close();
    }
    ranks.barrier();
  }
}
