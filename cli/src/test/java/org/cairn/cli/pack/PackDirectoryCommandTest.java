// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.Tiers;
import org.cairn.cli.Cli;
import org.cairn.pack.PackDirectoryWriter;
import org.cairn.store.DirectoryStore;
import org.cairn.testkit.random.Seeds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands on directories of packs. */
class PackDirectoryCommandTest {
  private static final int LENGTH = 200_000;

  @TempDir Path temp;
  private Path data;
  private Path packs;

  @BeforeEach
  void makeFiles() throws IOException {
    data = Files.createDirectories(temp.resolve("chk"));
    packs = temp.resolve("PACKS");
    for (int rank = 0; rank < 3; rank++) {
      byte[] bytes = new byte[LENGTH];
      Seeds.content(rank).nextBytes(bytes);
      Files.write(data.resolve("r" + rank), bytes);
    }
  }

  private static Cli.Result run(Object... words) {
    Cli.Result result = Cli.run(words);
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result;
  }

  private static Cli.Result refused(int code, Object... words) {
    Cli.Result result = Cli.run(words);
    assertThat(result.exitCode()).as(result.out()).isEqualTo(code);
    return result;
  }

  /** Packs twice; in between a file changes, and one gets another name. */
  private void packTwice() throws IOException {
    run("pack", "-r", data, "--compression", "fast", "--to", packs);
    byte[] bytes = Files.readAllBytes(data.resolve("r1"));
    bytes[70_000] ^= 1;
    Files.write(data.resolve("r1"), bytes);
    Files.move(data.resolve("r2"), data.resolve("r9"));
    assertThat(
            run("pack", "-r", data, "--compression", "fast", "--to", packs, "--label", "next")
                .out())
        .contains("@2.2: 3 files", "were stored already");
  }

  @Test
  void versionsAreListedShownComparedVerifiedAndUnpacked() throws IOException {
    packTwice();
    assertThat(run("ls", packs).out()).contains("2 versions", "2.2", "next", "1.1");
    assertThat(run("ls", "--version", "1.1", packs).out()).contains("chk/r2").doesNotContain("r9");
    assertThat(run("ls", "--sha256", packs).out()).contains("  chk/r9");
    assertThat(run("show", packs).out()).contains("chk/r9", "from 2 files", "times");
    assertThat(run("diff", packs, "1.1", "2.2").out())
        .contains("changed", "64.0 KiB", "renamed, was chk/r2", "1 file is the same");
    assertThat(refused(1, "diff", "--exit-code", packs + "@1.1", packs).out()).contains("renamed");
    assertThat(run("verify", packs).out()).contains("@1.1", "@2.2", "sound");
    assertThat(run("verify", "--fast", "--version", "1.1", packs).out()).doesNotContain("@2.2");
    Path out = temp.resolve("out");
    run("unpack", packs, "-C", out);
    assertThat(Files.mismatch(out.resolve("chk/r1"), data.resolve("r1"))).isEqualTo(-1);
    run("unpack", packs, "--version", "1.1", "-C", temp.resolve("old"));
    assertThat(temp.resolve("old/chk/r2")).exists();
    Path raw = temp.resolve("raw");
    run(
        "export",
        packs,
        "--version",
        "1.1",
        "--member",
        "chk/r0",
        "--dataset",
        "(rest)",
        "--format",
        "raw",
        "--file",
        raw);
    assertThat(Files.mismatch(raw, data.resolve("r0"))).isEqualTo(-1);
  }

  @Test
  void whatIsNotThereIsTold() throws IOException {
    packTwice();
    assertThat(refused(1, "unpack", packs, "--version", "7.7", "-C", temp.resolve("o")).err())
        .contains("no version 7.7", "2.2, 1.1");
    Path pack = temp.resolve("one.cairnpack");
    run("pack", "-r", data, "--compression", "none", "-o", pack);
    assertThat(refused(2, "unpack", pack, "--version", "1.1").err()).contains("--version");
    assertThat(refused(2, "pack", "-r", data).err()).contains("-o or --to");
    assertThat(refused(2, "pack", "-r", data, "-o", pack, "--to", packs).err())
        .contains("-o or --to");
    assertThat(refused(2, "pack", "--to", packs).err()).contains("name files");
    assertThat(run("diff", pack, packs).out()).contains("same");
  }

  /** Who asks for the newest one must not get an older one and not know it. */
  @Test
  void anOlderVersionIsNotHandedOutInPlaceOfADamagedOne() throws IOException {
    packTwice();
    Path segment;
    try (Stream<Path> files = Files.list(packs)) {
      segment =
          files
              .filter(file -> file.toString().contains("-2.2-r3-"))
              .filter(this::isSegment)
              .findFirst()
              .orElseThrow();
    }
    try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() - 20);
    }
    Path out = temp.resolve("out");
    assertThat(refused(1, "unpack", packs, "-C", out).err())
        .contains("the newest version", "--version 2.2", "--version 1.1");
    assertThat(out).doesNotExist();
    for (String command : List.of("show", "ls --sha256")) {
      Object[] words = Stream.concat(Arrays.stream(command.split(" ")), Stream.of(packs)).toArray();
      assertThat(refused(1, words).err()).contains("is damaged");
    }
    run("unpack", packs, "--version", "1.1", "-C", out);
  }

  private boolean isSegment(Path file) {
    return String.valueOf(file.getFileName()).startsWith("seg-");
  }

  @Test
  void packsAndJobsDoNotShareADirectory() throws IOException {
    Path shared = temp.resolve("shared");
    saveJob(temp.resolve("job"), shared);
    assertThat(refused(1, "pack", "-r", data, "--to", shared).err())
        .contains("is the shared directory of job", "directory of their own");
    assertThat(run("ls", shared).out()).contains("1.1");
    run("pack", "-r", data, "--to", packs);
    assertThatThrownBy(() -> saveJob(temp.resolve("another"), packs))
        .hasMessageContaining("is a directory of packs");
    run("verify", packs);
  }

  private static void saveJob(Path directory, Path shared) throws IOException {
    Options options =
        Options.defaults().tiers(Tiers.none().shared(DirectoryStore.open(shared, true), 1));
    try (Checkpointer cairn = Checkpointer.open(directory, options)) {
      cairn.protect("u", new double[100]);
      cairn.checkpoint();
    }
  }

  @Test
  void aDirectoryBelowWhatIsPackedIsLeftOut() throws IOException {
    packs = data.resolve("deep/PACKS");
    for (int i = 0; i < 2; i++) {
      Cli.Result result = run("pack", "-r", data, "--compression", "none", "--to", packs);
      assertThat(result.out()).contains(": 3 files");
      assertThat(result.err().contains("is where packs go")).isEqualTo(i > 0);
    }
    assertThat(run("ls", packs).out()).contains("2 versions");
  }

  @Test
  void whatCannotBePackedIsNoted() throws Exception {
    Files.createDirectories(data.resolve("empty"));
    Files.createSymbolicLink(data.resolve("link"), data.resolve("r0"));
    Process fifo = new ProcessBuilder("mkfifo", data.resolve("fifo").toString()).start();
    assertThat(fifo.waitFor()).isZero();
    Cli.Result result = run("pack", "-r", data, "--compression", "none", "--to", packs);
    assertThat(result.out()).contains(": 3 files");
    assertThat(result.err())
        .contains("empty is an empty folder", "fifo is neither a file nor a folder");
  }

  @Test
  void oldVersionsGo() throws IOException {
    for (int i = 0; i < 3; i++) {
      run("pack", "-r", data, "--compression", "none", "--to", packs, "--keep", "2");
    }
    assertThat(run("ls", packs).out()).contains("3.3", "2.2").doesNotContainPattern("(?m)^1\\.1 ");
  }

  @Test
  void pruneDeletesOldVersionsAndScrubNamesTheOtherCommand() throws IOException {
    packTwice();
    assertThat(run("prune", packs).out()).contains("version 1.1", "Nothing was; say which");
    assertThat(run("ls", packs).out()).contains("1.1");
    assertThat(run("prune", "--versions", "--keep", "1", packs).out()).contains("Deleted");
    assertThat(run("ls", packs).out()).contains("2.2").doesNotContainPattern("(?m)^1\\.1 ");
    run("verify", packs);
    run("pack", "-r", data, "--compression", "fast", "--to", packs);
    run("unpack", packs, "-C", temp.resolve("out"));
    assertThat(Files.mismatch(temp.resolve("out/chk/r1"), data.resolve("r1"))).isEqualTo(-1);
    for (String option : new String[] {"--json", "--dry-run"}) {
      assertThat(refused(1, "scrub", option, packs).err())
          .contains("is a directory of packs", "cairn verify");
    }
  }

  /** Whoever packs has the lease: nothing is deleted under his feet. */
  @Test
  void pruneDeletesNothingWhileSomebodyPacks() throws IOException {
    packTwice();
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(packs, 9)) {
      assertThat(writer.newest()).isPresent();
      assertThat(Cli.run("prune", "--versions", packs).err()).contains("stays", "lease");
    }
    assertThat(run("ls", packs).out()).contains("2.2", "1.1");
  }

  @Test
  void setsArePackedOnceAndRemoved() {
    Object[] watch = {
      "pack",
      "--watch",
      temp,
      "--match",
      "(?<set>chk)/r(?<rank>\\d)",
      "--ranks",
      "3",
      "--to",
      packs,
      "--settle",
      "0",
      "--poll",
      "0.01",
      "--once",
      "--compression",
      "none"
    };
    assertThat(run(watch).out()).contains("set chk: 3 files");
    assertThat(run(watch).out()).isEmpty();
    Object[] asJson = Arrays.copyOf(watch, watch.length + 1);
    asJson[watch.length] = "--json";
    asJson[List.of(watch).indexOf(packs)] = temp.resolve("others");
    assertThat(run(asJson).out()).startsWith("{\"set\":\"chk\"").contains("\"files\":3");
    for (String bad : List.of("--settle -1", "--poll 0")) {
      Object[] words = watch.clone();
      String[] option = bad.split(" ");
      words[List.of(words).indexOf(option[0]) + 1] = option[1];
      assertThat(refused(2, words).err()).contains(option[0] + " wants");
    }
    assertThat(refused(2, "pack", "--watch", temp, "--to", packs).err()).contains("--match");
    assertThat(refused(2, "pack", "--watch", temp, "--match", "x").err()).contains("--to");
  }
}
