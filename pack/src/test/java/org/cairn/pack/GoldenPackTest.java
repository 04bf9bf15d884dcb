// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.cairn.frame.FrameOrder;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.Variable;
import org.cairn.transform.Elements;
import org.cairn.version.DatasetEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A pack of format version 2, kept for ever, which docs/format/segment.md explains byte by byte;
 * {@code -Dcairn.golden=write} makes it anew, with other random numbers.
 */
class GoldenPackTest {
  private static final Path GOLDEN =
      Path.of("../pack/src/test/resources/golden/pack-v2/example.cairnpack");
  private static final int HEADER = 8;
  private static final int NUMBERS = 32;
  private static final Elements DOUBLES = Elements.floats(8, ByteOrder.LITTLE_ENDIAN);
  private static final Instant TIME = Instant.ofEpochSecond(1_000_000_000, 123_456_789);

  @TempDir Path dir;

  /** Eight letters, and numbers. */
  private Path makeFiles() throws IOException {
    Path in = Files.createDirectory(dir.resolve("in"));
    for (int i = 0; i < 2; i++) {
      ByteBuffer bytes = ByteBuffer.allocate(HEADER + 8 * NUMBERS).order(ByteOrder.LITTLE_ENDIAN);
      bytes.put("numbers:".getBytes());
      for (int k = 0; k < NUMBERS; k++) {
        bytes.putDouble(100 + i + k);
      }
      Path file = Files.write(in.resolve("f" + i), bytes.array());
      Files.setAttribute(file, "unix:mode", 0640);
      Files.setLastModifiedTime(file, FileTime.from(TIME));
    }
    return in;
  }

  private static PackSettings settings() {
    Variable numbers = new Variable("/T", DOUBLES, List.of(4L, 8L));
    TestLocator locator =
        new TestLocator((_, hints) -> hints.extent(Extent.whole(numbers, HEADER, 8L * NUMBERS)));
    return Packing.settings(
        FrameOrder.AWARE, new FrameOrder.Sizes(2, 1 << 20, 1 << 20), Packing.BUDGET, 1, locator);
  }

  @Test
  void itIsReadAsItWasWritten() throws IOException {
    Path in = makeFiles();
    if ("write".equals(System.getProperty("cairn.golden"))) {
      Files.deleteIfExists(GOLDEN);
      Packing.pack(in, GOLDEN, settings());
    }
    Path out = Files.createDirectory(dir.resolve("out"));
    assertThat(Packing.unpack(GOLDEN, out, 1)).isEmpty();
    Packing.assertSame(in, out);
    try (Pack pack = Pack.open(GOLDEN)) {
      assertThat(pack.frames()).hasSize(1);
      for (Pack.Member member : pack.members()) {
        assertThat(member.file().format()).isEqualTo("test");
        assertThat(member.file().tiles())
            .containsExactly(new PackedFile.Tile(1, HEADER), new PackedFile.Tile(2, 8L * NUMBERS));
        assertThat(member.streams()).extracting(DatasetEntry::name).containsExactly("(rest)", "/T");
        assertThat(member.type(member.streams().get(1)))
            .contains(new ArrayType(DOUBLES, List.of(4L, 8L), false, false));
      }
    }
  }
}
