// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.cairn.Checkpointer;
import org.cairn.cli.Cli;
import org.cairn.cli.Main;
import org.cairn.cli.command.SameJava;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(600)
@Tag("slow")
class RunCommandTest {
  @TempDir Path temp;
  private Path jar;

  @BeforeEach
  void makeJar() throws IOException {
    jar = temp.resolve("app.jar");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, RunProgram.class.getName());
    String entry = RunProgram.class.getName().replace('.', '/') + ".class";
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream packed = new JarOutputStream(file, manifest);
        var code = RunProgram.class.getClassLoader().getResourceAsStream(entry)) {
      packed.putNextEntry(new JarEntry(entry));
      code.transferTo(packed);
    }
  }

  private record Result(int exitCode, String out) {}

  /** A process: programs print to the streams of theirs, and MPI starts once in each. */
  private Result cairn(Object... arguments) throws Exception {
    List<String> words = new ArrayList<>(List.of("run"));
    Arrays.stream(arguments).map(Object::toString).forEach(words::add);
    Process process =
        new ProcessBuilder(SameJava.command(Main.class, words)).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Result(process.exitValue(), out);
  }

  @Test
  void runsAJarAlone() throws Exception {
    Result result = cairn(jar, "-n", "--help", "a b");

    assertThat(result.exitCode).as(result.out).isZero();
    assertThat(result.out).contains("rank 0 of 1").contains("[-n, --help, a b]");
  }

  @Test
  void aJobCanHaveAName() throws Exception {
    String[] heat = {"heat2d", "--size", "20", "--iterations", "10", "--every", "5"};

    for (String threads : List.of("1", "2")) {
      Path checkpoints = temp.resolve(threads);
      List<Object> words =
          new ArrayList<>(List.of("-n", threads, "--threads", "--name", "plate-7"));
      words.addAll(List.of(heat));
      words.addAll(List.of("--checkpoints", checkpoints));
      Result result = cairn(words.toArray());
      assertThat(result.exitCode).as(result.out).isZero();
    }

    assertThat(temp.resolve("1/rank0+plate-7.cairn")).exists();
    assertThat(temp.resolve("1/events+plate-7.jsonl")).exists();
    assertThat(temp.resolve("2/rank1/rank1+plate-7.cairn")).exists();
    assertThat(cairn("--name", "a/b", "heat2d").exitCode).isEqualTo(2);
  }

  @Test
  void aRefusalIsListedWithoutAStackTrace() throws Exception {
    List<Object> heat =
        List.of("heat2d", "--size", 20, "--iterations", 10, "--every", 5, "--checkpoints", temp);
    assertThat(cairn(heat.toArray()).exitCode).isZero();
    Files.writeString(temp.resolve("rank0.cairn"), "something else ".repeat(1000));

    Result result = cairn(heat.toArray());

    assertThat(result.exitCode).isEqualTo(1);
    assertThat(result.out)
        .contains("cairn run: no version can be restored")
        .contains("--begin-anew")
        .contains("rank0.cairn")
        .doesNotContain("\tat ");
    List<Object> anew = new ArrayList<>(heat);
    anew.add("--begin-anew");
    assertThat(cairn(anew.toArray()).exitCode).isZero();
  }

  /** A name, a lock, a full disk: nobody looks for these in code. */
  @Test
  void moreProcessesThanFitAreNotStarted() throws Exception {
    Result result = cairn("-n", Integer.toString(Integer.MAX_VALUE), jar);

    assertThat(result.exitCode).isEqualTo(2);
    assertThat(result.out).contains("do not fit", "mpirun -n 2147483647 --hostfile HOSTS");
  }

  @Test
  void whatIsNotAboutCodeIsOneLine() throws Exception {
    Path dir = temp.resolve("c");
    String heat = command("heat2d", "--size 20 --iterations 10 --every 5 --checkpoints " + dir);
    Result named = shell("CAIRN_JOB=a/b " + heat);
    assertOneLine(named, "cairn run: CAIRN_JOB: a job cannot be called \"a/b\"");

    try (Checkpointer _ = Checkpointer.open(dir)) {
      assertOneLine(shell(heat), "cairn run: cannot use checkpoints: " + dir, "use");
      assertOneLine(shell(command("-n 2 --threads heat2d", "--checkpoints " + file())), "rank ");
    }

    Path small = Files.createDirectory(temp.resolve("small"));
    String mount = "mount -t tmpfs -o size=64k tmpfs " + small;
    assumeTrue(shell("unshare -m sh -c '" + mount + "'").exitCode == 0, "cannot mount");
    String full = command("heat2d", "--size 200 --every 5 --iterations 10 --checkpoints " + small);
    assertOneLine(
        shell("unshare -m sh -c '" + mount + " && " + full.replace("'", "") + "'"),
        "No space left");
  }

  private Path file() throws IOException {
    return Files.writeString(temp.resolve("file"), "no directory");
  }

  private static void assertOneLine(Result result, String... parts) {
    assertThat(result.exitCode).as(result.out).isEqualTo(1);
    // Others may log before; what ends it is one line.
    assertThat(result.out).doesNotContain("\tat ").contains(parts);
    assertThat(result.out.lines().filter(line -> line.startsWith("cairn run: "))).hasSize(1);
  }

  /** A directory that may be read and not written to: root gives up what would let it. */
  @Test
  void anArchiveCanBeRestartedFrom() throws Exception {
    Path shared = temp.resolve("shared");
    String heat = " --size 20 --every 5 --shared " + shared + ",1 --checkpoints " + temp;
    assertThat(shell(command("heat2d", heat + "/a --iterations 10")).exitCode).isZero();
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("r-xr-xr-x"));
    try {
      String drop =
          System.getProperty("user.name").equals("root")
              ? "setpriv --bounding-set=-dac_override,-dac_read_search "
              : "";
      Result result = shell(drop + command("heat2d", heat + "/b --iterations 20 --progress"));
      assertThat(result.exitCode).as(result.out).isZero();
      assertThat(result.out).contains("10");
      assertThat(Cli.run("ls", temp.resolve("b")).out()).contains("2.");
    } finally {
      Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  private static String command(String run, String more) {
    List<String> words = new ArrayList<>(List.of("run"));
    words.addAll(List.of((run + " " + more.strip()).split(" ", -1)));
    return "'" + String.join("' '", SameJava.command(Main.class, words)) + "'";
  }

  private static Result shell(String command) throws Exception {
    Process process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Result(process.exitValue(), out);
  }

  @Test
  void aFailureIsALineAndWithDebugAStack() throws Exception {
    Result plain = cairn("-n", 2, "--threads", jar, "fail");
    Result debug = cairn("-n", 2, "--threads", "--debug", jar, "fail");

    assertThat(plain.exitCode).isEqualTo(1);
    assertThat(plain.out)
        .contains("cairn run: rank 1: IllegalStateException: as it was told")
        .contains("--debug")
        .doesNotContain("\tat ");
    assertThat(debug.out).contains("\tat org.cairn.cli.run.RunProgram.main");
  }

  @Test
  void runsRanksAsThreads() throws Exception {
    Result result = cairn("-n", 3, "--threads", "--domains", "per-rank", jar);

    assertThat(result.exitCode).as(result.out).isZero();
    assertThat(result.out).contains("rank 2 of 3 in node2, sum 3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  @DisabledIfSystemProperty(named = "cairn.mpi", matches = "off")
  void runsRanksAsProcesses(String mpi) throws Exception {
    Result result = cairn("-n", 3, "--mpi", mpi, "--domains", "per-rank", jar, "x");

    assertThat(result.exitCode).as(result.out).isZero();
    for (int rank = 0; rank < 3; rank++) {
      assertThat(result.out).contains("rank " + rank + " of 3 in node" + rank + ", sum 3");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  @DisabledIfSystemProperty(named = "cairn.mpi", matches = "off")
  void aRankThatFailsEndsAll(String mpi) throws Exception {
    Result result = cairn("-n", 2, "--mpi", mpi, jar, "fail");

    assertThat(result.exitCode).as(result.out).isEqualTo(1);
    assertThat(result.out).contains("as it was told");
  }

  @Test
  void refusesWhatMakesNoSense() {
    assertThat(Cli.run("run", "-n", 0, jar).err()).contains("at least one rank");
    assertThat(Cli.run("run", "-n", 2, "--mpi", "none", jar).err()).contains("--threads");
    assertThat(Cli.run("run", "--mpi", "lam", jar).err()).contains("openmpi, mpich or none");
    assertThat(Cli.run("run", temp.resolve("no.jar")).err())
        .contains("no program")
        .contains("heat2d");
  }
}
