// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.cairn.Compression;
import org.cairn.frame.FrameOrder;
import org.cairn.pack.locate.ByteSource;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.Locator;
import org.cairn.pack.locate.Variable;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.transform.Elements;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever goes into a pack comes out of it, byte for byte, whatever was thought of it. */
class RoundTripTest {
  private static final List<String> ODD_NAMES =
      List.of(
          "b%FFd", "100%25%20%23", "%C3%A4", "new%0Aline", "%01%7F", "a;b=c&d'e\"f", "~", "...");

  @TempDir Path dir;
  private Path in;
  private Path out;
  private Path pack;

  @BeforeEach
  void folders() throws IOException {
    in = Files.createDirectory(dir.resolve("in"));
    out = Files.createDirectory(dir.resolve("out"));
    pack = dir.resolve("it.cairnpack");
  }

  private PackReport roundTrip(PackSettings settings, int threads) throws IOException {
    PackReport report = Packing.pack(in, pack, settings);
    assertThat(report.stored()).isEqualTo(Files.size(pack));
    assertThat(Packing.verify(pack)).isEmpty();
    assertThat(Packing.unpack(pack, out, threads)).isEmpty();
    Packing.assertSame(in, out);
    Packing.assertOnly(dir, "in", "out", "it.cairnpack");
    return report;
  }

  /** Whoever unpacks the files of others, as root may, makes no program that runs as root. */
  @Test
  void permissionsComeBackButNoRightsOfOthers() throws IOException {
    for (int mode : new int[] {06755, 01600, 04700, 02750, 0444}) {
      Path file = Files.writeString(in.resolve("mode"), "some");
      Files.setAttribute(file, "unix:mode", mode);
      Packing.pack(in, pack, Packing.settings());
      Packing.unpack(pack, out, 1);
      assertThat((int) Files.getAttribute(out.resolve("mode"), "unix:mode") & 07777)
          .isEqualTo(mode & 0777);
      Files.delete(out.resolve("mode"));
      Files.delete(file);
      Files.delete(pack);
    }
  }

  @Test
  void foldersThatNothingCameToAreNotLeftBehind() throws IOException {
    Path file = Files.createDirectories(in.resolve("a/b/c")).resolve("file");
    Files.writeString(file, "some");
    Files.writeString(in.resolve("z"), "some");
    Packing.pack(in, pack, Packing.settings());
    Files.writeString(out.resolve("z"), "precious");
    assertThatThrownBy(() -> Packing.unpack(pack, out, 1))
        .isInstanceOf(FileAlreadyExistsException.class);
    Packing.assertOnly(out, "z");
  }

  @Test
  void timesBeforeAndBeyondWhatJavaCountsComeBack() throws Exception {
    for (String time : List.of("1969-12-01 00:00:00.25", "1901-12-14 01:02:03", "2300-01-01")) {
      Path file = in.resolve("at " + time);
      Files.writeString(file, time);
      Process touch = new ProcessBuilder("touch", "-d", time + " UTC", file.toString()).start();
      assertThat(touch.waitFor()).isZero();
    }
    roundTrip(Packing.settings(), 1);
  }

  @SeededTest(seeds = 10)
  void anyFilesComeBackWhateverIsThoughtOfThem(Random random) throws IOException {
    int files = 1 + random.nextInt(12);
    for (int i = 0; i < files; i++) {
      makeFile(random, i);
    }
    PackSettings settings =
        Packing.settings(
                pick(random, List.of(FrameOrder.values())),
                new FrameOrder.Sizes(
                    1 + random.nextInt(5),
                    1 + random.nextInt(1 << random.nextInt(20)),
                    1 + random.nextInt(1 << random.nextInt(20))),
                Packing.BUDGET,
                1 + random.nextInt(3),
                new Guesses(random.nextLong()))
            .with(
                pick(
                    random,
                    List.of(
                        Compression.none(),
                        Compression.fast(),
                        Compression.small(),
                        Compression.auto())));
    roundTrip(settings, 1 + random.nextInt(3));
  }

  private static <T> T pick(Random random, List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private void makeFile(Random random, int number) throws IOException {
    Path folder = in;
    for (int depth = random.nextInt(4); depth > 0; depth--) {
      folder = below(folder, "d" + random.nextInt(2));
    }
    Files.createDirectories(folder);
    String name = random.nextInt(3) == 0 ? pick(random, ODD_NAMES) + number : "f" + number;
    Path file = below(folder, name);
    Files.write(file, content(random));
    if (random.nextInt(4) == 0) {
      stretch(file, Files.size(file) + random.nextInt(1 << 20), random.nextBoolean());
    }
    Files.setAttribute(file, "unix:mode", pick(random, List.of(0644, 0600, 0444, 0755, 0400)));
    Files.setLastModifiedTime(
        file,
        FileTime.from(Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000))));
  }

  private static Path below(Path folder, String escaped) {
    String name = escaped.replace("\"", "%22");
    return Path.of(
        URI.create("file://" + folder.toUri().getRawPath().replaceAll("/$", "") + "/" + name));
  }

  private static void stretch(Path file, long size, boolean withEnd) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(1), size);
      if (withEnd) {
        channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), size + 1);
      }
    }
  }

  /** Numbers that go on, noise, zeros; of any length, often an odd one or none. */
  private static byte[] content(Random random) {
    int length =
        switch (random.nextInt(5)) {
          case 0 -> random.nextInt(3);
          case 1 -> Stream.BLOCK * (1 + random.nextInt(3)) + random.nextInt(3) - 1;
          default -> random.nextInt(1 << random.nextInt(19));
        };
    byte[] bytes = new byte[length];
    switch (random.nextInt(4)) {
      case 0 -> random.nextBytes(bytes);
      case 1 -> {}
      default -> {
        ByteBuffer numbers = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i + 8 <= length; i += 8) {
          numbers.putDouble(i, Math.sin(i * 1e-4) + (i & 4096));
        }
      }
    }
    return bytes;
  }

  /** Says anything of a file: most of it wrong. */
  private record Guesses(long seed) implements Locator {
    @Override
    public String format() {
      return "guesses";
    }

    @Override
    public boolean recognises(ByteSource file) {
      return file.size() % 7 != 0;
    }

    @Override
    public void locate(ByteSource file, Hints hints) {
      Random random = new Random(seed ^ file.size());
      List<Variable> variables = new ArrayList<>();
      for (int i = random.nextInt(40); i > 0; i--) {
        if (variables.isEmpty() || random.nextBoolean()) {
          variables.add(variable(random));
        }
        hints.extent(extent(random, variables.get(random.nextInt(variables.size())), file.size()));
      }
      if (random.nextInt(10) == 0) {
        throw new IllegalStateException("a defect");
      }
    }

    private static Variable variable(Random random) {
      int width = random.nextBoolean() ? 4 << random.nextInt(2) : 1 + random.nextInt(100);
      ByteOrder order = random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
      boolean floating = (width == 4 || width == 8) && random.nextBoolean();
      List<Long> shape = new ArrayList<>();
      for (int i = random.nextInt(random.nextInt(10) == 0 ? 400 : 4); i > 0; i--) {
        shape.add(random.nextInt(8) == 0 ? random.nextLong() : random.nextLong(1, 300));
      }
      String name =
          pick(random, List.of("", "/a", "/g/b", "\ud800x", "\udfffx", "n\0l", "(rest)", "/a#2"));
      return new Variable(
          random.nextInt(20) == 0 ? "long".repeat(30_000) + name : name,
          new Elements(width, order, floating),
          shape);
    }

    private static Extent extent(Random random, Variable variable, long size) {
      long offset = random.nextInt(20) == 0 ? random.nextLong() : random.nextLong(size + 1);
      long width = variable.elements().width();
      long length = random.nextLong(1 << random.nextInt(1, 20)) / width * width;
      List<Long> box =
          random.nextBoolean() || variable.shape().size() != 1
              ? variable.shape()
              : List.of(length / width);
      List<Long> start = box.stream().map(_ -> random.nextLong(-1, 5)).toList();
      return new Extent(variable, start, box, offset, length, random.nextInt(5) == 0);
    }
  }

  @Test
  void filesOfNothingAndOfOneByte() throws IOException {
    Files.write(in.resolve("nothing"), new byte[0]);
    Files.write(in.resolve("zero"), new byte[1]);
    Files.write(in.resolve("one"), new byte[] {1});
    PackReport report = roundTrip(Packing.settings(), 1);
    assertThat(report.files()).isEqualTo(3);
    assertThat(report.bytes()).isEqualTo(2);
  }

  /** Also where a few blocks are zeros, and left out. */
  @Test
  void oneFileOfEightReadsAnEighth() throws IOException {
    Path in = Files.createDirectory(dir.resolve("eight"));
    for (int i = 0; i < 8; i++) {
      byte[] bytes = new byte[(1 << 20) + 100 * i];
      Seeds.content(i).nextBytes(bytes);
      Arrays.fill(bytes, 0, i % 2 << 17, (byte) 0);
      Files.write(in.resolve("rank" + i), bytes);
    }
    Path packed = dir.resolve("eight.cairnpack");
    Packing.pack(in, packed, PackSettings.usual());
    try (Pack pack = Pack.open(packed)) {
      for (Pack.Member member : pack.members()) {
        assertThat(pack.reading(List.of(member)).amplification())
            .as(member.file().name().toString())
            .isLessThan(1.1);
      }
    }
    Path out = Files.createDirectory(dir.resolve("eight-out"));
    assertThat(Packing.unpack(packed, out, 1)).isEmpty();
    Packing.assertSame(in, out);
  }

  @Test
  void filesOfNothingOnly() throws IOException {
    Files.write(in.resolve("nothing"), new byte[0]);
    roundTrip(Packing.settings(), 1);
  }

  /** What was never written takes no space, in the pack or afterwards. */
  @Test
  void holesComeBackAsHoles() throws IOException {
    Path file = Files.write(in.resolve("sparse"), new byte[] {1});
    stretch(file, 80L << 20, true);
    stretch(Files.write(in.resolve("open end"), new byte[] {1}), 5 << 20, false);
    try (FileChannel channel = FileChannel.open(in.resolve("open end"), StandardOpenOption.WRITE)) {
      channel.truncate(4 << 20);
    }
    PackReport report = roundTrip(Packing.settings(), 1);
    assertThat(report.stored()).isLessThan(10_000);
    assertThat(blocks(out.resolve("sparse"))).isLessThanOrEqualTo(blocks(file));
    assertThat(blocks(out.resolve("open end"))).isLessThanOrEqualTo(blocks(in.resolve("open end")));
  }

  /** How many bytes a file takes on the disk. */
  private static long blocks(Path file) throws IOException {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    return Long.parseLong(new String(stat.getInputStream().readAllBytes()).strip());
  }

  @Test
  void manyFilesNeedFewOpenFiles() throws IOException {
    for (int i = 0; i < 300; i++) {
      Path folder = Files.createDirectories(in.resolve("d" + i % 50));
      Files.write(folder.resolve("f" + i), ("file " + i).repeat(i % 20).getBytes());
    }
    long before = openFiles();
    long[] most = new long[1];
    try (Packer packer = new Packer(Packing.settings(), _ -> most[0] = openFiles())) {
      packer.pack(Packing.inputs(in), pack);
    }
    assertThat(most[0] - before).as("open while packing").isLessThan(200);
    try (Pack open = Pack.open(pack);
        var workers = new org.cairn.work.Workers(1, "unpacking")) {
      new Unpacker(open, out).unpack(open.members(), workers, _ -> most[0] = openFiles());
    }
    assertThat(most[0] - before).as("open while unpacking").isLessThan(200);
    Packing.assertSame(in, out);
    assertThat(openFiles()).as("open afterwards").isLessThan(before + 10);
  }

  private static long openFiles() {
    String[] open = Path.of("/proc/self/fd").toFile().list();
    return open == null ? 0 : open.length;
  }

  /** 24 MiB with a budget of 10: memory is what a few frames take. */
  @Test
  void aVariableMayBeLargerThanTheBudget() throws IOException {
    byte[] large = new byte[24 << 20];
    new Random(1).nextBytes(large);
    Files.write(in.resolve("large"), large);
    FrameOrder.Sizes sizes = new FrameOrder.Sizes(10, 1 << 20, 1 << 18);
    roundTrip(Packing.settings(FrameOrder.AWARE, sizes, 10 << 20, 3), 2);
  }

  @Test
  void manyVariablesOfOneFile() throws IOException {
    int variables = 4_000;
    byte[] bytes = new byte[variables * 128];
    new Random(2).nextBytes(bytes);
    Files.write(in.resolve("many"), bytes);
    Locator each =
        new TestLocator(
            (_, hints) -> {
              for (int i = 0; i < variables; i++) {
                Elements floats = Elements.floats(8, ByteOrder.LITTLE_ENDIAN);
                Variable variable = new Variable("/same", floats, List.of(16L, (long) i));
                hints.extent(Extent.whole(variable, i * 128L, 128));
              }
            });
    PackReport report = roundTrip(Packing.settings(each), 2);
    assertThat(report.files()).isEqualTo(1);
  }
}
