// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Ranks of a program in processes of their own, started by a real launcher or by none. */
public final class MpiJob {
  /** Nothing here takes nearly as long; what does, hangs. */
  private static final long LIMIT_SECONDS = 120;

  /** What starts the ranks. */
  public enum Launcher {
    OPEN_MPI("mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none"),
    MPICH("mpiexec.mpich");

    private final String command;

    Launcher(String command) {
      this.command = command;
    }

    /** The command that starts so many ranks of what follows it. */
    public List<String> command(int ranks) {
      List<String> words = new ArrayList<>(List.of(command.split(" ")));
      words.addAll(List.of("-n", String.valueOf(ranks)));
      return words;
    }
  }

  /** How a job ended. */
  public record Result(int exitCode, String out, String err) {
    /** Everything, for messages of failed assertions. */
    @Override
    public String toString() {
      return "exit code " + exitCode + "\n" + out + "\n" + err;
    }
  }

  private final List<String> flags = new ArrayList<>();
  private final Map<String, String> environment = new HashMap<>();
  private final ChildJava java;
  private final Class<?> program;

  private MpiJob(ChildJava java, Class<?> program) {
    this.java = java;
    this.program = program;
  }

  /** Ranks that run a program each. */
  public static MpiJob of(ChildJava java, Class<?> program) {
    return new MpiJob(java, program);
  }

  public MpiJob flag(String flag) {
    flags.add(flag);
    return this;
  }

  public MpiJob variable(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** Runs parts of the program on so many ranks. */
  public Result run(Launcher launcher, int ranks, String... parts) throws Exception {
    List<String> command = launcher.command(ranks);
    command.addAll(java(parts));
    return finish(command, environment);
  }

  /** Runs so many ranks of any command. */
  public static Result run(Launcher launcher, int ranks, List<String> program) throws Exception {
    List<String> command = launcher.command(ranks);
    command.addAll(program);
    return finish(command, Map.of());
  }

  /** Runs it as a single process, with an environment that may pretend something else. */
  public Result runAlone(String... parts) throws Exception {
    return finish(java(parts), environment);
  }

  private List<String> java(String... parts) {
    // One small heap per rank: there are more ranks than cores.
    List<String> all = new ArrayList<>(List.of("-Xmx256m"));
    all.addAll(flags);
    return java.command(all, program, Arrays.asList(parts));
  }

  private static Result finish(List<String> command, Map<String, String> environment)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile("cairn-job", ".out");
    Path err = Files.createTempFile("cairn-job", ".err");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
      if (!ended) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
      }
      String text = Files.readString(out, UTF_8);
      String errors = Files.readString(err, UTF_8) + (ended ? "" : "\n(killed: it hangs)");
      return new Result(ended ? process.exitValue() : -1, text, errors);
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }
}
