// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.netcdf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.cairn.pack.locate.ByteSource;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.FileSource;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.MemorySource;
import org.cairn.pack.locate.NumpyType;
import org.cairn.pack.locate.Probe;
import org.cairn.pack.locate.Python;
import org.cairn.pack.locate.Tile;
import org.cairn.pack.locate.Tiling;
import org.cairn.pack.locate.Variable;
import org.cairn.testkit.random.SeededTest;
import org.cairn.transform.Elements;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data of netCDF-3 files are where the format says. */
class NetcdfLocatorTest {
  private static final NetcdfLocator LOCATOR = new NetcdfLocator();
  private static final Elements DOUBLES = Elements.floats(8, ByteOrder.BIG_ENDIAN);
  private static final Elements FLOATS = Elements.floats(4, ByteOrder.BIG_ENDIAN);
  private static final Elements SHORTS = Elements.integers(2, ByteOrder.BIG_ENDIAN);

  @TempDir Path dir;

  private static MemorySource file(byte[] header, long size) {
    return Probe.file("test.nc", Arrays.copyOf(header, (int) size));
  }

  /** A file of which there is only the header, and zeros as far as anyone looks. */
  private record Vast(String name, byte[] header, long size) implements ByteSource {
    @Override
    public void read(long offset, MemorySegment target) {
      long count = Math.clamp(header.length - offset, 0, target.byteSize());
      target.fill((byte) 0);
      MemorySegment.copy(MemorySegment.ofArray(header), offset, target, 0, count);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void variablesWithoutRecordsAreInOnePiece(int version) throws IOException {
    NetcdfWriter writer = new NetcdfWriter(version, 0).withAttributes();
    int y = writer.dimension("y", 5);
    int x = writer.dimension("xx", 7);
    NetcdfWriter.Var text = writer.variable("text", NetcdfWriter.CHAR, x);
    NetcdfWriter.Var rho = writer.variable("rho", NetcdfWriter.DOUBLE, y, x);
    NetcdfWriter.Var one = writer.variable("one", NetcdfWriter.FLOAT);
    byte[] header = writer.header();
    assertThat(Probe.located(LOCATOR, file(header, one.begin + 4)))
        .containsExactly(
            Extent.whole(
                new Variable("/text", Elements.BYTES, new NumpyType("|S1"), List.of(7L)),
                text.begin,
                7),
            Extent.whole(new Variable("/rho", DOUBLES, List.of(5L, 7L)), rho.begin, 5 * 7 * 8),
            Extent.whole(new Variable("/one", FLOATS, List.of()), one.begin, 4));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void eachRecordIsAnExtentAndRecordsArePadded(int version) throws IOException {
    NetcdfWriter writer = new NetcdfWriter(version, 3);
    int time = writer.dimension("time", 0);
    int x = writer.dimension("x", 3);
    NetcdfWriter.Var counts = writer.variable("counts", NetcdfWriter.SHORT, time, x);
    NetcdfWriter.Var still = writer.variable("still", NetcdfWriter.SHORT, x);
    NetcdfWriter.Var u = writer.variable("u", NetcdfWriter.DOUBLE, time, x);
    byte[] header = writer.header();
    assertThat(writer.recordBytes()).isEqualTo(8 + 24);
    Variable all = new Variable("/counts", SHORTS, List.of(3L, 3L));
    Variable us = new Variable("/u", DOUBLES, List.of(3L, 3L));
    List<Long> box = List.of(1L, 3L);
    assertThat(Probe.located(LOCATOR, file(header, counts.begin + 3 * 32)))
        .containsExactly(
            Extent.whole(new Variable("/still", SHORTS, List.of(3L)), still.begin, 6),
            new Extent(all, List.of(0L, 0L), box, counts.begin, 6, false),
            new Extent(all, List.of(1L, 0L), box, counts.begin + 32, 6, false),
            new Extent(all, List.of(2L, 0L), box, counts.begin + 64, 6, false),
            new Extent(us, List.of(0L, 0L), box, u.begin, 24, false),
            new Extent(us, List.of(1L, 0L), box, u.begin + 32, 24, false),
            new Extent(us, List.of(2L, 0L), box, u.begin + 64, 24, false));
  }

  @ParameterizedTest
  @ValueSource(longs = {5, Header.STREAMING})
  void recordsOfASingleVariableHaveNothingBetweenThem(long records) throws IOException {
    NetcdfWriter writer = new NetcdfWriter(2, records);
    int time = writer.dimension("time", 0);
    int x = writer.dimension("x", 3);
    NetcdfWriter.Var counts = writer.variable("counts", NetcdfWriter.SHORT, time, x);
    byte[] header = writer.header();
    assertThat(writer.recordBytes()).isEqualTo(6);
    assertThat(Probe.located(LOCATOR, file(header, counts.begin + 30)))
        .containsExactly(
            Extent.whole(new Variable("/counts", SHORTS, List.of(5L, 3L)), counts.begin, 30));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void ofAFileWhoseWriterDiedRecordsAreCounted(int version) throws IOException {
    NetcdfWriter writer = new NetcdfWriter(version, Header.STREAMING);
    int time = writer.dimension("time", 0);
    int x = writer.dimension("x", 16);
    NetcdfWriter.Var u = writer.variable("u", NetcdfWriter.DOUBLE, time, x);
    NetcdfWriter.Var v = writer.variable("v", NetcdfWriter.DOUBLE, time, x);
    byte[] header = writer.header();
    // Two records, and half of the third: u of it is there.
    List<Extent> found = Probe.located(LOCATOR, file(header, u.begin + 2 * 256 + 130));
    assertThat(found)
        .extracting(Extent::offset)
        .containsExactly(u.begin, u.begin + 256, u.begin + 512, v.begin, v.begin + 256);
  }

  @Test
  void recordsBeyondTheEndAreNotedOnce() throws IOException {
    NetcdfWriter writer = new NetcdfWriter(1, 2_000_000_000);
    int time = writer.dimension("time", 0);
    int x = writer.dimension("x", 16);
    NetcdfWriter.Var u = writer.variable("u", NetcdfWriter.DOUBLE, time, x);
    writer.variable("v", NetcdfWriter.DOUBLE, time, x);
    Hints hints = Probe.hints(LOCATOR, file(writer.header(), u.begin + 256 + 128));
    assertThat(hints.extents()).hasSize(3);
    assertThat(hints.notes())
        .extracting(Hints.Note::text)
        .containsExactly(
            "/u has 2000000000 records, of which the file has 2",
            "/v has 2000000000 records, of which the file has 1");
    Probe.refusedStrictly(file(writer.header(), u.begin + 256 + 128), hints);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 5})
  void filesMayHaveTerabytes(int version) throws IOException {
    NetcdfWriter writer = new NetcdfWriter(version, 3);
    int time = writer.dimension("time", 0);
    int y = writer.dimension("y", 100_000);
    int x = writer.dimension("x", 100_000);
    writer.variable("fixed", NetcdfWriter.DOUBLE, y, x);
    NetcdfWriter.Var u = writer.variable("u", NetcdfWriter.FLOAT, time, y, x);
    NetcdfWriter.Var v = writer.variable("v", NetcdfWriter.FLOAT, time, y, x);
    byte[] header = writer.header();
    long size = u.begin + 3 * writer.recordBytes();
    assertThat(size).isGreaterThan(300_000_000_000L);
    Vast file = new Vast("vast.nc", header, size);
    List<Extent> found = Probe.located(LOCATOR, file);
    assertThat(found).hasSize(7);
    assertThat(found.getLast().offset()).isEqualTo(v.begin + 2 * 80_000_000_000L);
    assertThat(found.getLast().offset() + found.getLast().length()).isEqualTo(size);
    Hints hints = new Hints(0, 7);
    found.forEach(hints::extent);
    List<Tile> tiles = Tiling.of(file, hints, new Tiling.Rules(0, true));
    Probe.checkExact(tiles, size);
    assertThat(tiles).hasSize(8);
  }

  /** One of them alone is left out; but how long a record is, is not known without it. */
  @Test
  void aVariableThatMakesNoSenseIsLeftOut() throws IOException {
    NetcdfWriter writer = new NetcdfWriter(5, 1);
    int huge = writer.dimension("huge", 1L << 40);
    int time = writer.dimension("time", 0);
    int x = writer.dimension("x", 20);
    NetcdfWriter.Var good = writer.variable("good", NetcdfWriter.DOUBLE, x);
    writer.variable("bad", NetcdfWriter.DOUBLE, huge, huge);
    writer.variable("record", NetcdfWriter.DOUBLE, time, x);
    Hints hints = Probe.hints(LOCATOR, file(writer.header(), good.begin + 10_000));
    assertThat(hints.extents()).first().extracting(Extent::offset).isEqualTo(good.begin);
    assertThat(hints.notes().getFirst().text()).isEqualTo("/bad would have more than 2^63 bytes");
    NetcdfWriter worse = new NetcdfWriter(5, 1);
    huge = worse.dimension("huge", 1L << 40);
    time = worse.dimension("time", 0);
    worse.variable("record", NetcdfWriter.DOUBLE, time);
    worse.variable("bad", NetcdfWriter.DOUBLE, time, huge, huge);
    Hints none = Probe.hints(LOCATOR, file(worse.header(), 10_000));
    assertThat(none.extents()).isEmpty();
    assertThat(none.notes())
        .extracting(Hints.Note::text)
        .containsExactly(
            "/bad would have more than 2^63 bytes",
            "how long records are is not known: their data are not located");
  }

  @Test
  void listsAndNamesThatNobodyHoldsInMemoryAreNoted() throws IOException {
    byte[] header = new NetcdfWriter(5, 0).header();
    header[12 + 3] = 10; // a list of dimensions
    header[16 + 4] = 1; // of 2^24
    Hints hints = Probe.hints(LOCATOR, new Vast("vast.nc", header, 1L << 40));
    assertThat(hints.notes()).containsExactly(new Hints.Note(12, "a list of 16777216 items"));
    NetcdfWriter writer = new NetcdfWriter(1, 0);
    writer.variable("a", NetcdfWriter.DOUBLE);
    writer.variable("b".repeat(1025), NetcdfWriter.DOUBLE);
    hints = Probe.hints(LOCATOR, file(writer.header(), 10_000));
    assertThat(hints.extents()).hasSize(1);
    assertThat(hints.notes()).extracting(Hints.Note::text).containsExactly("a name of 1025 bytes");
  }

  private static MemorySource any(Random random) {
    int version = new int[] {1, 2, 5}[random.nextInt(3)];
    NetcdfWriter writer = new NetcdfWriter(version, random.nextInt(4) - 1);
    if (random.nextBoolean()) {
      writer.withAttributes();
    }
    int[] dimensions = new int[3];
    for (int i = 0; i < 3; i++) {
      dimensions[i] = writer.dimension("d" + i, i == 0 ? 0 : 1 + random.nextInt(12));
    }
    for (int i = random.nextInt(5); i >= 0; i--) {
      writer.variable(
          "v" + i,
          1 + random.nextInt(version == 5 ? 11 : 6),
          random.nextBoolean() ? dimensions : new int[] {1 + random.nextInt(2)});
    }
    byte[] header = writer.header();
    return file(header, header.length + random.nextInt(5000));
  }

  @SeededTest(seeds = 40)
  void damagedHeadersDoNoHarm(Random random) throws IOException {
    Probe.survivesDamage(LOCATOR, any(random), random);
  }

  @SeededTest(seeds = 40)
  void noiseDoesNoHarm(Random random) throws IOException {
    byte[] noise = new byte[4 + random.nextInt(2000)];
    random.nextBytes(noise);
    noise[0] = 'C';
    noise[1] = 'D';
    noise[2] = 'F';
    noise[3] = (byte) new int[] {1, 2, 5}[random.nextInt(3)];
    for (int i = 8; i < Math.min(noise.length, 200); i++) {
      noise[i] = random.nextInt(3) > 0 ? 0 : (byte) random.nextInt(14); // more like lists
    }
    Probe.survives(LOCATOR, Probe.file("noise.nc", noise));
  }

  /** SciPy writes a file and says what is in it; the bytes that were located are that. */
  @Test
  void bytesAreThoseThatSciPyWrote() throws IOException {
    Python.run(
        dir,
        "numpy, scipy.io",
        """
        import numpy as np
        from scipy.io import netcdf_file
        f = netcdf_file('a.nc', 'w', version=2)
        f.createDimension('time', None)
        f.createDimension('y', 3)
        f.createDimension('x', 5)
        f.history = 'made for a test'
        f.createVariable('i', 'i', ('y', 'x'))[:] = np.arange(15).reshape(3, 5)
        f.createVariable('text', 'c', ('x',))[:] = np.frombuffer(b'abcde', 'S1')
        t = f.createVariable('t', 'h', ('time',))
        u = f.createVariable('u', 'd', ('time', 'y', 'x'))
        u.units = 'm/s'
        for k in range(4):
            t[k] = 10 + k
            u[k] = np.arange(15).reshape(3, 5) + 100 * k
        f.close()
        """);
    try (FileSource file = FileSource.open(dir.resolve("a.nc"))) {
      List<Extent> found = Probe.located(LOCATOR, file);
      assertThat(values(file, find(found, "/i", 0), 4))
          .containsExactly(LongStream.range(0, 15).toArray());
      for (int record = 0; record < 4; record++) {
        assertThat(values(file, find(found, "/t", record), 2)).containsExactly(10L + record);
        int base = 100 * record;
        assertThat(values(file, find(found, "/u", record), 8))
            .containsExactly(
                LongStream.range(0, 15)
                    .map(i -> Double.doubleToLongBits((double) base + i))
                    .toArray());
      }
      assertThat(found).hasSize(10);
      assertThat(values(file, find(found, "/text", 0), 1)).containsExactly('a', 'b', 'c', 'd', 'e');
    }
  }

  private static Extent find(List<Extent> found, String name, long record) {
    return found.stream()
        .filter(extent -> extent.variable().name().equals(name))
        .filter(extent -> extent.start().getFirst() == record)
        .findFirst()
        .orElseThrow();
  }

  private static long[] values(ByteSource file, Extent extent, int width) throws IOException {
    byte[] bytes = new byte[(int) extent.length()];
    file.read(extent.offset(), MemorySegment.ofArray(bytes));
    long[] values = new long[bytes.length / width];
    for (int i = 0; i < bytes.length; i++) {
      values[i / width] = values[i / width] << 8 | bytes[i] & 0xFF;
    }
    return values;
  }
}
