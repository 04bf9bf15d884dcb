// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The program of an MPI that starts ranks.
 *
 * @param kind whose it is
 * @param program its file
 */
public record MpiLauncher(Kind kind, Path program) {

  /** The MPIs that are known. */
  public enum Kind {
    /** Open MPI. */
    OPENMPI("openmpi-bin", List.of("mpirun.openmpi", "mpirun", "mpiexec"), "open"),
    /** MPICH and its kin. */
    MPICH("mpich", List.of("mpiexec.mpich", "mpiexec.hydra", "mpiexec", "mpirun"), "hydra");

    private final String debianPackage;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<String> names;

    private final String mark;

    Kind(String debianPackage, List<String> names, String mark) {
      this.debianPackage = debianPackage;
      this.names = names;
      this.mark = mark;
    }

    /** The one that users call by this name. */
    public static Optional<Kind> of(String name) {
      return Arrays.stream(values()).filter(kind -> kind.label().equals(name)).findFirst();
    }

    /** What users call it. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** What to install. */
    public String remedy() {
      return "apt-get install " + debianPackage;
    }
  }

  /** Finds the first launcher on the path. */
  public static Optional<MpiLauncher> find(List<Kind> kinds) {
    return kinds.stream().flatMap(kind -> find(kind).stream()).findFirst();
  }

  /** Finds the launcher of an MPI on the path. */
  public static Optional<MpiLauncher> find(Kind kind) {
    String path = System.getenv().getOrDefault("PATH", "");
    return kind.names.stream()
        .flatMap(name -> onPath(path, name))
        .filter(program -> isOf(kind, program))
        .findFirst()
        .map(program -> new MpiLauncher(kind, program));
  }

  private static Stream<Path> onPath(String path, String name) {
    return Arrays.stream(path.split(File.pathSeparator, -1))
        .filter(folder -> !folder.isBlank())
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .limit(1);
  }

  /** Names without a suffix belong to whichever MPI was installed last: it tells itself. */
  private static boolean isOf(Kind kind, Path program) {
    try {
      Process process =
          new ProcessBuilder(program.toString(), "--version").redirectErrorStream(true).start();
      process.getOutputStream().close();
      String answer = new String(process.getInputStream().readAllBytes(), UTF_8);
      process.waitFor(10, TimeUnit.SECONDS);
      return answer.toLowerCase(Locale.ROOT).contains(kind.mark);
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** The command that runs another one on so many ranks of this machine. */
  public List<String> command(int ranks, List<String> rank) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    if (kind == Kind.OPENMPI) {
      // A JVM has threads of its own, which would all be bound to the one core of the rank.
      command.addAll(List.of("--bind-to", "none"));
      if ("root".equals(System.getProperty("user.name"))) {
        command.add("--allow-run-as-root");
      }
      if (ranks > Runtime.getRuntime().availableProcessors()) {
        command.add("--oversubscribe");
      }
    }
    command.addAll(List.of("-n", String.valueOf(ranks)));
    command.addAll(rank);
    return command;
  }
}
