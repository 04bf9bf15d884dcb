// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.cairn.Codec;
import org.cairn.Compression;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.codec.BlockCodecs;
import org.cairn.frame.Choice;
import org.cairn.frame.FrameOrder;
import org.cairn.pack.Advisor;
import org.cairn.pack.PackSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn advise}. */
@Command(
    name = "advise",
    description = {
      "Says what packing files would bring: how small they become, how fast, and below which"
          + " bandwidth of a store it pays.",
      "",
      "A part of the files, spread over all of them, is compressed, and forgotten.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn advise ckpt_*.h5                     what is best for a store of 500 MB/s",
      "  cairn advise -r chk00100 --bandwidth 100   for a slower one",
      "  cairn advise --classes ckpt_*.h5           with what was tried for each class of variables"
    })
public final class AdviseCommand implements Callable<Integer> {
  private static final long SAMPLE = 64L << 20;

  /** An order that is not the usual one must be better by so much. */
  private static final double WORTHWHILE = 1.01;

  private final Terminal terminal;

  @Option(
      names = "--classes",
      description = "Show what was chosen and tried for each class of variables.")
  private boolean classes;

  @Mixin private final PackOptions options = new PackOptions();

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public AdviseCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * What an effort brings.
   *
   * @param secondsPerGigabyte until a gigabyte of data is compressed and stored
   */
  record Tried(
      String compression,
      double ratio,
      double encodingMegabytesPerSecond,
      double decodingMegabytesPerSecond,
      double paysBelowMegabytesPerSecond,
      double secondsPerGigabyte) {}

  /**
   * For machines.
   *
   * @param best what to write behind {@code cairn pack}
   * @param order in which data of files follow each other best, or as was asked for
   * @param orders how many times smaller each order makes them; empty if one was asked for
   * @param transforms which of them how many classes get with it, most first
   * @param classes what it does with each class
   */
  record Report(
      long sampledBytes,
      double bandwidthMegabytesPerSecond,
      int threads,
      List<Tried> tried,
      String best,
      String order,
      Map<String, Double> orders,
      Map<String, Long> transforms,
      List<Choice> classes) {}

  private static Map<String, Long> transforms(List<Choice> choices) {
    Map<String, Long> counts =
        choices.stream()
            .flatMap(choice -> choice.taken().stream())
            .collect(
                Collectors.groupingBy(taken -> taken.recipe().toString(), Collectors.counting()));
    Map<String, Long> sorted = new LinkedHashMap<>();
    counts.entrySet().stream()
        .sorted(
            Map.Entry.<String, Long>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
    return sorted;
  }

  @Override
  public Integer call() throws IOException {
    PackSettings settings = options.settings();
    List<Compression> efforts = efforts();
    List<Advisor.Advice> found =
        new Advisor(settings, SAMPLE).advise(options.inputs(null), efforts);
    List<Tried> tried = found.stream().map(one -> tried(one, settings)).toList();
    Tried best =
        tried.stream().min(Comparator.comparingDouble(Tried::secondsPerGigabyte)).orElseThrow();
    List<Choice> choices =
        found.get(tried.indexOf(best)).choices().stream()
            .sorted(Comparator.comparing(Choice::key))
            .toList();
    if (found.getFirst().bytes() == 0) {
      throw new CommandFailedException("there is nothing in these files that could be compressed");
    }
    Map<String, Double> orders = orders(settings, found.get(tried.indexOf(best)));
    Report report =
        new Report(
            found.getFirst().bytes(),
            settings.bandwidth() * 1e-6,
            settings.threads(),
            tried,
            option(best.compression),
            orders.isEmpty() ? settings.order().toString() : best(orders),
            orders,
            transforms(choices),
            choices);
    if (json.requested()) {
      JsonOption.print(terminal, report);
    } else {
      print(report);
    }
    return 0;
  }

  /** What each order brings with an effort that was tried, unless one was asked for. */
  private Map<String, Double> orders(PackSettings settings, Advisor.Advice known)
      throws IOException {
    Map<String, Double> ratios = new LinkedHashMap<>();
    if (options.hasOrder() || known.compression().equals(Compression.none())) {
      return ratios;
    }
    ratios.put(settings.order().toString(), known.ratio());
    for (FrameOrder order : FrameOrder.values()) {
      if (order != settings.order()) {
        Advisor other = new Advisor(settings.with(order, settings.sizes()), SAMPLE);
        ratios.put(order.toString(), other.ratio(options.inputs(null), known.compression()));
      }
    }
    return ratios;
  }

  /** The usual one, unless another is better by more than a sample tells. */
  private static String best(Map<String, Double> orders) {
    Map.Entry<String, Double> usual = orders.entrySet().iterator().next();
    Map.Entry<String, Double> best =
        orders.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow();
    return best.getValue() > usual.getValue() * WORTHWHILE ? best.getKey() : usual.getKey();
  }

  /** All that make a difference here. */
  private List<Compression> efforts() {
    Optional<String> missing = BlockCodecs.unavailable(Codec.ZSTD);
    if (missing.isPresent()) {
      terminal.remark("cairn advise: nothing can be compressed here: " + missing.get());
      return List.of(Compression.none());
    }
    return List.of(
        Compression.none(),
        Compression.fast(),
        Compression.small(3),
        Compression.small(),
        Compression.small(9));
  }

  private static String option(String compression) {
    int level = compression.indexOf("(level ");
    return level < 0
        ? "--compression " + compression
        : "--level " + compression.substring(level + "(level ".length(), compression.length() - 1);
  }

  private static Tried tried(Advisor.Advice one, PackSettings settings) {
    return new Tried(
        one.compression().toString(),
        one.ratio(),
        one.bytes() / Math.max(1e-9, one.encodingSeconds()) * 1e-6,
        one.bytes() / Math.max(1e-9, one.decodingSeconds()) * 1e-6,
        one.breakEven(settings.threads()) * 1e-6,
        one.secondsPerByte(settings.bandwidth(), settings.threads()) * 1e9);
  }

  private void print(Report report) {
    if (classes) {
      terminal.print(PackCommand.choices(report.classes));
      terminal.out().println();
    }
    Table table =
        new Table(
            "compression", ">ratio", ">MB/s a core", ">back", ">pays below", ">s a GB stored");
    for (Tried one : report.tried) {
      boolean none = one.compression.equals("none");
      table.row(
          one.compression,
          number(one.ratio, 2),
          none ? "-" : number(one.encodingMegabytesPerSecond, 0),
          none ? "-" : number(one.decodingMegabytesPerSecond, 0),
          none ? "-" : number(one.paysBelowMegabytesPerSecond, 0) + " MB/s",
          number(one.secondsPerGigabyte, 2));
    }
    terminal.print(table);
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "Of %s. With %d threads and a store of %.0f MB/s: %s, order %s; classes by transform: %s.%n",
            Quantities.bytes(report.sampledBytes),
            report.threads,
            report.bandwidthMegabytesPerSecond,
            report.best,
            report.order,
            report.transforms.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", ")));
    if (!report.orders.isEmpty()) {
      terminal
          .out()
          .printf(
              "Ratios by order: %s.%n",
              report.orders.entrySet().stream()
                  .map(entry -> entry.getKey() + " " + number(entry.getValue(), 2))
                  .collect(Collectors.joining(", ")));
    }
    terminal
        .out()
        .println(
            "Holes, and blocks that are there twice, a pack stores once at most; not counted.");
  }

  private static String number(double value, int decimals) {
    return String.format(Locale.ROOT, "%,." + decimals + "f", value);
  }
}
