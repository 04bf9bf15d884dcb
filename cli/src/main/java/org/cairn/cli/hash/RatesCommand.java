// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.hash;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Question;
import org.cairn.cli.answer.Units;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.hash.HashRates;
import org.cairn.plan.hash.Place;
import org.cairn.plan.hash.StudiedHash;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cairn hash rates}. */
@Command(
    name = "rates",
    description = {
      "How fast hashes are on this machine, by size of blocks, kind of memory and threads, and below"
          + " which bandwidth of the storage hashing pays (figures 7.5 to 7.10 and table 7.2 of"
          + " Ferreira 2011).",
      ""
    },
    footer = {
      "",
      "Pictures (--plot): rates (all hashes), the name of a hash (by memory and threads), bandwidths"
          + " (figure 7.10)",
      "",
      "Examples:",
      "  cairn hash rates                                        all hashes, both kinds of memory",
      "  cairn hash rates --hashes xxh3-128,md5 --blocks 64..1MiB --svg rates.svg",
      "  cairn hash rates --gpu                                  a device beside the processor",
      "  cairn hash rates --by processor                         where others use the machine, too",
      "  cairn hash rates --unchanged 70%%                        break-evens of a program of yours",
      "",
      "cairn bench hash compares the same hashes with a plain sum of the same memory."
    })
final class RatesCommand extends Question {
  @Option(
      names = "--hashes",
      paramLabel = "NAME,...",
      defaultValue = "all",
      description = "Which hashes; ${DEFAULT-VALUE} unless given.")
  private String hashes = "";

  @Option(
      names = "--blocks",
      paramLabel = "SIZE,...",
      defaultValue = "64,256,1KiB,4KiB,16KiB,64KiB,256KiB,1MiB",
      description =
          "Block sizes, one by one or by powers of two from one to another; powers of four"
              + " from 64 to 1MiB unless given.")
  private String blocks = "";

  @Option(
      names = "--threads",
      paramLabel = "N,...",
      description = "Numbers of threads; 1 and one for each core unless given.")
  private @Nullable String threads;

  @Option(
      names = "--memory",
      paramLabel = "KIND,...",
      defaultValue = "native,heap",
      description =
          "Kinds of memory: native (segments off the heap), heap (double[]); both unless given.")
  private String memory = "";

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = Units.Size.class,
      defaultValue = "32MiB",
      description = "How much memory is hashed at a time; ${DEFAULT-VALUE} unless given.")
  private double size;

  @Option(
      names = "--warm-up",
      paramLabel = "SIZE",
      converter = Units.Size.class,
      defaultValue = "320MiB",
      description =
          "How much of each kind is hashed before anything counts, half of it in small blocks, for"
              + " two seconds each at most; ${DEFAULT-VALUE} unless given.")
  private double warmUp;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "How often each is measured; medians count. ${DEFAULT-VALUE} unless given.")
  private int rounds;

  @Option(
      names = "--by",
      paramLabel = "CLOCK",
      defaultValue = "clock",
      description =
          "Show rates by the clock, or by processor time, which others on the machine disturb less;"
              + " --csv and --json have both.")
  private String by = "";

  @Option(names = "--gpu", description = "Measure a device, too: resident, and with copies.")
  private boolean gpu;

  @Option(
      names = "--unchanged",
      paramLabel = "PART",
      converter = Units.Share.class,
      description =
          "What part of the pages that your program writes to is found unchanged by hashes, for"
              + " its break-evens.")
  private @Nullable Double unchanged;

  RatesCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  public Answer answer() throws InterruptedException {
    boolean byProcessor = byProcessor();
    List<StudiedHash> chosen = Lists.hashes(hashes, StudiedHash.computed());
    List<Integer> sizes = Lists.blocks(blocks);
    List<Integer> counts = threads == null ? defaultThreads() : Lists.threads(threads);
    if (rounds < 1) {
      throw new IllegalArgumentException("--rounds is " + rounds + "; there must be at least 1");
    }
    if (unchanged != null && !(unchanged >= 0 && unchanged <= 1)) {
      throw new IllegalArgumentException(
          "--unchanged is " + unchanged + "; it must be a part, such as 70% or 0.7");
    }
    try (Arena arena = Arena.ofShared();
        DevicePlaces devices = gpu ? DevicePlaces.find(allocate(arena)) : DevicePlaces.NONE) {
      List<Place> places = new ArrayList<>(processor(arena));
      places.addAll(devices.places());
      List<String> remarks = gpu ? List.of(devices.remark()) : List.of();
      List<HashRates.Setting> settings = HashRates.settings(chosen, places, counts, sizes);
      return new RatesAnswer(measure(settings), byProcessor, unchanged).answer(remarks);
    }
  }

  private List<HashRates.Measured> measure(List<HashRates.Setting> settings)
      throws InterruptedException {
    try (ProgressBar bar =
        terminal().bar("rates", HashRates.passes(settings, rounds), Quantities::count)) {
      return HashRates.measure(settings, (long) warmUp, rounds, bar::reach);
    }
  }

  private static List<Integer> defaultThreads() {
    int cores = Runtime.getRuntime().availableProcessors();
    return cores == 1 ? List.of(1) : List.of(1, cores);
  }

  private boolean byProcessor() {
    return switch (by.toLowerCase(Locale.ROOT)) {
      case "clock" -> false;
      case "processor" -> true;
      default ->
          throw new IllegalArgumentException("--by is '" + by + "'; there are clock and processor");
    };
  }

  private int bytes() {
    if (!(size >= 1 << 20 && size <= 1 << 30)) {
      throw new IllegalArgumentException("--size is " + size + "; it must be 1MiB to 1GiB");
    }
    return (int) size / Long.BYTES * Long.BYTES;
  }

  private List<Place> processor(Arena arena) {
    return Lists.of(
        memory,
        kind ->
            switch (kind.strip().toLowerCase(Locale.ROOT)) {
              case "native" -> Place.of("native memory", allocate(arena));
              case "heap" ->
                  Place.of("double[]", MemorySegment.ofArray(new double[bytes() / Double.BYTES]));
              default ->
                  throw new IllegalArgumentException(
                      "there is no memory '" + kind + "'; there are native and heap");
            });
  }

  private MemorySegment allocate(Arena arena) {
    try {
      return arena.allocate(bytes(), Long.BYTES);
    } catch (OutOfMemoryError e) {
      throw new CommandFailedException(
          "there are no " + Quantities.bytes(bytes()) + " of memory left; try --size", e);
    }
  }
}
