// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code ./cairn} in a made-up tree, with a Java and a Maven that only say what they do. */
@Timeout(300)
@Tag("slow")
class LauncherTest {
  private static final Path SCRIPT = Path.of("../cairn").toAbsolutePath().normalize();

  /** What the script needs; Java and Maven of the machine are not among it. */
  private static final List<String> TOOLS =
      List.of(
          "basename",
          "cat",
          "cmp",
          "cp",
          "cut",
          "date",
          "dirname",
          "env",
          "find",
          "flock",
          "grep",
          "mkdir",
          "mv",
          "readlink",
          "rm",
          "sed",
          "sleep",
          "stty",
          "tail",
          "timeout",
          "touch");

  @TempDir Path temp;
  private Path tree;
  private Path tools;
  private final Map<Long, Path> errors = new HashMap<>();

  private record Result(int exitCode, String out, String err) {}

  @BeforeEach
  void makeTree() throws IOException {
    assumeTrue(Files.isExecutable(SCRIPT) && Files.isExecutable(Path.of("/bin/bash")));
    tree = Files.createDirectories(temp.resolve("a tree"));
    tools = Files.createDirectories(temp.resolve("tools"));
    for (String tool : TOOLS) {
      program(tools.resolve(tool), "exec /usr/bin/" + tool + " \"$@\"");
    }
    Files.copy(SCRIPT, tree.resolve("cairn"));
    write(tree.resolve("pom.xml"), "");
    write(tree.resolve("dist/pom.xml"), "");
    for (String module :
        List.of(
            "doors", "core", "testkit", "plan", "pack", "mpi", "mesh", "gpu", "apps", "cli",
            "bench")) {
      write(tree.resolve(module + "/pom.xml"), "");
      write(tree.resolve(module + "/src/main/java/X.java"), "");
    }
    java(temp.resolve("jdk-25"), "25.0.1");
    program(
        tools.resolve("mvn"),
        """
        echo "built $*" >> "%1$s/builds"
        echo "[INFO] ------------------< org.cairn:cairn >-----------------"
        echo "[INFO] Building Cairn 1                                    [1/13]"
        echo "[INFO] Building Cairn core 1                               [2/13]"
        for i in {1..400}; do echo "[INFO] Downloaded from central: some.jar (1.0 kB at 1.0 kB/s)"; done
        [ ! -e "%1$s/killed" ] || kill -KILL $$
        while [ -e "%1$s/held" ]; do sleep 0.05; done
        [ ! -e "%1$s/broken" ] || { echo "[ERROR] X.java does not compile"; exit 1; }
        mkdir -p dist/target/lib dist/target/bench
        for m in doors core testkit plan pack mpi mesh gpu apps cli bench; do
          mkdir -p $m/target; date +%%N > $m/target/cairn-$m-1.jar
          case $m in bench|testkit) to=bench;; *) to=lib;; esac
          cp $m/target/cairn-$m-1.jar dist/target/$to/
          case "$*" in *install*) date > $m/target/cairn-$m-1-javadoc.jar; date > $m/target/cairn-$m-1-sources.jar;; esac
        done
        echo "[INFO] Installing /a/pom.xml to /home/me/.m2/repository/org/cairn/cairn/1/cairn-1.pom"
        """
            .formatted(temp));
  }

  @Test
  void buildsOnFirstUseAndPassesFlagsAndArguments() throws Exception {
    Result result = cairn(Map.of("CAIRN_JAVA_OPTS", "-Xmx1g -Da=b"), "show", "a b", "");

    assertThat(result.exitCode).isZero();
    assertThat(result.err).contains("cairn: building");
    assertThat(result.out.lines())
        .containsSequence("--add-modules", "jdk.incubator.vector")
        .contains("--enable-native-access=ALL-UNNAMED")
        .containsSequence("-Xmx1g", "-Da=b")
        .containsSequence(
            "-cp",
            tree + "/dist/target/lib/*:" + tree + "/dist/target/bench/*",
            "org.cairn.cli.Main",
            "show",
            "a b",
            "");
  }

  @Test
  void buildsAgainOnlyWhenSourcesAreNewer() throws Exception {
    cairn(Map.of());
    cairn(Map.of());
    assertThat(builds()).isEqualTo(1);

    Files.setLastModifiedTime(
        tree.resolve("core/src/main/java/X.java"), FileTime.from(Instant.now().plusSeconds(1)));
    assertThat(cairn(Map.of()).exitCode).isZero();
    assertThat(builds()).isEqualTo(2);
  }

  @Test
  void buildsAgainWhenAModuleWasBuiltByHand() throws Exception {
    cairn(Map.of());
    Files.writeString(tree.resolve("core/target/cairn-core-1.jar"), "newer");

    cairn(Map.of());

    assertThat(builds()).isEqualTo(2);
  }

  @Test
  void neverBuildsTwiceAtOnceAndWhoWaitsIsTold() throws Exception {
    Path held = Files.createFile(temp.resolve("held"));
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      processes.add(start(tree.resolve("cairn"), temp, Map.of(), "ls"));
    }
    while (waiting() < processes.size() - 1) {
      Thread.sleep(20);
    }
    Files.delete(held);
    for (Process process : processes) {
      assertThat(process.waitFor()).isZero();
    }

    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void aFailedBuildIsExplainedAndItsLogKept() throws Exception {
    Files.createFile(temp.resolve("broken"));

    Result result = cairn(Map.of());

    assertThat(result.exitCode).isEqualTo(1);
    assertThat(result.out).isEmpty();
    assertThat(result.err)
        .contains("the build failed")
        .contains("[ERROR] X.java does not compile")
        .contains(tree + "/target/cairn-build.log");
    Files.delete(temp.resolve("broken"));
    assertThat(cairn(Map.of()).exitCode).isZero();
  }

  @Test
  void aBuildShowsThatItLives() throws Exception {
    assertThat(cairn(Map.of()).err)
        .contains("cairn: module 1 of 13, Cairn\n")
        .contains("cairn: module 2 of 13, Cairn core\n")
        .contains("cairn: module 2 of 13, Cairn core, 200 files downloaded\n")
        .contains("400 files downloaded\n");
  }

  @Test
  void aKilledMavenIsToldFromAFailedBuild() throws Exception {
    Files.createFile(temp.resolve("killed"));

    Result result = cairn(Map.of());

    assertThat(result.exitCode).isEqualTo(1);
    assertThat(result.err)
        .contains("the build failed: Maven was killed (SIGKILL) at module 2 of 13, Cairn core.")
        .contains("out of memory")
        .contains(tree + "/target/cairn-build.log")
        .doesNotContain("Killed");
  }

  @Test
  void aMavenThatSaysNothingIsToldByItsExitCode() throws Exception {
    program(tools.resolve("mvn"), "exit 7");

    Result result = cairn(Map.of());

    assertThat(result.exitCode).isEqualTo(1);
    assertThat(result.err).contains("Maven ended with exit code 7 and said nothing");
  }

  @Test
  void installsTheLibraryAndIsBuiltThen() throws Exception {
    write(tree.resolve("pom.xml"), "<project>\n  <version>1</version>\n  <version>2</version>\n");

    Result result = cairn(Map.of(), "install", "-Da=b c");

    assertThat(result.exitCode).as(result.err).isZero();
    assertThat(Files.readString(temp.resolve("builds"))).contains("-Ppublish install -Da=b c");
    assertThat(result.out)
        .startsWith("installed as org.cairn:cairn-core:1, ")
        .contains("in /home/me/.m2/repository;");
    assertThat(cairn(Map.of(), "ls").out).contains("org.cairn.cli.Main\nls\n");
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void theHelpOfInstallIsTheCommands() throws Exception {
    assertThat(cairn(Map.of(), "install", "--help").out)
        .contains("org.cairn.cli.Main\ninstall\n--help\n");
  }

  @Test
  void whatAFirstProgramTaughtTheJvmIsKeptForThoseThatFollow() throws Exception {
    program(
        temp.resolve("jdk-25/bin/java"),
        """
        printf '%s\\n' "$@"
        for word; do case $word in -XX:AOTCacheOutput=*) touch "${word#*=}";; esac; done
        """);
    String kept = "-XX:AOTCache=" + tree + "/target/cairn.aot";

    assertThat(cairn(Map.of(), "ls").out).contains(kept).doesNotContain("Training");
    assertThat(tree.resolve("target/cairn-build.log"))
        .content()
        .contains("-XX:AOTCacheOutput")
        .contains(tree + "/build/Training.java");
    assertThat(cairn(Map.of("CAIRN_JAVA_OPTS", "-Xmx1g"), "run", "x").out).contains(kept);
    // One of the user's own, or none; and what is measured is what any JVM does.
    for (String own : List.of("-XX:AOTCache=my.aot", "-Xmx1g -Xshare:off", "-XX:AOTMode=off")) {
      assertThat(cairn(Map.of("CAIRN_JAVA_OPTS", own), "ls").out).doesNotContain(kept);
    }
    assertThat(cairn(Map.of(), "bench", "memory").out).doesNotContain(kept);
    assertThat(tree.resolve("target/cairn-training")).doesNotExist();
  }

  @Test
  void withoutThatEverythingStartsAllTheSame() throws Exception {
    program(
        temp.resolve("jdk-25/bin/java"),
        """
        printf '%s\\n' "$@"
        for word; do case $word in -XX:AOTCacheOutput=*) touch "${word#*=}"; exit 1;; esac; done
        """);

    Result result = cairn(Map.of(), "ls");

    assertThat(result.exitCode).isZero();
    assertThat(result.out).endsWith("\nls\n").doesNotContain("AOTCache");
    assertThat(tree.resolve("target/cairn.aot.new")).doesNotExist();
  }

  @Test
  void worksThroughALinkFromElsewhere() throws Exception {
    Path link = Files.createSymbolicLink(temp.resolve("link"), tree.resolve("cairn"));

    Result result = finish(start(link, Path.of("/"), Map.of(), "ls"));

    assertThat(result.exitCode).isZero();
    assertThat(result.out).contains(tree + "/dist/target/lib/*");
  }

  @Test
  void saysWhatIsMissing() throws Exception {
    Result noJava = cairn(Map.of("CAIRN_JAVA_HOME", temp.toString()));
    assertThat(noJava.exitCode).isEqualTo(1);
    assertThat(noJava.err).contains("CAIRN_JAVA_HOME is " + temp).contains("no Java 25");

    Files.delete(tools.resolve("mvn"));
    Result noMaven = cairn(Map.of());
    assertThat(noMaven.exitCode).isEqualTo(1);
    assertThat(noMaven.err).contains("Maven (mvn)").contains("./setup");
  }

  @Test
  void prefersCairnsOwnVariableAndSkipsOtherVersions() throws Exception {
    java(temp.resolve("jdk-17"), "17.0.9");
    java(temp.resolve("jdk-250"), "250.0.1");
    java(temp.resolve("other-25"), "25");
    Map<String, String> both =
        Map.of(
            "CAIRN_JAVA_HOME", temp.resolve("other-25").toString(),
            "JAVA_HOME", temp.resolve("jdk-25").toString());

    assertThat(cairn(both, "--java-home").out).isEqualTo(temp.resolve("other-25") + "\n");
    for (String wrong : List.of("jdk-17", "jdk-250")) {
      Map<String, String> home =
          Map.of("CAIRN_JAVA_HOME", "", "JAVA_HOME", temp.resolve(wrong).toString());
      assertThat(cairn(home, "--java-home").out).doesNotContain(wrong);
    }
  }

  @Test
  void theWarningOnIncubatingModulesIsNotShownButOthersAre() throws Exception {
    program(
        temp.resolve("jdk-25/bin/java"),
        """
        echo "WARNING: Using incubator modules: jdk.incubator.vector" >&2
        echo "Error: could not start" >&2
        exit 3
        """);

    Process process = start(tree.resolve("cairn"), temp, Map.of());
    assertThat(process.waitFor()).isEqualTo(3);

    // The filter behind standard error is a process of its own and may end a little later.
    Path err = errors.get(process.pid());
    for (int i = 0; i < 200 && !Files.readString(err).contains("Error"); i++) {
      Thread.sleep(20);
    }
    assertThat(err).content().contains("Error: could not start").doesNotContain("incubator");
  }

  /** Java would neither print a bar nor open a file "ä" in it. */
  @Test
  void aLocaleThatIsNotInstalledIsNotUsed() throws Exception {
    program(temp.resolve("jdk-25/bin/java"), "echo \"LC_ALL is $LC_ALL\"");
    Map<String, String> turkish = Map.of("LC_ALL", "tr_TR.UTF-8");

    program(tools.resolve("locale"), "echo ANSI_X3.4-1968");
    assertThat(cairn(turkish).out).isEqualTo("LC_ALL is C.UTF-8\n");
    program(tools.resolve("locale"), "echo UTF-8");
    assertThat(cairn(turkish).out).isEqualTo("LC_ALL is tr_TR.UTF-8\n");
  }

  @Test
  void signalsReachTheProgram() throws Exception {
    program(temp.resolve("jdk-25/bin/java"), "echo $$; exec sleep 30");
    Process process = start(tree.resolve("cairn"), temp, Map.of(), "demo");

    String pid = process.inputReader().readLine();

    assertThat(pid).isEqualTo(Long.toString(process.pid()));
    process.destroy();
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
  }

  private void java(Path home, String version) throws IOException {
    write(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    program(home.resolve("bin/java"), "printf '%s\\n' \"$@\"");
    program(home.resolve("bin/javac"), "");
  }

  private static void program(Path file, String body) throws IOException {
    write(file, "#!/bin/bash\n" + body + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private long builds() throws IOException {
    try (var lines = Files.lines(temp.resolve("builds"))) {
      return lines.count();
    }
  }

  private long waiting() throws IOException {
    long waiting = 0;
    for (Path err : errors.values()) {
      waiting += Files.readString(err).contains("another cairn is building here") ? 1 : 0;
    }
    return waiting;
  }

  private Result cairn(Map<String, String> environment, String... arguments) throws Exception {
    return finish(start(tree.resolve("cairn"), temp, environment, arguments));
  }

  private Process start(
      Path script, Path directory, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("/bin/bash", script.toString()));
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.startsWith("CAIRN") || name.equals("JAVA_HOME"));
    builder.environment().put("PATH", tools.toString());
    builder.environment().put("CAIRN_JAVA_HOME", temp.resolve("jdk-25").toString());
    builder.environment().putAll(environment);
    Path err = Files.createTempFile(temp, "err", ".txt");
    builder.redirectError(err.toFile());
    Process process = builder.start();
    errors.put(process.pid(), err);
    return process;
  }

  private Result finish(Process process) throws Exception {
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    int exitCode = process.waitFor();
    Path err = errors.get(process.pid());
    return new Result(exitCode, out, Files.readString(err));
  }
}
