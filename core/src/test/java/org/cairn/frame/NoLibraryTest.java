// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.cairn.testkit.process.ChildJava;
import org.cairn.transform.Transform;
import org.junit.jupiter.api.Test;

/** Frames in a JVM that has no zstd library. */
class NoLibraryTest {
  private static String run(String... flags) throws IOException {
    MemorySegment target = Arena.ofAuto().allocate(2000);
    try (FrameEncoder encoder = new FrameEncoder()) {
      Piece zeros = new Piece(MemorySegment.ofArray(new byte[1000]), Transform.NONE);
      FrameInfo info = encoder.encode(List.of(zeros), 1, target);
      byte[] stored = target.asSlice(0, info.storedLength()).toArray(ValueLayout.JAVA_BYTE);
      List<String> command = new ArrayList<>();
      command.add(ChildJava.executable());
      command.addAll(List.of("-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
      command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
      command.addAll(List.of(flags));
      command.addAll(List.of("-cp", ChildJava.classPath(), FrameChild.class.getName()));
      command.addAll(List.of(HexFormat.of().formatHex(stored), "1000"));
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void framesAreStoredAsTheyAreWithOneWarningAndCompressedOnesNameTheLibrary() throws IOException {
    String output = run("-Dos.arch=vax");
    assertThat(output)
        .containsOnlyOnce("Nothing is compressed: Codec zstd has no native library for")
        .contains("stored: none", "chosen: level 0, not compressed (there is no library of zstd")
        .contains("unavailable: Codec zstd has no native library for")
        .doesNotContain("stored: zstd", "decoded");
  }

  @Test
  void withTheLibraryTheyAreCompressed() throws IOException {
    assertThat(run())
        .contains("stored: zstd", "chosen: level 6", "decoded")
        .doesNotContain("unavailable", "Nothing is compressed");
  }
}
