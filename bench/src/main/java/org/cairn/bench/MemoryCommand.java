// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.cairn.bench.memory.Probe;
import org.cairn.bench.mpi.Programs;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.SameJava;
import org.cairn.cli.command.SizeConverter;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn bench memory}. */
@Command(
    name = "memory",
    description = {
      "Measures what processes take of memory beside the state they save, at most, as the system",
      "counts it (Linux): after a start and after a restart, with checkpoints of all and of little."
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench memory               one process of 256 MiB, and two ranks as threads",
      "  cairn bench memory --size 1GiB --dir /scratch",
      "",
      "Exit codes: 0 all within a quarter of the state + 64 MiB a rank, 1 not so."
    })
final class MemoryCommand implements Callable<Integer> {
  private static final long JVM_BYTES = 64L << 20;
  private static final int PART_OF_STATE = 4;

  private final Terminal terminal;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "256MiB",
      description = "State of a rank (default: ${DEFAULT-VALUE}).")
  private long size = 256L << 20;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where to write; a folder in it is made and deleted (default: the temporary one).")
  private @Nullable Path directory;

  @Mixin private JsonOption json = new JsonOption();

  MemoryCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** A program: how many ranks, as threads of one process, and what they do. */
  private record Subject(String name, int ranks, String mode) {}

  private static final List<Subject> SUBJECTS =
      List.of(
          new Subject("no checkpoints", 1, "none"),
          new Subject("synchronous", 1, "sync"),
          new Subject("asynchronous", 1, "async"),
          new Subject("synchronous", 2, "sync"),
          new Subject("with parity", 2, "erasure"));

  /**
   * What a rank of a program took beside its state at most, in bytes.
   *
   * @param started in a process that began with nothing
   * @param restarted in one that restarted
   * @param bound what it may take
   */
  record Taken(String name, int ranks, long started, long restarted, long bound) {
    long most() {
      return Math.max(started, restarted);
    }

    boolean passed() {
      return most() <= bound;
    }
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Taken> all = measure(directory, size);
    if (json.requested()) {
      JsonOption.print(terminal, Map.of("memory", all));
    } else {
      terminal.out().print(table(all));
      terminal.out().flush();
    }
    return all.stream().allMatch(Taken::passed) ? 0 : 1;
  }

  /** What all programs take. */
  static List<Taken> measure(@Nullable Path directory, long size)
      throws IOException, InterruptedException {
    List<Taken> all = new ArrayList<>();
    for (Subject subject : SUBJECTS) {
      try (TargetsCommand.Scratch scratch = TargetsCommand.Scratch.in(directory)) {
        long bound = size / PART_OF_STATE + JVM_BYTES;
        long started = beside(subject, scratch.path(), size);
        long restarted = beside(subject, scratch.path(), size);
        all.add(new Taken(subject.name, subject.ranks, started, restarted, bound));
      }
    }
    return all;
  }

  /** Bytes beside the state, a rank; the process is a fresh one. */
  private static long beside(Subject subject, Path folder, long size)
      throws IOException, InterruptedException {
    String printed =
        Programs.output(
            SameJava.command(
                Probe.class,
                List.of(
                    folder.resolve("checkpoints").toString(),
                    String.valueOf(subject.ranks),
                    String.valueOf(size),
                    subject.mode)));
    return Long.parseLong(printed.strip()) / subject.ranks - size;
  }

  private Table table(List<Taken> all) {
    Table table =
        new Table(
            Quantities.bytes(size) + " per rank",
            ">ranks",
            ">beside it, started",
            ">restarted",
            ">may be",
            "");
    for (Taken taken : all) {
      table.row(
          taken.name(),
          String.valueOf(taken.ranks()),
          Quantities.bytes(taken.started()),
          Quantities.bytes(taken.restarted()),
          Quantities.bytes(taken.bound()),
          taken.passed() ? "PASS" : "MISS");
    }
    return table;
  }
}
