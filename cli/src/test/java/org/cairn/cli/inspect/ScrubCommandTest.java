// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.Tiers;
import org.cairn.cli.Cli;
import org.cairn.cli.Damage;
import org.cairn.cli.Main;
import org.cairn.comm.Ranks;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.store.DirectoryStore;
import org.cairn.testkit.process.ChildJava;
import org.cairn.tier.FileNames;
import org.cairn.version.DatasetEntry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class ScrubCommandTest {
  @TempDir Path directory;

  /** Where the newest version of a container has a block. */
  private static long place(Path rank, String file, String dataset, int block) throws IOException {
    try (ContainerReader reader = ContainerReader.open(DirectoryStore.open(rank, false), file)) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      DatasetEntry entry = view.find(dataset).orElseThrow();
      return view.place(entry, block).offset();
    }
  }

  private Path rank(int rank) {
    return directory.resolve("rank" + rank);
  }

  /** Flips a byte of a block that all versions share. */
  private void spoil(int rank, String file, int block) throws IOException {
    Damage.flip(rank(rank).resolve(file), place(rank(rank), file, "u", block) + 100);
  }

  private static byte[] digestOf(Path file) throws IOException {
    return Files.readAllBytes(file);
  }

  @Test
  void whatIsSoundIsLeftAsItIs() throws IOException {
    Sample.write(directory, 3);
    Path file = directory.resolve(FileNames.local(0));
    byte[] before = digestOf(file);
    Cli.Result result = Cli.run("scrub", directory);
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).contains("rank0.cairn", "sound", "Everything is sound.");
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
  }

  @Test
  void whatNobodyHasIsNamed() throws IOException {
    Sample.write(directory, 3);
    Path file = directory.resolve(FileNames.local(0));
    Damage.flip(file, place(directory, FileNames.local(0), "u", 3) + 100);
    byte[] before = digestOf(file);
    Cli.Result dry = Cli.run("scrub", "--dry-run", directory);
    assertThat(dry.exitCode()).isEqualTo(1);
    assertThat(dry.out()).contains("1 bad place(s); nothing was written.");
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
    Cli.Result result = Cli.run("scrub", directory);
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).contains("1 place(s) could not be healed.");
    assertThat(result.err()).contains("block 3 of \"u\"", "rank0.cairn, offset");
    assertThat(Cli.run("scrub", "--json", directory).json().get(0).get("lost")).hasSize(1);
  }

  @Tag("slow")
  @Test
  void ofMuchDamageOnlyTheFirstIsKept() throws IOException {
    Sample.writeRuined(directory, 3000);
    Cli.Result result = Cli.run("scrub", directory);
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).contains("3,000 place(s) could not be healed.", "lost 3,000");
    assertThat(result.err()).contains("and 2,980 more; --json shows the first 1,000");
    assertThat(Cli.run("scrub", "--json", directory).json().get(0).get("lost")).hasSize(1000);
  }

  @Test
  void anOlderVersionWhoseMapIsNowhereIsNamed() throws IOException {
    Sample.write(directory, 8);
    Path file = directory.resolve(FileNames.local(0));
    String bytes = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    assertThat(bytes).as("newer versions do without the first record").contains("MAPB");
    Damage.flip(file, bytes.indexOf("MAPD"));
    Cli.Result result = Cli.run("scrub", directory);
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err())
        .contains(
            "version 1.1 cannot be restored from this file, only from copies elsewhere",
            "the block map of version 1.1",
            "rank0.cairn, offset");
  }

  @Tag("slow")
  @Test
  void aStateIsHealedFromItsCopyAndACopyFromItsState() throws IOException {
    JobSample.write(directory, 4);
    spoil(0, FileNames.local(0), 3);
    spoil(2, FileNames.local(2), 0);
    spoil(2, FileNames.partner(1), 2);
    assertThat(Cli.run("verify", directory).exitCode()).isEqualTo(1);
    Cli.Result result = Cli.run("scrub", directory);
    assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    assertThat(result.out()).contains("All that was bad is healed.");
    Cli.Result verified = Cli.run("verify", directory);
    assertThat(verified.exitCode()).as(verified.err()).isZero();
  }

  @Test
  void aStateWithoutACopyIsDecodedFromParity() throws IOException {
    JobSample.write(directory, 4);
    for (int rank = 0; rank < JobSample.RANKS; rank++) {
      try (Stream<Path> files = Files.list(rank(rank))) {
        for (Path file : files.filter(one -> one.toString().contains(".partner")).toList()) {
          Files.delete(file);
        }
      }
    }
    spoil(1, FileNames.local(1), 0);
    Set<Path> before = temporaries();
    Cli.Result result = Cli.run("scrub", directory);
    assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    assertThat(Cli.run("verify", directory).exitCode()).isZero();
    assertThat(before).containsAll(temporaries());
  }

  /** What looks like something that a command has left in the temporary directory of all. */
  private static Set<Path> temporaries() throws IOException {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files
          .filter(one -> one.getFileName().toString().matches("cairn[0-9]+"))
          .collect(Collectors.toSet());
    }
  }

  @Test
  void aStateIsHealedFromTheSharedDirectory() throws IOException {
    Path shared = directory.resolve("shared");
    Path job = directory.resolve("job");
    Options options =
        Options.defaults()
            .tiers(
                Tiers.none()
                    .shared(DirectoryStore.shared(shared), 1)
                    .patience(Duration.ofMinutes(1)));
    Ranks.run(
        2,
        rank -> "node" + rank,
        world -> {
          double[] u = new Random(world.rank()).doubles(Sample.DOUBLES).toArray();
          try (Checkpointer cairn = Checkpointer.open(job, world, options)) {
            cairn.protect("u", u);
            cairn.checkpoint();
            u[1]++;
            cairn.checkpoint();
          }
        });
    String file = FileNames.local(1);
    Path rank = job.resolve("rank1");
    Damage.flip(rank.resolve(file), place(rank, file, "u", 2) + 9);
    assertThat(Cli.run("scrub", job).exitCode()).isEqualTo(1);
    Cli.Result result = Cli.run("scrub", "--shared", shared, job);
    assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    assertThat(Cli.run("verify", job).exitCode()).isZero();
  }

  // ---------------------------------------------------------------- real processes

  /** Keeps a directory open until its input ends. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) throws IOException {
      try (Checkpointer cairn = Checkpointer.open(Path.of(arguments[0]))) {
        cairn.protect("u", new double[] {1, 2, 3});
        cairn.restart();
        cairn.checkpoint();
        System.out.println("open");
        System.in.read();
      }
    }
  }

  private static Process java(Class<?> program, Object... arguments) throws IOException {
    List<String> command =
        Stream.concat(
                Stream.of(ChildJava.executable(), "-cp", ChildJava.classPath(), program.getName()),
                Arrays.stream(arguments).map(Object::toString))
            .toList();
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static String output(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Tag("slow")
  @Test
  void aJobThatRunsInAnotherProcessIsRefusedAndOneThatDoesNotIsDone() throws Exception {
    Process holder = java(Holder.class, directory);
    try {
      StringBuilder said = new StringBuilder();
      while (!said.toString().contains("open")) {
        int next = holder.getInputStream().read();
        assertThat(next).as(said.toString()).isNotNegative();
        said.append((char) next);
      }
      Process refused = java(Main.class, "scrub", directory);
      assertThat(output(refused)).contains("is in use", "a program that runs scrubs by itself");
      assertThat(refused.waitFor()).isEqualTo(1);
    } finally {
      holder.getOutputStream().close();
      assertThat(holder.waitFor()).isZero();
    }
    Process done = java(Main.class, "scrub", directory);
    assertThat(output(done)).contains("Everything is sound.");
    assertThat(done.waitFor()).isZero();
  }
}
