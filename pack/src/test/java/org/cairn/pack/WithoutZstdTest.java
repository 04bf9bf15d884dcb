// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packs where there is no zstd library: nothing is small, and nothing is lost. */
class WithoutZstdTest {
  /** There is no library for such a machine. */
  private static final List<String> NO_LIBRARY = List.of("-Dos.arch=vax");

  @TempDir Path dir;

  private static String child(String action, Path from, Path to) throws IOException {
    Process process =
        new ProcessBuilder(PackChild.command(NO_LIBRARY, action, from, to))
            .redirectErrorStream(true)
            .start();
    return new String(process.getInputStream().readAllBytes(), UTF_8);
  }

  private Path files() throws IOException {
    Path in = Files.createDirectory(dir.resolve("in"));
    Files.writeString(in.resolve("text"), "the same again and ".repeat(10_000));
    Files.write(in.resolve("empty"), new byte[0]);
    return in;
  }

  @Test
  void whatIsPackedThereIsReadEverywhere() throws IOException {
    Path in = files();
    Path pack = dir.resolve("it.cairnpack");
    assertThat(child("pack", in, pack))
        .containsOnlyOnce("Nothing is compressed: Codec zstd has no native library")
        .contains("packed 2 files");
    assertThat(Files.size(pack)).isGreaterThan(190_000);
    assertThat(child("unpack", pack, dir.resolve("there"))).contains("unpacked");
    Packing.assertSame(in, dir.resolve("there"));
    Path here = Files.createDirectory(dir.resolve("here"));
    assertThat(Packing.unpack(pack, here, 1)).isEmpty();
    Packing.assertSame(in, here);
  }

  /** The pack is not to blame, and says so. */
  @Test
  void whatIsCompressedNamesTheLibraryAndIsNotCalledDamaged() throws IOException {
    Path pack = dir.resolve("it.cairnpack");
    Packing.pack(files(), pack, Packing.settings());
    for (String action : List.of("unpack", "verify")) {
      assertThat(child(action, pack, dir.resolve("out")))
          .contains("refused", "zstd has no native library")
          .doesNotContain("damaged", "verified");
    }
    Packing.assertOnly(dir.resolve("out"));
  }
}
