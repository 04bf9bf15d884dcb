// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.cairn.clock.Clock;
import org.cairn.testkit.process.ChildJava;
import org.cairn.testkit.random.OnlyThorough;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that watches is killed again and again, while sets come: in the end each set was packed
 * once, and no file was removed that was not.
 */
@OnlyThorough
class PackWatchKillTest {
  private static final int SETS = 6;
  private static final int RANKS = 3;
  private static final int LONGEST_MILLIS = 2500;

  @TempDir Path dir;

  @SeededTest(seeds = 4)
  void everySetIsThereOnce(Random random) throws IOException, InterruptedException {
    Path run = Files.createDirectory(dir.resolve("run"));
    Path copies = Files.createDirectory(dir.resolve("copies"));
    Path packs = dir.resolve("packs");
    for (int set = 0; set < SETS; set++) {
      Process child = start(run, packs);
      try {
        write(random, copies, run, set);
        boolean _ = child.waitFor(random.nextInt(LONGEST_MILLIS), TimeUnit.MILLISECONDS);
      } finally {
        child.destroyForcibly().waitFor();
      }
    }
    watch(run, packs, true);
    List<PackDirectory.Version> versions = PackDirectory.open(packs).list().versions();
    assertThat(versions.reversed().stream().map(one -> one.label().text()))
        .containsExactly("0", "1", "2", "3", "4", "5");
    for (PackDirectory.Version version : versions) {
      assertSame(packs, version, copies);
    }
    assertThat(Packing.inputs(run).stream().map(one -> one.name().toString()))
        .as("the last set is not followed by another one")
        .containsExactly("chk5/r0", "chk5/r1", "chk5/r2");
  }

  private static void write(Random random, Path copies, Path run, int set) throws IOException {
    Path folder = Files.createDirectory(run.resolve("chk" + set));
    Path copy = Files.createDirectory(copies.resolve("chk" + set));
    for (int rank = 0; rank < RANKS; rank++) {
      byte[] bytes = new byte[1 + random.nextInt(400_000)];
      random.nextBytes(bytes);
      Files.write(copy.resolve("r" + rank), bytes);
      Files.copy(
          copy.resolve("r" + rank), folder.resolve("r" + rank), StandardCopyOption.COPY_ATTRIBUTES);
    }
  }

  private static void assertSame(Path packs, PackDirectory.Version version, Path copies)
      throws IOException {
    try (Pack pack = PackDirectory.open(packs).open(version.id())) {
      assertThat(pack.members()).hasSize(RANKS);
      for (Pack.Member member : pack.members()) {
        Path expected = copies.resolve(member.file().name().toString());
        assertThat(pack.isSame(member, expected)).as(expected.toString()).isTrue();
      }
    }
  }

  private static void watch(Path run, Path packs, boolean once)
      throws IOException, InterruptedException {
    PackWatch.Settings settings =
        new PackWatch.Settings(
            run,
            Pattern.compile("chk(?<set>\\d+)/r(?<rank>\\d+)"),
            RANKS,
            Optional.empty(),
            Duration.ofMillis(100),
            Duration.ofMillis(20),
            true);
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(packs, SETS + 1);
        PackWatch watch =
            new PackWatch(settings, Packing.settings(), writer, new Silent(), Clock.system())) {
      watch.run(once);
    }
  }

  private static final class Silent implements PackWatch.Listener {
    @Override
    public void packed(String set, PackReport report) {}

    @Override
    public void removed(String set, int files) {}

    @Override
    public void problem(String what) {
      System.err.println(what);
    }
  }

  private static Process start(Path run, Path packs) throws IOException {
    return new ProcessBuilder(
            List.of(
                ChildJava.executable(),
                "--add-modules=jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                ChildJava.classPath(),
                Child.class.getName(),
                run.toString(),
                packs.toString()))
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** Watches until it is killed. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) throws IOException, InterruptedException {
      watch(Path.of(args[0]), Path.of(args[1]), false);
    }
  }
}
