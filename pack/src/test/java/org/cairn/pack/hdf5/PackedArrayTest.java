// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.function.LongConsumer;
import org.cairn.pack.Pack;
import org.cairn.pack.PackedArray;
import org.cairn.pack.Packing;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.version.DatasetEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What comes out of a pack as an array is what libhdf5 was given, chunk by chunk. */
class PackedArrayTest {
  private static final int HEAD = 80;

  @TempDir private Path folder;
  private Path in;
  private LibHdf5 library;

  @BeforeEach
  void open() throws IOException {
    library = LibHdf5.required();
    in = Files.createDirectory(folder.resolve("in"));
  }

  private Zoo zoo(int version) {
    return new Zoo(library, in.resolve("zoo.h5"), version);
  }

  /** The elements of a dataset, out of a pack of the file. */
  private byte[] exported(String name) throws IOException {
    Path path = folder.resolve("it.cairnpack");
    if (!Files.exists(path)) {
      Path _ = Packing.roundTrip(in, path, folder.resolve("back"));
    }
    Path target = folder.resolve("array");
    try (Pack pack = Pack.open(path);
        FileChannel channel =
            FileChannel.open(
                target,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
      PackedArray array = PackedArray.find(pack.members().getFirst(), name).orElseThrow();
      array.writeTo(channel, HEAD, _ -> {});
      byte[] bytes = Files.readAllBytes(target);
      assertThat(bytes).hasSize(Math.toIntExact(HEAD + array.bytes()));
      return Arrays.copyOfRange(bytes, HEAD, bytes.length);
    }
  }

  private static long[] any(Random random, int axes, int most) {
    return random.longs(axes, 1, most).toArray();
  }

  /**
   * Edges, single chunks, chunks beyond the array; all indices that versions of the format have.
   */
  @SeededTest(seeds = 12)
  void chunksOfAnyShapeComeTogether(Random random) throws IOException {
    Zoo zoo = zoo(random.nextInt(3));
    int axes = 1 + random.nextInt(3);
    long[] shape = any(random, axes, axes == 1 ? 900 : 25);
    shape[0] += 30;
    long[] chunk = any(random, axes, 20);
    long[] most = shape.clone();
    for (int i = 0; i < axes; i++) {
      if (random.nextInt(3) == 0) {
        most[i] = Zoo.UNLIMITED;
      }
      chunk[i] = most[i] == Zoo.UNLIMITED ? chunk[i] : Math.min(chunk[i], shape[i]);
    }
    zoo.put("u", zoo.doubles(), shape, most, list -> zoo.chunk(list, chunk));
    zoo.put("v", zoo.type("STD_I16BE", 2), shape, most, list -> zoo.chunk(list, chunk));
    Bytes _ = zoo.close();
    assertThat(exported("/u")).as("doubles").isEqualTo(contentOf(0, 8, shape));
    assertThat(exported("/v")).as("shorts").isEqualTo(contentOf(1, 2, shape));
  }

  /** What {@link Zoo} writes to its n-th dataset. */
  private static byte[] contentOf(int number, int width, long[] shape) {
    long elements = Arrays.stream(shape).reduce(1, Math::multiplyExact);
    byte[] content = new byte[Math.toIntExact(elements * width)];
    Seeds.content(number).nextBytes(content);
    return content;
  }

  /** What is written to the header of an exported file. */
  @Test
  void integersHaveASignOrNone() throws IOException {
    Zoo zoo = zoo(Zoo.V110);
    List<String> types = List.of("STD_U8LE", "STD_I8LE", "STD_U16BE", "STD_I32LE", "STD_U64LE");
    List<Integer> widths = List.of(1, 1, 2, 4, 8);
    for (int i = 0; i < types.size(); i++) {
      zoo.put(types.get(i), zoo.type(types.get(i), widths.get(i)), 300);
    }
    Bytes _ = zoo.close();
    Path path = Packing.roundTrip(in, folder.resolve("it.cairnpack"), folder.resolve("back"));
    List<String> told = new ArrayList<>();
    List<String> read = new ArrayList<>();
    try (Pack pack = Pack.open(path)) {
      Pack.Member member = pack.members().getFirst();
      for (String type : types) {
        DatasetEntry stream =
            member.streams().stream()
                .filter(one -> one.name().equals("/" + type))
                .findFirst()
                .orElseThrow();
        told.add(member.numpyType(stream).orElseThrow().name());
        read.add(PackedArray.find(member, "/" + type).orElseThrow().type().name());
      }
    }
    assertThat(told).containsExactly("|u1", "|i1", ">u2", "<i4", "<u8").isEqualTo(read);
  }

  /** Nothing was written to most chunks: what stands for them is told, or zero. */
  @Test
  void missingChunksHaveTheFillValue() throws IOException {
    for (int version : new int[] {Zoo.EARLIEST, Zoo.V110}) {
      Zoo zoo = zoo(version);
      Zoo.Type ints = zoo.type("STD_I32LE", 4);
      LongConsumer seven = list -> fillWith(zoo, list, ints, new byte[] {7, 0, 0, 0});
      int[] places = new int[40];
      Arrays.setAll(places, i -> 3 * i);
      zoo.putSparse("zeros", ints, 200, 200, Zoo.AS_USUAL, places);
      zoo.putSparse("sevens", ints, 200, 200, seven, places);
      zoo.putSparse("none", ints, 200, 200, seven);
      long[] shape = {200};
      zoo.putEmpty("unwritten", ints, zoo.space(shape, shape), seven);
      Bytes _ = zoo.close();
      byte[] zeros = exported("/zeros");
      byte[] sevens = exported("/sevens");
      byte[] first = readByLibrary("zeros", 800);
      assertThat(zeros).isEqualTo(first);
      assertThat(sevens).isEqualTo(readByLibrary("sevens", 800));
      assertThat(sevens[4]).isEqualTo((byte) 7);
      assertThat(exported("/none")).isEqualTo(readByLibrary("none", 800)).startsWith(7, 0);
      assertThat(exported("/unwritten")).isEqualTo(readByLibrary("none", 800));
      deleteAll();
    }
  }

  private void deleteAll() throws IOException {
    Files.delete(folder.resolve("it.cairnpack"));
    Files.delete(folder.resolve("back/zoo.h5"));
    Files.delete(folder.resolve("back"));
  }

  private static void fillWith(Zoo zoo, long list, Zoo.Type type, byte[] value) {
    zoo.library().ok("H5Pset_fill_value", list, type.id(), value);
  }

  private byte[] readByLibrary(String name, int bytes) {
    long access = library.id("H5Pcreate", library.constant("H5P_CLS_FILE_ACCESS_ID_g"));
    long file = library.id("H5Fopen", in.resolve("zoo.h5").toString(), 0, access);
    long dataset = library.id("H5Dopen2", file, name, 0L);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment content = arena.allocate(bytes);
      library.ok("H5Dread", dataset, library.id("H5Dget_type", dataset), 0L, 0L, 0L, content);
      return content.toArray(ValueLayout.JAVA_BYTE);
    } finally {
      library.ok("H5Dclose", dataset);
      library.ok("H5Fclose", file);
    }
  }

  /** A variable that joined the rest is found all the same; one that is not there is not. */
  @Test
  void smallOnesAreFoundAmongTheRest() throws IOException {
    Zoo zoo = zoo(Zoo.V110);
    zoo.put("few", zoo.doubles(), 3);
    Bytes _ = zoo.close();
    assertThat(exported("/few")).isEqualTo(contentOf(0, 8, new long[] {3}));
    assertThatThrownBy(() -> exported("/none")).isInstanceOf(NoSuchElementException.class);
  }

  /** A chunk that is cut off is not one that was never written. */
  @Test
  void lostChunksAreNotFilled() throws IOException {
    Zoo zoo = zoo(Zoo.EARLIEST);
    long[] shape = {40, 40};
    zoo.put("chunked", zoo.doubles(), shape, shape, list -> zoo.chunk(list, 20, 20));
    Bytes bytes = zoo.close();
    long last =
        Zoo.locate(bytes).extents().stream().mapToLong(one -> one.offset()).max().orElseThrow();
    zoo.replace(new Bytes(Arrays.copyOf(bytes.bytes(), (int) last + 100)));
    assertThatThrownBy(() -> exported("/chunked"))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("/chunked of zoo.h5", "not all of it was found", "beyond the end");
  }

  /** A fill value that nobody knows cannot be written. */
  @Test
  void whatNobodyWroteAndNobodyKnowsIsRefused() throws IOException {
    Zoo zoo = zoo(Zoo.V110);
    Zoo.Type ints = zoo.type("STD_I32LE", 4);
    LongConsumer undefined =
        list -> library.ok("H5Pset_fill_value", list, ints.id(), MemorySegment.NULL);
    int[] places = new int[40];
    Arrays.setAll(places, i -> i);
    zoo.putSparse("holes", ints, 200, 200, undefined, places);
    Bytes _ = zoo.close();
    assertThatThrownBy(() -> exported("/holes"))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("/holes of zoo.h5", "never written", "unpack");
  }

  @Test
  void filtersAreNamed() throws IOException {
    for (int version : new int[] {Zoo.EARLIEST, Zoo.V18, Zoo.V110}) {
      Zoo zoo = zoo(version);
      Hdf5PackTest.fill(zoo);
      Bytes _ = zoo.close();
      assertThatThrownBy(() -> exported("/deflated"))
          .isInstanceOf(IOException.class)
          .hasMessageContainingAll("/deflated of zoo.h5", "(shuffle, deflate)", "h5dump");
      deleteAll();
    }
  }

  /** Where a variable has a hole its stream is shorter than its array. */
  @Test
  void holesAreZerosInTheirPlaces() throws IOException {
    Zoo zoo = zoo(Zoo.EARLIEST);
    zoo.put("large", zoo.doubles(), 40_000);
    Bytes bytes = zoo.close();
    byte[] content = contentOf(0, 8, new long[] {40_000});
    int at = 100_000;
    long offset = Zoo.locate(bytes).extents().getFirst().offset();
    byte[] changed = bytes.bytes().clone();
    Arrays.fill(changed, (int) offset + at, (int) offset + at + 100_000, (byte) 0);
    Arrays.fill(content, at, at + 100_000, (byte) 0);
    Path file = in.resolve("zoo.h5");
    Files.delete(file);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      int behind = (int) offset + at + 100_000;
      channel.write(ByteBuffer.wrap(changed, 0, (int) offset + at), 0);
      channel.write(ByteBuffer.wrap(changed, behind, changed.length - behind), behind);
    }
    assertThat(exported("/large")).isEqualTo(content);
  }
}
