// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that libhdf5 wrote, and what became of them, through a pack and back. */
class Hdf5PackTest {
  @TempDir private Path folder;
  private Path in;
  private LibHdf5 library;

  @BeforeEach
  void open() throws IOException {
    library = LibHdf5.required();
    in = Files.createDirectory(folder.resolve("in"));
  }

  private Zoo zoo(String name, int version, long userBlock) {
    return new Zoo(library, in.resolve(name), version, userBlock, Zoo.AS_USUAL);
  }

  private Path pack() throws IOException {
    return Packing.roundTrip(in, folder.resolve("it.cairnpack"), folder.resolve("back"));
  }

  /** One of each layout, larger than what joins the rest. */
  static void fill(Zoo zoo) {
    long[] shape = {30, 40};
    zoo.put("contiguous", zoo.doubles(), shape);
    zoo.put(
        "compact",
        zoo.doubles(),
        new long[] {50},
        new long[] {50},
        l -> zoo.layout(l, Zoo.COMPACT));
    zoo.put("chunked", zoo.doubles(), shape, shape, list -> zoo.chunk(list, 7, 16));
    zoo.put(
        "grows",
        zoo.type("IEEE_F32BE", 4),
        shape,
        new long[] {Zoo.UNLIMITED, 40},
        list -> zoo.chunk(list, 8, 40));
    zoo.put(
        "deflated",
        zoo.type("STD_I32BE", 4),
        shape,
        shape,
        list -> {
          zoo.chunk(list, 15, 20);
          zoo.deflate(list);
        });
    zoo.group("g");
    zoo.put("g/inner", zoo.type("STD_I16LE", 2), 700);
  }

  @Test
  void filesOfAllVersionsComeBackAndAreUnderstood() throws IOException {
    for (int version : new int[] {Zoo.EARLIEST, Zoo.V18, Zoo.V110}) {
      Zoo zoo = zoo("v%d.h5".formatted(version), version, version == Zoo.V18 ? 512 : 0);
      fill(zoo);
      Bytes _ = zoo.close();
    }
    try (Pack pack = Pack.open(pack())) {
      assertThat(pack.members()).hasSize(3);
      for (Pack.Member member : pack.members()) {
        assertThat(member.file().format()).isEqualTo("HDF5");
        assertThat(member.streams())
            .extracting(DatasetEntry::name)
            .contains("/contiguous", "/compact", "/chunked", "/grows", "/deflated", "/g/inner");
        for (DatasetEntry stream : member.streams()) {
          ArrayType type = member.type(stream).orElseThrow();
          assertThat(type.coded()).isEqualTo(stream.name().equals("/deflated"));
        }
      }
    }
  }

  /** Whatever a file says of itself, all its bytes come back. */
  @SeededTest(seeds = 6)
  void damagedFilesComeBackDamaged(Random random) throws IOException {
    for (int version : new int[] {Zoo.EARLIEST, Zoo.V110}) {
      String name = "v%d.h5".formatted(version);
      Zoo zoo = zoo(name, version, 0);
      fill(zoo);
      byte[] bytes = zoo.close().bytes();
      for (int copy = 0; copy < 4; copy++) {
        byte[] changed =
            random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
        changed = changed.clone();
        for (int i = random.nextInt(30); i > 0 && changed.length > 0; i--) {
          changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
        }
        Files.write(in.resolve(copy + name), changed);
      }
    }
    Path _ = pack();
  }
}
