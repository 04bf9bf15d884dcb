// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mpi;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.cairn.cli.command.SameJava;
import org.cairn.cli.run.MpiLauncher;

/** Runs the two programs that send messages there and back, under one MPI. */
public final class PingPongJob {
  private final MpiLauncher launcher;
  private final Path program;

  /** Compiles the program in C, into a folder that is the caller's to delete. */
  public PingPongJob(MpiLauncher launcher, Path folder) throws IOException, InterruptedException {
    this.launcher = launcher;
    String name = launcher.kind().name().toLowerCase(Locale.ROOT);
    this.program = folder.resolve("pingpong-" + name);
    Path source = folder.resolve("pingpong.c");
    try (InputStream text = PingPongJob.class.getResourceAsStream("pingpong.c")) {
      if (text == null) {
        throw new IllegalStateException("pingpong.c is not in the jar");
      }
      Files.write(source, text.readAllBytes());
    }
    Programs.output(List.of("mpicc." + name, "-O2", "-o", program.toString(), source.toString()));
  }

  /** Seconds per message one way, by its bytes, of each repetition, in C. */
  public Map<Integer, List<Double>> runC(List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(arguments);
    return parse(Programs.output(launcher.command(2, command)));
  }

  /** Seconds per message one way, by its bytes, of each repetition, in Java. */
  public Map<Integer, List<Double>> runJava(List<String> arguments)
      throws IOException, InterruptedException {
    return parse(Programs.output(launcher.command(2, SameJava.command(PingPong.class, arguments))));
  }

  private static Map<Integer, List<Double>> parse(String lines) {
    Map<Integer, List<Double>> times = new TreeMap<>();
    for (String line : lines.split("\n", -1)) {
      String[] words = line.strip().split(" ", -1);
      if (words.length == 2) {
        times
            .computeIfAbsent(Integer.valueOf(words[0]), bytes -> new ArrayList<>())
            .add(Double.valueOf(words[1]));
      }
    }
    return times;
  }
}
