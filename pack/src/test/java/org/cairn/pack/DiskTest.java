// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Disks that are full or only to be read, and what nobody may read: what went wrong is named, and
 * nothing is left behind. Real ones, seen by a process of its own only.
 */
@Tag("slow")
class DiskTest {
  private static final int LARGE = 3 << 20;

  @TempDir Path dir;
  private Path in;
  private Path disk;

  @BeforeEach
  void files() throws IOException {
    in = Files.createDirectory(dir.resolve("in"));
    disk = Files.createDirectory(dir.resolve("disk"));
  }

  private Path noise(String name, int length) throws IOException {
    byte[] bytes = new byte[length];
    new Random(5).nextBytes(bytes);
    return Files.write(in.resolve(name), bytes);
  }

  private static String quoted(List<String> command) {
    return "'" + String.join("' '", command) + "'";
  }

  private static String child(String action, Path from, Path to) {
    return quoted(PackChild.command(List.of(), action, from, to));
  }

  /** What lies on the disk, in brackets. */
  private String listing() {
    return "echo \"[$(ls -A '%s' | tr '\\n' ' ')]\"".formatted(disk);
  }

  /** Runs commands with a disk of their own. */
  private List<String> onDisk(String options, String... commands) throws Exception {
    String mount = "mount -t tmpfs -o %s tmpfs '%s'".formatted(options, disk);
    assumeTrue(shell("unshare -m sh -c \"" + mount + "\"").exit == 0, "cannot mount");
    Path script = dir.resolve("script");
    Files.writeString(script, mount + " || exit 9\n" + String.join("\n", commands));
    Said said = shell("unshare -m sh '" + script + "'");
    Files.delete(script);
    assertThat(said.exit).as(said.lines.toString()).isZero();
    return said.lines;
  }

  private record Said(int exit, List<String> lines) {}

  private Said shell(String command) throws Exception {
    Process process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
    List<String> lines =
        new String(process.getInputStream().readAllBytes(), UTF_8).lines().toList();
    return new Said(process.waitFor(), lines);
  }

  @Test
  void aFullDiskWhilePackingIsNamedAndLeavesNothing() throws Exception {
    Path large = noise("large", LARGE);
    Path small = Files.createDirectory(dir.resolve("small"));
    Files.writeString(small.resolve("text"), "a little");
    Path pack = disk.resolve("it.cairnpack");
    List<String> said =
        onDisk(
            "size=1m", child("pack", in, pack), listing(), child("pack", small, pack), listing());
    assertThat(said.get(0)).contains("refused", "No space left", disk.toString());
    assertThat(said.get(1)).isEqualTo("[]");
    assertThat(said.get(2)).startsWith("packed 1 files");
    assertThat(said.get(3)).isEqualTo("[it.cairnpack ]");
    assertThat(Files.size(large)).isEqualTo(LARGE);
  }

  @Test
  void tooLittleSpaceToUnpackIsToldBeforeAnythingIsWritten() throws Exception {
    noise("large", LARGE);
    Path pack = dir.resolve("it.cairnpack");
    Packing.pack(in, pack, Packing.settings());
    List<String> said = onDisk("size=1m", child("unpack", pack, disk), listing());
    assertThat(said.get(0)).contains("refused", "too little space", disk.toString(), "large");
    assertThat(said.get(1)).isEqualTo("[]");
  }

  /** Each file takes more of the disk than it has bytes, which nobody can know before. */
  @Test
  void aDiskThatBecomesFullWhileUnpackingIsNamedAndLeavesNothing() throws Exception {
    for (int i = 0; i < 300; i++) {
      noise("f" + i, 100);
    }
    Path pack = dir.resolve("it.cairnpack");
    Packing.pack(in, pack, Packing.settings());
    List<String> said =
        onDisk(
            "size=1m",
            child("unpack", pack, disk),
            listing(),
            "mount -o remount,size=64m,nr_inodes=20 '%s'".formatted(disk),
            child("unpack", pack, disk),
            listing());
    assertThat(said.get(0))
        .containsPattern("refused: .*" + disk + "/f[0-9]+: writing at 0: No space left");
    assertThat(said.get(1)).isEqualTo("[]");
    assertThat(said.get(2)).contains("refused", "No space left", disk.toString());
    assertThat(said.get(3)).isEqualTo("[]");
  }

  @Test
  void aDiskThatCanOnlyBeReadIsNamed() throws Exception {
    noise("file", 1000);
    Path pack = dir.resolve("it.cairnpack");
    Packing.pack(in, pack, Packing.settings());
    List<String> said =
        onDisk("ro", child("pack", in, disk.resolve("it.cairnpack")), child("unpack", pack, disk));
    assertThat(said)
        .hasSize(2)
        .allSatisfy(
            line ->
                assertThat(line)
                    .contains("refused", disk + ": ", "Read-only file system")
                    .doesNotContain(".cairn-pack"));
  }

  /** Whoever may read all files is made one who may not. */
  private List<String> withoutRights(String... commands) throws Exception {
    String words = String.join("; ", commands);
    Said plain = shell("test \"$(id -u)\" != 0");
    if (plain.exit == 0) {
      return shell(words).lines;
    }
    String drop = "setpriv --bounding-set -dac_override,-dac_read_search ";
    assumeTrue(shell(drop + "true").exit == 0, "cannot give up rights");
    Path script = dir.resolve("script");
    Files.writeString(script, words);
    Said said = shell(drop + "sh '" + script + "'");
    Files.delete(script);
    return said.lines;
  }

  @Test
  void whatMayNotBeReadOrWrittenIsNamed() throws Exception {
    Path secret = noise("secret", 1000);
    noise("open", 1000);
    Path pack = dir.resolve("it.cairnpack");
    Packing.pack(in, pack, Packing.settings());
    Files.setPosixFilePermissions(secret, Collections.emptySet());
    Files.setPosixFilePermissions(disk, PosixFilePermissions.fromString("r-xr-xr-x"));
    Path other = dir.resolve("other.cairnpack");
    List<String> said = withoutRights(child("pack", in, other), child("unpack", pack, disk));
    assertThat(said.get(0)).contains("refused", "AccessDenied", secret.toString());
    assertThat(said.get(1))
        .contains("refused", "AccessDenied", disk + ": ", "choose another")
        .doesNotContain(".cairn-pack");
    Packing.assertOnly(dir, "in", "disk", "it.cairnpack");
    Packing.assertOnly(disk);
  }
}
