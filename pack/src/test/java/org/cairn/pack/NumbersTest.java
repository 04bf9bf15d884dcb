// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.cairn.Compression;
import org.cairn.pack.locate.Locators;
import org.cairn.pack.locate.Tiling;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.version.DatasetEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Numbers of all types and both byte orders: their last bits, and how small they become. */
class NumbersTest {
  private static final List<String> TYPES =
      List.of("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "c8", "c16");

  /** Bits that arithmetic would not keep: NaN of all kinds, −0.0, the smallest numbers, ends. */
  private static final long[] ODD_DOUBLES = {
    0x7FF8_0000_0000_0000L,
    0x7FF0_0000_0000_0001L,
    0xFFF8_DEAD_BEEF_CAFEL,
    0x7FF4_0000_0000_0000L,
    0xFFFF_FFFF_FFFF_FFFFL,
    0x8000_0000_0000_0000L,
    1,
    0x8000_0000_0000_0001L,
    0x000F_FFFF_FFFF_FFFFL,
    0x7FF0_0000_0000_0000L,
    0xFFF0_0000_0000_0000L,
    0x7FEF_FFFF_FFFF_FFFFL
  };

  private static final int[] ODD_FLOATS = {
    0x7FC0_0000, 0x7F80_0001, 0xFFC0_BEEF, 0x7FA0_0000, -1, 0x8000_0000, 1, 0x8000_0001, 0x007F_FFFF
  };

  private static final int SIDE = 100;

  @TempDir Path dir;
  private Path in;
  private Path out;

  @BeforeEach
  void folders() throws IOException {
    in = Files.createDirectory(dir.resolve("in"));
    out = Files.createDirectory(dir.resolve("out"));
  }

  private static PackSettings settings(Compression compression) {
    return Packing.settings().with(compression).with(Tiling.Rules.USUAL, Locators.installed());
  }

  /** An array in NumPy's format. */
  private static byte[] npy(String type, List<Integer> shape, byte[] content) {
    String axes = shape.toString().replace('[', '(').replace(']', ',') + ")";
    String head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }".formatted(type, axes);
    String line = head + " ".repeat(127 - 10 - head.length()) + "\n";
    ByteBuffer bytes = ByteBuffer.allocate(128 + content.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put((byte) 0x93).put("NUMPY\1\0".getBytes(US_ASCII)).putShort((short) 118);
    return bytes.put(line.getBytes(US_ASCII)).put(content).array();
  }

  /** Numbers that go on slowly, and odd ones among them. */
  private static byte[] content(Random random, int width, boolean floating, ByteOrder order) {
    int count = 1 + random.nextInt(3_000);
    ByteBuffer bytes = ByteBuffer.allocate(count * width).order(order);
    for (int i = 0; i + 8 <= bytes.capacity() || i + width <= bytes.capacity(); i += width) {
      boolean odd = random.nextInt(50) == 0;
      switch (width) {
        case 8 -> {
          double usual = Math.sin(i * 1e-3);
          long bits = Double.doubleToRawLongBits(usual);
          bytes.putLong(i, odd ? ODD_DOUBLES[random.nextInt(ODD_DOUBLES.length)] : bits);
        }
        case 4 -> {
          int bits = floating ? Float.floatToRawIntBits((float) Math.sin(i * 1e-3)) : i;
          bytes.putInt(i, odd ? ODD_FLOATS[random.nextInt(ODD_FLOATS.length)] : bits);
        }
        case 2 -> bytes.putShort(i, (short) (odd ? 0x7C01 | random.nextInt() : i));
        default -> bytes.put(i, (byte) (odd ? 0x80 : i >> 4));
      }
    }
    return bytes.array();
  }

  /** Every type there is, in both orders; each file says its type, and the pack keeps it. */
  @SeededTest(seeds = 4)
  void everyBitOfEveryTypeComesBack(Random random) throws IOException {
    for (String type : TYPES) {
      int width = Integer.parseInt(type.substring(1));
      boolean floating = type.charAt(0) != 'i' && type.charAt(0) != 'u';
      for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
        String mark = width == 1 ? "|" : order == ByteOrder.LITTLE_ENDIAN ? "<" : ">";
        byte[] content = content(random, Math.min(width, 8), floating, order);
        int count = content.length / width;
        Path file = in.resolve("%s_%s.npy".formatted(order, type));
        Files.write(file, npy(mark + type, List.of(count), Arrays.copyOf(content, count * width)));
      }
    }
    Path pack = dir.resolve("it.cairnpack");
    PackReport report = Packing.pack(in, pack, settings(any(random)));
    assertThat(report.notes()).isEmpty();
    assertThat(Packing.verify(pack)).isEmpty();
    assertThat(Packing.unpack(pack, out, 1)).isEmpty();
    Packing.assertSame(in, out);
    assertTypesAreTold(pack);
  }

  private static Compression any(Random random) {
    List<Compression> all =
        List.of(Compression.none(), Compression.fast(), Compression.small(), Compression.auto());
    return all.get(random.nextInt(all.size()));
  }

  private static void assertTypesAreTold(Path pack) throws IOException {
    try (Pack open = Pack.open(pack)) {
      for (Pack.Member member : open.members()) {
        String name = member.file().name().toString();
        for (DatasetEntry stream : member.streams()) {
          if (stream.name().startsWith("/")) {
            ArrayType type = member.type(stream).orElseThrow();
            assertThat(type.elements().width())
                .as(name)
                .isEqualTo(Integer.parseInt(name.replaceAll("^.*_.|[.]npy$", "")));
          }
        }
      }
    }
  }

  /** A smooth field with noise in its last bits, as simulations have them. */
  private static byte[] field(int width, boolean floating, ByteOrder order) {
    int side = SIDE;
    Random noise = Seeds.content(3);
    ByteBuffer bytes = ByteBuffer.allocate(side * side * width).order(order);
    for (int i = 0; i < side * side; i++) {
      double value = 10 + Math.sin(i % side * 0.03) * Math.cos(i / side * 0.02);
      value += noise.nextInt(1000) * 1e-9;
      if (width == 8) {
        bytes.putLong(floating ? Double.doubleToRawLongBits(value) : (long) (value * 1e12));
      } else if (width == 4) {
        bytes.putInt(floating ? Float.floatToRawIntBits((float) value) : (int) (value * 1e7));
      } else {
        bytes.putShort((short) (value * 3000));
      }
    }
    return bytes.array();
  }

  /** From a machine of the other kind the same numbers become as small. */
  @Test
  void twinsOfTheOtherByteOrderAreAsSmall() throws IOException {
    for (Compression compression : List.of(Compression.fast(), Compression.small())) {
      for (String type : List.of("f8", "f4", "i8", "i4", "i2")) {
        long little = packed(type, ByteOrder.LITTLE_ENDIAN, compression);
        long big = packed(type, ByteOrder.BIG_ENDIAN, compression);
        assertThat((double) big / little)
            .as("%s with %s: %d and %d bytes", type, compression, little, big)
            .isCloseTo(1, within(0.02));
      }
    }
  }

  private long packed(String type, ByteOrder order, Compression compression) throws IOException {
    int width = Integer.parseInt(type.substring(1));
    byte[] content = field(width, type.charAt(0) == 'f', order);
    String mark = order == ByteOrder.LITTLE_ENDIAN ? "<" : ">";
    Path file =
        Files.write(in.resolve("field.npy"), npy(mark + type, List.of(SIDE, SIDE), content));
    Path pack = dir.resolve("twin.cairnpack");
    PackReport report = Packing.pack(in, pack, settings(compression));
    Files.delete(pack);
    assertThat(report.ratio()).as("ratio of %s", type).isGreaterThan(1.3);
    Files.delete(file);
    return report.stored();
  }
}
