// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Linker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.cairn.Checkpointer;
import org.cairn.Compression;
import org.cairn.Options;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.SoloCommunicator;
import org.cairn.store.DirectoryStore;
import org.cairn.testkit.process.ChildJava;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job whose tiers say that it compresses, on a machine without a library of zstd: it goes on
 * without, and is told what it lacks if it needs what was compressed elsewhere.
 */
@Tag("slow")
class SharedWithoutZstdTest {
  private static final List<String> NO_LIBRARY = List.of("-Dcairn.test.without=true");

  @TempDir Path dir;

  /** A life of a program, in a JVM of its own. */
  static final class Child {
    private Child() {}

    /** Takes where its own files and the shared ones lie. */
    public static void main(String[] arguments) {
      if (Boolean.getBoolean("cairn.test.without")) {
        Linker _ = Linker.nativeLinker(); // before it, too, believes to be elsewhere
        System.setProperty("os.arch", "vax");
      }
      try {
        Tiers tiers =
            Tiers.none()
                .shared(DirectoryStore.shared(Path.of(arguments[1])), 1)
                .compression(Compression.small());
        long[] state = new long[20_000];
        try (SoloCommunicator alone = new SoloCommunicator();
            Checkpointer cairn =
                Checkpointer.open(
                    Path.of(arguments[0]), alone, Options.defaults().tiers(tiers).threads(1))) {
          cairn.protect("state", state);
          System.out.println("restored: " + cairn.restart().isRestored() + " " + state[7]);
          Arrays.setAll(state, i -> i / 3);
          cairn.checkpoint().await(TierKind.SHARED);
          System.out.println("flushed");
        }
      } catch (IOException | RuntimeException e) {
        System.out.println("refused: " + e);
      }
    }
  }

  private String live(List<String> flags, String own) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ChildJava.executable());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    command.addAll(flags);
    command.addAll(List.of("-cp", ChildJava.classPath(), Child.class.getName()));
    command.addAll(List.of(dir.resolve(own).toString(), dir.resolve("shared").toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void whatIsFlushedThereIsReadEverywhere() throws IOException {
    assertThat(live(NO_LIBRARY, "a")).contains("restored: false", "flushed");
    assertThat(live(NO_LIBRARY, "b")).contains("restored: true 2", "flushed");
    assertThat(live(List.of(), "c")).contains("restored: true 2", "flushed");
  }

  @Test
  void whatWasCompressedElsewhereNamesTheLibrary() throws IOException {
    assertThat(live(List.of(), "a")).contains("flushed");
    assertThat(live(NO_LIBRARY, "b"))
        .contains("zstd has no native library")
        .doesNotContain("restored: true", "restored: false");
  }
}
