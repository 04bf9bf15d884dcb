// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.cairn.pack.locate.Holes.Hole;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Where a hole is said to be there are zeros, and nothing on disk. */
@EnabledOnOs(OS.LINUX)
class HolesTest {
  private static final int MEBI = 1 << 20;

  @TempDir Path dir;

  /** A file that has bytes at these places only. */
  private static Path sparse(Path path, long size, long... places) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      for (long place : places) {
        file.seek(place);
        file.write(new byte[] {1, 2, 3});
      }
      file.setLength(size);
    }
    return path;
  }

  private static List<Hole> holes(Path path) throws IOException {
    List<Hole> holes = Holes.ofSystem().of(path, Files.size(path));
    assertThat(holes).as("the disk that tests use knows holes").isNotEmpty();
    return holes;
  }

  @Test
  void holesAreFoundAtTheBeginningInBetweenAndAtTheEnd() throws IOException {
    Path path = sparse(dir.resolve("sparse"), 10 * MEBI, 3 * MEBI, 7 * MEBI);
    assertThat(holes(path))
        .hasSize(3)
        .startsWith(new Hole(0, 3 * MEBI))
        .last()
        .satisfies(last -> assertThat(last.end()).isEqualTo(10 * MEBI));
  }

  @Test
  void aFileThatIsOneHoleIsOne() throws IOException {
    Path path = sparse(dir.resolve("empty"), 6L << 30);
    assertThat(holes(path)).containsExactly(new Hole(0, 6L << 30));
  }

  @Test
  void holesEndWhereTheCallerSaysTheFileDoes() throws IOException {
    Path path = sparse(dir.resolve("grew"), 10 * MEBI, 5 * MEBI);
    assertThat(Holes.ofSystem().of(path, 2 * MEBI)).containsExactly(new Hole(0, 2 * MEBI));
    assertThat(Holes.ofSystem().of(path, 0)).isEmpty();
  }

  @Test
  void whereNoneCanBeFoundThereAreNone() throws IOException {
    Path full = Files.write(dir.resolve("full"), new byte[100_000]);
    assertThat(Holes.ofSystem().of(full, 100_000)).isEmpty();
    assertThat(Holes.ofSystem().of(dir.resolve("absent"), 100_000)).isEmpty();
    assertThat(Holes.ofSystem().of(dir, 100_000)).isEmpty();
    assertThat(Holes.ofSystem().of(sparse(dir.resolve("short"), 5000, 0), 5000)).isEmpty();
    assertThat(Holes.none().of(sparse(dir.resolve("sparse"), MEBI), MEBI)).isEmpty();
  }

  /** A name that is not UTF-8, and one that a URI must escape. */
  @Test
  void namesAreTakenByteByByte() throws IOException {
    for (String name : List.of("b%FFd", "100%25%20%23%C3%A4")) {
      Path path = Path.of(URI.create(dir.toUri() + name));
      assertThat(holes(sparseByChannel(path))).hasSize(1);
    }
  }

  private static Path sparseByChannel(Path path) throws IOException {
    try (var channel =
        java.nio.channels.FileChannel.open(
            path,
            java.nio.file.StandardOpenOption.CREATE,
            java.nio.file.StandardOpenOption.WRITE)) {
      channel.write(java.nio.ByteBuffer.allocate(1), MEBI);
    }
    return path;
  }

  @SeededTest(seeds = 20)
  void holesAreZerosApartAndInOrder(Random random) throws IOException {
    long[] places = random.longs(random.nextInt(6), 0, 2 * MEBI - 3).toArray();
    Path path = sparse(dir.resolve("any"), 2 * MEBI, places);
    byte[] bytes = Files.readAllBytes(path);
    long end = -1;
    for (Hole hole : Holes.ofSystem().of(path, bytes.length)) {
      assertThat(hole.offset()).isGreaterThan(end);
      assertThat(hole.length()).isGreaterThanOrEqualTo(Holes.SHORTEST);
      end = hole.end();
      assertThat(
              Arrays.mismatch(
                  bytes,
                  (int) hole.offset(),
                  (int) end,
                  new byte[bytes.length],
                  0,
                  (int) hole.length()))
          .isEqualTo(-1);
    }
    assertThat(end).isLessThanOrEqualTo(bytes.length);
  }
}
