// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.cairn.record.RecordWriter;
import org.cairn.testkit.process.PythonProgram;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * Frames with every transform, read in Python by what {@code docs/format/segment.md} says of them.
 */
@Tag("slow")
class PythonFrameTest {
  private static final int FRAMES = 40;

  @TempDir Path dir;

  @SeededTest(seeds = 1)
  void aReaderThatKnowsOnlyThePageReadsEveryTransform(Random random) throws Exception {
    List<Object> arguments = new ArrayList<>(List.of("--frames"));
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < FRAMES; i++) {
      List<Piece> pieces = Pieces.any(random);
      arguments.add(write("frame" + i, pieces, i % 4 == 0 ? FrameEncoder.NO_LEVEL : 3));
      expected.add("frame " + sha256(Pieces.plain(pieces)));
    }
    PythonProgram.Answer answer = PythonProgram.run("cairn_reader.py", arguments.toArray());
    assertThat(answer.lines()).isEqualTo(expected);
    assertThat(answer.exit()).isZero();
  }

  private Path write(String name, List<Piece> pieces, int level) throws IOException {
    MemorySegment stored = MemorySegment.ofArray(new byte[(int) FrameEncoder.mostStored(pieces)]);
    try (FrameEncoder encoder = new FrameEncoder()) {
      FrameInfo info = encoder.encode(pieces, level, stored);
      RecordWriter out = RecordWriter.onHeap();
      info.write(out);
      out.putBytes(stored.asSlice(0, info.storedLength()).toArray(ValueLayout.JAVA_BYTE));
      return Files.write(dir.resolve(name), out.toArray());
    }
  }

  private static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }
}
