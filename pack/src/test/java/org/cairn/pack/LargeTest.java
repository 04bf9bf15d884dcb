// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.cairn.Compression;
import org.cairn.frame.FrameOrder;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.Variable;
import org.cairn.supply.Supply;
import org.cairn.testkit.random.OnlyThorough;
import org.cairn.transform.Elements;
import org.cairn.work.Workers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files, variables and packs beyond 4 GiB, and beyond the memory that may be used. */
class LargeTest {
  private static final long GIB = 1L << 30;
  private static final int SOME = 300_000;

  @TempDir Path dir;

  private static byte[] noise(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static void write(Path file, long offset, byte[] bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes), offset);
    }
  }

  private static byte[] read(Path file, long offset, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    try (FileChannel channel = FileChannel.open(file)) {
      channel.read(bytes, offset);
    }
    return bytes.array();
  }

  /** A variable that begins before 4 GiB and goes on behind, most of it never written. */
  @Test
  void aFileBeyondFourGibibytesComesBack() throws IOException {
    Path in = Files.createDirectory(dir.resolve("in"));
    Path file = in.resolve("large");
    long[] places = {0, 4 * GIB - SOME / 2, 6 * GIB};
    for (int i = 0; i < places.length; i++) {
      write(file, places[i], noise(i, SOME));
    }
    Variable variable =
        new Variable(
            "/rho", Elements.floats(8, ByteOrder.LITTLE_ENDIAN), List.of(2048L, 1024L, 384L));
    TestLocator locator =
        new TestLocator((_, hints) -> hints.extent(Extent.whole(variable, 800, 6 * GIB)));
    Path pack = dir.resolve("it.cairnpack");
    PackReport report = Packing.pack(in, pack, Packing.settings(locator));
    assertThat(report.bytes()).isEqualTo(6 * GIB + SOME);
    assertThat(report.stored()).isLessThan(4 * SOME);
    Path out = Files.createDirectory(dir.resolve("out"));
    assertThat(Packing.unpack(pack, out, 1)).isEmpty();
    Path back = out.resolve("large");
    assertThat(Files.size(back)).isEqualTo(6 * GIB + SOME);
    for (int i = 0; i < places.length; i++) {
      assertThat(read(back, places[i], SOME)).isEqualTo(noise(i, SOME));
    }
    assertThat(read(back, 5 * GIB, SOME)).isEqualTo(new byte[SOME]);
  }

  /** What is in memory at a time does not grow with a variable: 48 MiB of it, 10 MiB of budget. */
  @Test
  void aVariableBeyondTheBudgetTakesNoMoreMemory() throws IOException {
    Path in = Files.createDirectory(dir.resolve("in"));
    FrameOrder.Sizes sizes = new FrameOrder.Sizes(10, 1 << 20, 1 << 18);
    PackSettings settings = Packing.settings(FrameOrder.AWARE, sizes, 10 << 20, 2);
    long[] taken = new long[2];
    for (int i = 0; i < 2; i++) {
      Files.write(in.resolve("large"), noise(1, (i == 0 ? 8 : 48) << 20));
      long[] sum = new long[1];
      Supply.controlledBy(
          (kind, amount) -> {
            if (kind != Supply.Kind.THREAD) {
              synchronized (sum) {
                sum[0] += amount;
              }
            }
          });
      try {
        Packing.pack(in, dir.resolve("%d.cairnpack".formatted(i)), settings);
      } finally {
        Supply.uncontrolled();
      }
      taken[i] = sum[0];
    }
    assertThat(taken[1]).as("all memory that was ever taken").isLessThan(20 << 20);
    assertThat(taken[1] - taken[0]).as("for 40 MiB more").isLessThan(1 << 20);
  }

  /**
   * Files of which no block is like another, stored as they are: offsets and addresses beyond 32
   * bits.
   */
  @Test
  @OnlyThorough
  void aPackBeyondFourGibibytesIsReadToItsEnd() throws IOException {
    assumeTrue(Files.getFileStore(dir).getUsableSpace() > 10 * GIB, "needs 10 GiB of disk");
    byte[] noise = noise(9, 256 << 20);
    List<Packer.Input> inputs = new ArrayList<>();
    for (int i = 0; i < 17; i++) {
      for (int at = 0; at < noise.length; at += 512) {
        noise[at]++;
      }
      Path file = Files.write(dir.resolve("file" + i), noise);
      inputs.add(new Packer.Input(file, new PackName("file" + i)));
    }
    Path path = dir.resolve("it.cairnpack");
    try (Packer packer = new Packer(PackSettings.usual().with(Compression.none()), _ -> {})) {
      packer.pack(inputs, path);
    }
    assertThat(Files.size(path)).isGreaterThan(4 * GIB);
    Path out = Files.createDirectory(dir.resolve("out"));
    try (Pack pack = Pack.open(path);
        Workers workers = new Workers(2, "unpacking")) {
      assertThat(pack.verifyStored(_ -> {})).isEmpty();
      List<Pack.Member> last = List.of(pack.members().getLast());
      assertThat(new Unpacker(pack, out).unpack(last, workers, _ -> {})).isEmpty();
    }
    Packing.assertSameFile(dir.resolve("file16"), out.resolve("file16"));
  }
}
