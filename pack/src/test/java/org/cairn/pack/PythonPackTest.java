// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.cairn.testkit.process.PythonProgram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A reader in Python that knows {@code docs/format/segment.md} and nothing else finds in packs what
 * was packed, and brings it back.
 */
@Tag("slow")
class PythonPackTest {
  private static final Path GOLDEN =
      Path.of("../pack/src/test/resources/golden/pack-v2/example.cairnpack");

  @TempDir Path dir;
  private Path in;

  /** Numbers of both byte orders, text, a hole, nothing, and one file twice. */
  private Path pack() throws IOException {
    in = Files.createDirectory(dir.resolve("in"));
    Files.createDirectory(in.resolve("sub"));
    Files.write(in.resolve("sub/big.npy"), npy(ByteOrder.BIG_ENDIAN));
    Files.write(in.resolve("little.npy"), npy(ByteOrder.LITTLE_ENDIAN));
    Files.copy(in.resolve("little.npy"), in.resolve("again.npy"));
    Files.writeString(in.resolve("text"), "It is packed. ".repeat(300));
    Files.createFile(in.resolve("empty"));
    try (RandomAccessFile hole = new RandomAccessFile(in.resolve("hole").toFile(), "rw")) {
      hole.setLength(300_000);
      hole.seek(200_000);
      hole.writeBytes("here");
    }
    Files.setPosixFilePermissions(in.resolve("text"), PosixFilePermissions.fromString("r--r-----"));
    Path pack = dir.resolve("it.cairnpack");
    Packing.pack(in, pack, Packing.settings());
    return pack;
  }

  private static byte[] npy(ByteOrder order) {
    String head =
        "{'descr': '%sf8', 'fortran_order': False, 'shape': (40, 50), }"
            .formatted(order == ByteOrder.BIG_ENDIAN ? ">" : "<");
    ByteBuffer bytes = ByteBuffer.allocate(128 + 8 * 2000).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0}).putShort((short) 118);
    bytes.put("%-117s\n".formatted(head).getBytes(UTF_8)).order(order);
    for (int i = 0; i < 2000; i++) {
      bytes.putDouble(i % 50 * 0.25 + i / 50);
    }
    return bytes.array();
  }

  private static List<String> describe(Path folder) throws Exception {
    List<String> lines = new ArrayList<>();
    for (Packer.Input input : Packing.inputs(folder)) {
      lines.add(describe(input));
    }
    return lines;
  }

  /** What the program says of a file. */
  private static String describe(Packer.Input input) throws Exception {
    byte[] bytes = Files.readAllBytes(input.path());
    int mode = (int) Files.getAttribute(input.path(), "unix:mode") & 0777;
    var time = Files.getLastModifiedTime(input.path()).toInstant();
    return "file %s %d bytes %04o %d.%09d %s"
        .formatted(
            input.name(),
            bytes.length,
            mode,
            time.getEpochSecond(),
            time.getNano(),
            HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)));
  }

  @Test
  void aReaderThatKnowsOnlyThePageFindsTheFiles() throws Exception {
    Path pack = pack();
    PythonProgram.Answer answer = PythonProgram.run("cairn_reader.py", pack);
    assertThat(answer.exit()).as("%s", answer.lines()).isZero();
    assertThat(answer.lines().stream().filter(line -> line.startsWith("file ")))
        .containsExactlyInAnyOrderElementsOf(describe(in));
    assertThat(answer.lines()).anyMatch(line -> line.matches("\\d+ frames with level \\d+: .+"));

    Path out = Files.createDirectory(dir.resolve("out"));
    answer = PythonProgram.run("cairn_reader.py", pack, "--unpack", out);
    assertThat(answer.exit()).as("%s", answer.lines()).isZero();
    Packing.assertSame(in, out);
  }

  @Test
  void itReadsTheGoldenOneAndFindsDamage() throws Exception {
    PythonProgram.Answer answer = PythonProgram.run("cairn_reader.py", GOLDEN);
    assertThat(answer.exit()).as("%s", answer.lines()).isZero();
    assertThat(answer.lines()).first().isEqualTo("pack of 2 files in 1 frames");
    byte[] bytes = Files.readAllBytes(GOLDEN);
    bytes[300] ^= 1; // The frame lies there.
    answer = PythonProgram.run("cairn_reader.py", Files.write(dir.resolve("bad"), bytes));
    assertThat(answer.exit()).isEqualTo(1);
    assertThat(answer.lines()).filteredOn(line -> line.startsWith("damage: f")).hasSize(2);
  }
}
