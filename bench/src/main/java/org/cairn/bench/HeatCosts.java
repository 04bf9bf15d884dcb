// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.SameJava;
import org.cairn.cli.run.MpiLauncher;
import org.cairn.comm.Ranks;

/** What checkpoints at each tier cost Heat2D. */
final class HeatCosts {
  private HeatCosts() {}

  /**
   * One variant.
   *
   * @param milliseconds that a checkpoint takes from the program
   * @param iterations the same, as a multiple of an iteration's time
   * @param spread half the distance of the quartiles of that
   * @param sum over all inner points when the reference is computed with checkpoints at this tier
   * @param centre of the same
   * @param equal whether all its values are those of the reference, in every bit
   */
  record Cost(
      int ranks,
      String transport,
      String tier,
      boolean asynchronous,
      double iterationMilliseconds,
      double milliseconds,
      double iterations,
      double spread,
      double sum,
      double centre,
      boolean equal) {}

  static List<Cost> measure(int ranks, HeatRanks.Heat settings, boolean threads)
      throws IOException, InterruptedException {
    Optional<MpiLauncher> launcher =
        threads
            ? Optional.empty()
            : Stream.of(MpiLauncher.Kind.values())
                .flatMap(kind -> MpiLauncher.find(kind).stream())
                .findFirst();
    List<String> lines =
        launcher.isPresent()
            ? output(
                launcher
                    .get()
                    .command(ranks, SameJava.command(HeatRanks.class, settings.arguments())))
            : inThreads(ranks, settings);
    String transport = launcher.map(found -> found.kind().name()).orElse("threads");
    return evaluate(ranks, transport.toLowerCase(Locale.ROOT), settings, lines);
  }

  private static List<String> inThreads(int ranks, HeatRanks.Heat settings) {
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    Ranks.run(ranks, rank -> "domain" + rank, comm -> HeatRanks.run(comm, settings, lines::add));
    return lines;
  }

  private static List<String> output(List<String> command)
      throws IOException, InterruptedException {
    Path errors = Files.createTempFile("cairn-bench", ".err");
    try {
      Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      List<String> lines =
          new String(process.getInputStream().readAllBytes(), UTF_8).lines().toList();
      if (process.waitFor() != 0) {
        throw new CommandFailedException(
            command.getFirst() + " failed: " + Files.readString(errors).strip());
      }
      return lines;
    } finally {
      Files.deleteIfExists(errors);
    }
  }

  static List<Cost> evaluate(
      int ranks, String transport, HeatRanks.Heat settings, List<String> lines) {
    Map<String, List<Double>> times = new LinkedHashMap<>();
    Map<String, double[]> results = new LinkedHashMap<>();
    for (String line : lines) {
      String[] words = line.strip().split(" ", -1);
      if (words.length == 3 && words[0].equals("time")) {
        times.computeIfAbsent(words[1], _ -> new ArrayList<>()).add(Double.valueOf(words[2]));
      } else if (words.length == 5 && words[0].equals("result")) {
        results.put(
            words[1],
            new double[] {
              Double.parseDouble(words[2]),
              Double.parseDouble(words[3]),
              Double.parseDouble(words[4])
            });
      }
    }
    Series baseline = series(times, HeatRanks.BASELINE);
    Series iteration = baseline.times(1.0 / settings.iterations());
    HeatReference reference = HeatReference.of(ranks);
    List<Cost> costs = new ArrayList<>();
    for (TierChoice choice : TierChoice.values()) {
      for (boolean asynchronous : new boolean[] {false, true}) {
        String variant = HeatRanks.variant(choice, asynchronous);
        Series lost =
            series(times, variant).plus(baseline.times(-1)).times(1.0 / settings.checkpoints());
        Series relative = lost.over(iteration);
        double[] values = results.getOrDefault(variant, new double[3]);
        costs.add(
            new Cost(
                ranks,
                transport,
                choice.label(),
                asynchronous,
                1e3 * iteration.median(),
                1e3 * lost.median(),
                relative.median(),
                relative.spread(),
                values[0],
                values[2],
                reference.isEqualTo(values[0], values[1], values[2])));
      }
    }
    return costs;
  }

  private static Series series(Map<String, List<Double>> times, String variant) {
    return Series.of(
        times.getOrDefault(variant, List.of()).stream().mapToDouble(Double::doubleValue).toArray());
  }
}
