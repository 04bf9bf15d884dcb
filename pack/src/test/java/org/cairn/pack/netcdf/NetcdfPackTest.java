// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.netcdf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.cairn.pack.ArrayType;
import org.cairn.pack.Pack;
import org.cairn.pack.Packing;
import org.cairn.testkit.random.SeededTest;
import org.cairn.version.DatasetEntry;
import org.junit.jupiter.api.io.TempDir;

/** netCDF-3 files through a pack and back, whole and damaged. */
class NetcdfPackTest {
  private static final int RECORDS = 5;

  @TempDir private Path folder;

  private static byte[] file(int version, Random random) {
    NetcdfWriter writer = new NetcdfWriter(version, RECORDS).withAttributes();
    int time = writer.dimension("time", 0);
    int x = writer.dimension("x", 60);
    NetcdfWriter.Var still = writer.variable("still", NetcdfWriter.DOUBLE, x);
    writer.variable("u", NetcdfWriter.DOUBLE, time, x);
    writer.variable("counts", NetcdfWriter.SHORT, time, x);
    byte[] header = writer.header();
    long end = still.begin + still.bytes + RECORDS * writer.recordBytes();
    byte[] bytes = new byte[Math.toIntExact(end)];
    random.nextBytes(bytes);
    System.arraycopy(header, 0, bytes, 0, header.length);
    return bytes;
  }

  @SeededTest(seeds = 6)
  void filesOfAllVersionsComeBack(Random random) throws IOException {
    Path in = Files.createDirectory(folder.resolve("in"));
    for (int version : new int[] {1, 2, 5}) {
      byte[] bytes = file(version, random);
      Files.write(in.resolve("good%d.nc".formatted(version)), bytes);
      byte[] bad = Arrays.copyOf(bytes, bytes.length - random.nextInt(bytes.length));
      for (int i = random.nextInt(9); i > 0; i--) {
        bad[random.nextInt(Math.min(bad.length, 300))] = (byte) random.nextInt(256);
      }
      Files.write(in.resolve("bad%d.nc".formatted(version)), bad);
    }
    Path it = Packing.roundTrip(in, folder.resolve("it.cairnpack"), folder.resolve("back"));
    try (Pack pack = Pack.open(it)) {
      for (Pack.Member member : pack.members()) {
        if (member.file().name().toString().startsWith("good")) {
          for (DatasetEntry stream : member.streams()) {
            if (stream.name().equals("/u")) {
              ArrayType type = member.type(stream).orElseThrow();
              assertThat(type.shape()).containsExactly((long) RECORDS, 60L);
              assertThat(stream.spec().byteLength()).isEqualTo(RECORDS * 60 * 8);
            }
          }
          assertThat(member.streams())
              .extracting(DatasetEntry::name)
              .contains("/still", "/u", "/counts");
        }
      }
    }
  }
}
