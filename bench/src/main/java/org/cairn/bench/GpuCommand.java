// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.cairn.HashAlgorithm;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.device.Device;
import org.cairn.device.Devices;
import org.cairn.gpu.DatasetCosts;
import org.cairn.gpu.Rates;
import org.cairn.hash.WeakHash;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code cairn bench gpu}. */
@Command(
    name = "gpu",
    description = {
      "Measures what a device (GPU) does for checkpoints:",
      "  resident    how fast it hashes memory of its own",
      "  registered  memory of the host that it reaches by itself, copies and hashes overlapped",
      "  pageable    other memory of the host",
      "  datasets    how long a program waits for a checkpoint of memory on the device, against"
          + " one pass of hashing and a copy of what changed"
    },
    footer = {
      "",
      "Without a device it says why there is none, with exit status 1.",
      "",
      "Examples:",
      "  cairn bench gpu                                      everything, 2 GiB",
      "  cairn bench gpu --parts resident --mib 8192 --blocks 16384 --json",
      "  cairn bench gpu --parts datasets --mib 8192 --dir /scratch"
    })
final class GpuCommand implements Callable<Integer> {
  /** What is measured. */
  enum Part {
    resident,
    registered,
    pageable,
    datasets
  }

  private static final double BOUND = 1.3;

  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--parts",
      paramLabel = "PART",
      split = ",",
      defaultValue = "resident,registered,pageable,datasets",
      description = "What to measure: ${COMPLETION-CANDIDATES} (default: all).")
  private List<Part> parts = List.of();

  @Option(
      names = "--mib",
      paramLabel = "N",
      defaultValue = "2048",
      description = "How much memory is hashed, in MiB (default: ${DEFAULT-VALUE}).")
  private long mebibytes = 2048;

  @Option(
      names = "--blocks",
      paramLabel = "BYTES,...",
      split = ",",
      defaultValue = "128,1024,4096,16384,65536,1048576",
      description = "Sizes of blocks (default: ${DEFAULT-VALUE}).")
  private List<Integer> blockSizes = List.of();

  @Option(
      names = "--algorithms",
      paramLabel = "NAME,...",
      split = ",",
      defaultValue = "xxh3-128,rotating-xor,adler-32,crc32,md5,sha-256",
      description = "Algorithms, of which the host's memory sees the first (default: all).")
  private List<String> algorithms = List.of();

  @Option(
      names = "--dirty",
      paramLabel = "SHARE",
      defaultValue = "0.03",
      description = "Part of the blocks that changes between two checkpoints (default: 0.03).")
  private double dirty = 0.03;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where to write; a folder in it is made and deleted (default: the temporary one).")
  private @Nullable Path directory;

  @Mixin private JsonOption json = new JsonOption();

  GpuCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    requireSense();
    Optional<String> absence = Devices.absence();
    if (absence.isPresent()) {
      terminal.err().println("no device to measure: " + absence.get());
      terminal.err().flush();
      return 1;
    }
    for (Device device : Devices.all()) {
      measure(device);
    }
    return 0;
  }

  private void requireSense() {
    require(mebibytes >= 1, "--mib is at least 1, not " + mebibytes);
    require(dirty > 0 && dirty <= 1, "--dirty is more than 0 and at most 1, not " + dirty);
    for (int size : blockSizes) {
      require(size >= 128 && size <= 1 << 20, "--blocks are 128 to 1048576 bytes, not " + size);
    }
  }

  private void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), otherwise);
    }
  }

  private void measure(Device device) throws IOException {
    Rates rates = new Rates(device);
    List<Rates.Rate> found = new ArrayList<>();
    if (parts.contains(Part.resident)) {
      found.addAll(rates.resident(mebibytes << 20, chosen(), blockSizes));
    }
    List<HashAlgorithm> first = chosen().subList(0, 1);
    Map<String, Object> results = new LinkedHashMap<>();
    results.put("device", device.name());
    if (parts.contains(Part.registered)) {
      found.addAll(rates.travelling(Rates.Memory.REGISTERED, mebibytes << 20, first, blockSizes));
      results.put("registeredCopy", rates.copyRate(mebibytes << 20, true));
    }
    if (parts.contains(Part.pageable)) {
      found.addAll(rates.travelling(Rates.Memory.PAGEABLE, mebibytes << 20, first, blockSizes));
      results.put("pageableCopy", rates.copyRate(mebibytes << 20, false));
    }
    results.put("rates", found.stream().map(GpuCommand::described).toList());
    print(device.name(), rateTable(found), results);
    if (parts.contains(Part.datasets)) {
      List<DatasetCosts.Costs> costs = costs(device);
      results.put("datasets", costs);
      if (!json.requested()) {
        terminal.out().println(costTable(costs));
      }
    }
    if (json.requested()) {
      JsonOption.print(terminal, results);
    }
    terminal.out().flush();
  }

  private List<HashAlgorithm> chosen() {
    return algorithms.stream().map(WeakHash::parseAny).toList();
  }

  private static Map<String, Object> described(Rates.Rate rate) {
    return Map.of(
        "memory", rate.memory().name().toLowerCase(Locale.ROOT),
        "algorithm", rate.algorithm().label(),
        "blockSize", rate.blockSize(),
        "gigabytesPerSecond", rate.gigabytesPerSecond());
  }

  private void print(String device, Table table, Map<String, Object> results) {
    if (json.requested()) {
      return;
    }
    terminal.out().println(device);
    terminal.out().println(table);
    for (String kind : List.of("registeredCopy", "pageableCopy")) {
      if (results.get(kind) instanceof Double rate) {
        terminal.out().printf(Locale.ROOT, "%s alone: %.1f GB/s%n", kind, rate);
      }
    }
  }

  private static Table rateTable(List<Rates.Rate> rates) {
    Table table = new Table("memory", "algorithm", ">block", ">GB/s");
    for (Rates.Rate rate : rates) {
      table.row(
          rate.memory().name().toLowerCase(Locale.ROOT),
          rate.algorithm().label(),
          String.valueOf(rate.blockSize()),
          format("%.1f", rate.gigabytesPerSecond()));
    }
    return table;
  }

  private List<DatasetCosts.Costs> costs(Device device) throws IOException {
    List<DatasetCosts.Costs> all = new ArrayList<>();
    try (TargetsCommand.Scratch scratch = TargetsCommand.Scratch.in(directory)) {
      for (int blockSize : List.of(4096, 16384, 65536)) {
        all.add(
            new DatasetCosts(device, mebibytes << 20, blockSize, dirty)
                .measure(scratch.path().resolve("blocks-" + blockSize)));
      }
    }
    return all;
  }

  private static Table costTable(List<DatasetCosts.Costs> all) {
    Table table =
        new Table(
            ">MiB",
            ">block",
            ">changed, MiB",
            ">hash, ms",
            ">copy, ms",
            ">waits, ms",
            ">ratio",
            ">bound",
            "");
    for (DatasetCosts.Costs costs : all) {
      table.row(
          format("%d", costs.bytes() >> 20),
          format("%d", costs.blockSize()),
          format("%.1f", costs.dirtyBytes() / 1048576.0),
          format("%.2f", costs.hash() * 1e3),
          format("%.2f", costs.copy() * 1e3),
          format("%.2f", costs.waited() * 1e3),
          format("%.2f", costs.ratio()),
          "≤ " + BOUND,
          costs.ratio() <= BOUND ? "kept" : "missed");
    }
    return table;
  }

  private static String format(String format, Object value) {
    return String.format(Locale.ROOT, format, value);
  }
}
