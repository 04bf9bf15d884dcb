// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.cairn.bench.mpi.Programs;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.run.MpiLauncher;
import org.cairn.cli.terminal.Terminal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Both sides do as they are told; FTI is a stand-in by plain files. */
@Tag("slow")
class AgainstCommandTest {
  @TempDir Path temp;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private Throwable failure = new AssertionError("no failure");
  private String compiler = "";

  @BeforeEach
  void compilerOfTheLauncher() {
    MpiLauncher launcher = MpiLauncher.find(List.of(MpiLauncher.Kind.values())).orElse(null);
    assumeTrue(launcher != null, "no MPI here");
    compiler = "mpicc." + launcher.kind().label();
  }

  private int run(String... arguments) {
    PrintStream stream = new PrintStream(out, true, UTF_8);
    CommandLine line =
        new CommandLine(new AgainstCommand(new Terminal(stream, () -> stream, 0)))
            .setExecutionExceptionHandler(
                (e, _, _) -> {
                  failure = e;
                  return 2;
                });
    return line.execute(arguments);
  }

  /** An FTI that was "installed" to this folder. */
  private Path standIn() throws IOException, InterruptedException {
    Path prefix = temp.resolve("prefix");
    Path include = Files.createDirectories(prefix.resolve("include"));
    Path lib = Files.createDirectories(prefix.resolve("lib"));
    for (String name : List.of("fti.h", "fti-standin.c")) {
      try (InputStream text = AgainstCommandTest.class.getResourceAsStream("against/" + name)) {
        Files.write(include.resolve(name), Objects.requireNonNull(text, name).readAllBytes());
      }
    }
    String source = include.resolve("fti-standin.c").toString();
    String library = lib.resolve("libfti.so").toString();
    Programs.output(List.of(compiler, "-Wall", "-shared", "-fPIC", "-o", library, source));
    return prefix;
  }

  @Test
  void bothAreToldTheSameAndRestart() throws IOException, InterruptedException {
    Path scratch = temp.resolve("scratch");
    int code =
        run(
            "--fti",
            standIn().toString(),
            "--mpicc",
            compiler,
            "--size",
            "2MiB",
            "--rounds",
            "1",
            "--dir",
            scratch.toString());
    assertThat(code).as("%s", failure).isLessThan(2);
    assertThat(out.toString(UTF_8))
        .contains("2 ranks of 2.00 MiB, differential, 1 rounds")
        .contains("100 % dirty", "10 % dirty", "3 % dirty", "nothing dirty")
        .contains("restart, file in memory", "first checkpoint of a process")
        .contains("measured: Cairn; baseline: FTI");
    assertThat(scratch).isEmptyDirectory();
  }

  @Test
  void aFolderWithoutFtiIsNamed() {
    assertThat(run("--fti", temp.toString(), "--size", "1MiB")).isEqualTo(2);
    assertThat(failure)
        .isInstanceOf(CommandFailedException.class)
        .hasMessageContainingAll("fti.h is missing", "CMAKE_INSTALL_PREFIX");
  }
}
