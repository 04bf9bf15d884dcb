// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.cairn.pack.hdf5.Zoo.Animal;
import org.cairn.pack.hdf5.Zoo.Type;
import org.cairn.pack.locate.ByteSource;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.Hints;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Thorough;
import org.cairn.transform.Elements;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The locator finds what libhdf5 wrote, where libhdf5 says that it is. */
class Hdf5LocatorTest {
  private static final long[] NONE = {};

  @TempDir private Path folder;
  private LibHdf5 library;

  @BeforeEach
  void open() {
    library = LibHdf5.required();
  }

  private Zoo zoo(int version) {
    return new Zoo(library, folder.resolve("zoo.h5"), version);
  }

  private static long[] axes(long... lengths) {
    return lengths;
  }

  // ---- files

  @ParameterizedTest
  @CsvSource({"0,0", "0,1", "1,2", "2,3"})
  void superblocksOfAllVersions(int library10, int superblock) throws IOException {
    Zoo zoo =
        new Zoo(
            library,
            folder.resolve("zoo.h5"),
            library10,
            0,
            // Another size of nodes is what version 1 was made for.
            list -> {
              if (superblock == 1) {
                library.ok("H5Pset_istore_k", list, 16);
              }
            });
    fewOfEach(zoo);
    Bytes bytes = zoo.close();
    assertThat(bytes.bytes()[8]).isEqualTo((byte) superblock);
    assertThat(zoo.verify(bytes).notes()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0,4,4", "0,4,8", "0,8,4", "1,8,4", "1,4,4", "2,4,8", "0,2,2"})
  void narrowAddressesAndLengths(int version, int addressBytes, int lengthBytes)
      throws IOException {
    Zoo zoo =
        new Zoo(
            library,
            folder.resolve("zoo.h5"),
            version,
            0,
            list -> library.ok("H5Pset_sizes", list, (long) addressBytes, (long) lengthBytes));
    fewOfEach(zoo);
    assertThat(zoo.verify(zoo.close()).notes()).isEmpty();
  }

  /** What the library says of chunks is wrong then; the bytes are not. */
  @ParameterizedTest
  @CsvSource({"0,512", "2,512", "0,4096", "2,65536"})
  void userBlocks(int version, long userBlock) throws IOException {
    Zoo zoo = new Zoo(library, folder.resolve("zoo.h5"), version, userBlock, Zoo.AS_USUAL);
    fewOfEach(zoo);
    assertThat(zoo.verify(zoo.close()).notes()).isEmpty();
  }

  @Test
  void aUserBlockThatWasPutInFrontLater() throws IOException {
    Zoo zoo = zoo(Zoo.EARLIEST);
    zoo.put("a", zoo.doubles(), 100);
    Bytes plain = zoo.close();
    byte[] moved = new byte[plain.bytes().length + 1024];
    System.arraycopy(plain.bytes(), 0, moved, 1024, plain.bytes().length);
    Extent before = Zoo.locate(plain).extents().getFirst();
    Extent after = Zoo.locate(new Bytes(moved)).extents().getFirst();
    assertThat(after.offset()).isEqualTo(before.offset() + 1024);
  }

  @Test
  void whatIsNoHdf5IsNotRecognised() throws IOException {
    Hdf5Locator locator = new Hdf5Locator();
    assertThat(locator.recognises(new Bytes(new byte[0]))).isFalse();
    assertThat(locator.recognises(new Bytes(new byte[100_000]))).isFalse();
    Zoo zoo = zoo(Zoo.EARLIEST);
    assertThat(locator.recognises(zoo.close())).isTrue();
    assertThat(Zoo.locate(new Bytes(new byte[7])).notes()).hasSize(1);
  }

  private static void fewOfEach(Zoo zoo) {
    zoo.put("contiguous", zoo.doubles(), 10, 20);
    zoo.put("compact", zoo.doubles(), axes(5), axes(5), list -> zoo.layout(list, Zoo.COMPACT));
    zoo.put("chunked", zoo.doubles(), axes(10, 20), axes(10, 20), list -> zoo.chunk(list, 4, 5));
    zoo.put(
        "grows",
        zoo.doubles(),
        axes(10, 20),
        axes(Zoo.UNLIMITED, 20),
        list -> zoo.chunk(list, 4, 5));
    zoo.put(
        "deflated",
        zoo.doubles(),
        axes(10, 20),
        axes(10, 20),
        list -> {
          zoo.chunk(list, 4, 5);
          zoo.deflate(list);
        });
    zoo.group("g");
    zoo.put("g/inner", zoo.type("STD_I32BE", 4), 7);
  }

  // ---- groups and links

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void groupsOfAnySize(int version) throws IOException {
    Zoo zoo = zoo(version);
    Type type = zoo.type("STD_U8LE", 1);
    for (int size : new int[] {0, 1, 7, 9, 40, 600}) {
      zoo.group("of" + size);
      for (int i = 0; i < size; i++) {
        zoo.put("of%d/a rather long name of number %d".formatted(size, i), type, 3);
      }
    }
    Bytes bytes = zoo.close();
    assertThat(bytes.count("SNOD") > 0).isEqualTo(version == Zoo.EARLIEST);
    assertThat(bytes.count("FHIB") > 0).as("a heap in several rows").isEqualTo(version > 0);
    assertThat(bytes.count("BTIN") > 0).as("a tree in several levels").isEqualTo(version > 0);
    assertThat(zoo.verify(bytes).notes()).isEmpty();
  }

  /** More than half a MiB of links, and the heap has indirect blocks below indirect ones. */
  @Test
  void heapsOfManyLevels() throws IOException {
    Zoo zoo = zoo(Zoo.V110);
    for (int i = 0; i < 600; i++) {
      zoo.put("n".repeat(1_500) + i, zoo.type("STD_U8LE", 1), 3);
    }
    Bytes bytes = zoo.close();
    assertThat(bytes.count("FHIB")).isGreaterThan(1);
    assertThat(zoo.verify(bytes).extents()).hasSize(600);
  }

  @Test
  void treesOfManyLevels() throws IOException {
    Zoo zoo =
        new Zoo(
            library,
            folder.resolve("zoo.h5"),
            Zoo.EARLIEST,
            0,
            list -> {
              library.ok("H5Pset_sym_k", list, 2, 2);
              library.ok("H5Pset_istore_k", list, 2);
            });
    for (int i = 0; i < 300; i++) {
      zoo.put("d" + i, zoo.type("STD_U8LE", 1), 3);
    }
    zoo.put("chunks", zoo.doubles(), axes(300), axes(300), list -> zoo.chunk(list, 1));
    assertThat(zoo.verify(zoo.close()).extents()).hasSize(600);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void anObjectIsFoundOnceAndCirclesEnd(int version) throws IOException {
    Zoo zoo = zoo(version);
    zoo.group("a");
    zoo.group("a/b");
    zoo.put("a/x", zoo.doubles(), 10);
    hard(zoo, "a/x", "a/b/again");
    hard(zoo, "a", "a/b/up");
    hard(zoo, "/", "a/b/root");
    Hints hints = zoo.verify(zoo.close());
    assertThat(hints.extents()).hasSize(1);
    assertThat(hints.notes()).isEmpty();
  }

  private static void hard(Zoo zoo, String old, String name) {
    zoo.library().ok("H5Lcreate_hard", zoo.file(), old, zoo.file(), name, 0L, 0L);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void otherLinksAreNamedAndNotFollowed(int version) throws IOException {
    Zoo zoo = zoo(version);
    zoo.put("x", zoo.doubles(), 10);
    library.ok("H5Lcreate_soft", "/x", zoo.file(), "soft", 0L, 0L);
    library.ok("H5Lcreate_soft", "/nowhere", zoo.file(), "dangling", 0L, 0L);
    // A group with such a link is none of the old ones any more.
    zoo.group("new");
    library.ok("H5Lcreate_external", "other.h5", "/y", zoo.file(), "new/external", 0L, 0L);
    Hints hints = zoo.verify(zoo.close());
    assertThat(hints.extents()).hasSize(1);
    assertThat(hints.notes())
        .extracting(Hints.Note::text)
        .containsExactlyInAnyOrder(
            "/soft: is a link to /x, which was not followed",
            "/dangling: is a link to /nowhere, which was not followed",
            "/new/external: is a link to /y in the file other.h5, which was not followed");
  }

  @Test
  void linksInOrderOfCreation() throws IOException {
    Zoo zoo = zoo(Zoo.V110);
    long creation = zoo.list("GROUP_CREATE");
    library.ok("H5Pset_link_creation_order", creation, 3);
    library.ok("H5Gclose", library.id("H5Gcreate2", zoo.file(), "few", 0L, creation, 0L));
    library.ok("H5Gclose", library.id("H5Gcreate2", zoo.file(), "many", 0L, creation, 0L));
    zoo.put("few/ä", zoo.doubles(), 3);
    for (int i = 0; i < 20; i++) {
      zoo.put("many/" + i, zoo.doubles(), 3);
    }
    assertThat(zoo.verify(zoo.close()).extents()).hasSize(21);
  }

  // ---- layouts and indices

  @Test
  void oneUnlimitedAxisOfSeveralIsCountedFirst() throws IOException {
    Zoo zoo = zoo(Zoo.V110);
    long no = Zoo.UNLIMITED;
    for (int axis = 0; axis < 3; axis++) {
      long[] most = axes(9, 8, 11);
      most[axis] = no;
      zoo.put("grows" + axis, zoo.doubles(), axes(5, 8, 7), most, list -> zoo.chunk(list, 2, 3, 2));
      zoo.put(
          "filtered" + axis,
          zoo.doubles(),
          axes(5, 8, 7),
          most,
          list -> {
            zoo.chunk(list, 2, 3, 2);
            zoo.deflate(list);
          });
    }
    Bytes bytes = zoo.close();
    assertThat(bytes.count("EAHD")).isEqualTo(6);
    assertThat(zoo.verify(bytes).notes()).isEmpty();
  }

  /** 200,000 elements are what it takes until blocks of such an array have pages. */
  @Test
  void extensibleArraysOfAllKindsOfBlocks() throws IOException {
    Zoo zoo = zoo(Zoo.V110);
    int[] places = {
      0, 3, 4, 19, 20, 51, 52, 83, 84, 500, 501, 3000, 70_000, 131_100, 150_000, 199_999
    };
    zoo.putSparse("plain", zoo.doubles(), 200_000, Zoo.UNLIMITED, Zoo.AS_USUAL, places);
    zoo.putSparse("coded", zoo.doubles(), 200_000, Zoo.UNLIMITED, zoo::deflate, places);
    zoo.putSparse("first only", zoo.doubles(), 200_000, Zoo.UNLIMITED, Zoo.AS_USUAL, 0);
    Bytes bytes = zoo.close();
    assertThat(bytes.count("EASB")).isEqualTo(8);
    Hints hints = zoo.verify(bytes);
    assertThat(hints.extents()).hasSize(2 * places.length + 1);
    assertThat(hints.notes()).isEmpty();
  }

  @Test
  void fixedArraysWithPagesAndWithout() throws IOException {
    Zoo zoo = zoo(Zoo.V110);
    zoo.put("few", zoo.doubles(), axes(9, 9), axes(20, 30), list -> zoo.chunk(list, 2, 3));
    zoo.put("all", zoo.type("STD_I16LE", 2), axes(2500), axes(2600), list -> zoo.chunk(list, 1));
    int[] places = {0, 1023, 2048, 8999, 9499};
    zoo.putSparse("some", zoo.doubles(), 9500, 9500, Zoo.AS_USUAL, places);
    zoo.putSparse("coded", zoo.doubles(), 9500, 9700, zoo::deflate, places);
    Bytes bytes = zoo.close();
    assertThat(bytes.count("FADB")).isEqualTo(4);
    Hints hints = zoo.verify(bytes);
    assertThat(hints.extents()).hasSize(15 + 2500 + 2 * places.length);
    assertThat(hints.notes()).isEmpty();
  }

  @Test
  void newTreesOfChunks() throws IOException {
    Zoo zoo = zoo(Zoo.V110);
    long[] most = axes(Zoo.UNLIMITED, Zoo.UNLIMITED);
    zoo.put("none", zoo.doubles(), axes(2, 2), most, list -> zoo.chunk(list, 4, 4));
    zoo.put("plain", zoo.doubles(), axes(70, 70), most, list -> zoo.chunk(list, 1, 2));
    zoo.put(
        "coded",
        zoo.doubles(),
        axes(70, 70),
        most,
        list -> {
          zoo.chunk(list, 1, 2);
          zoo.deflate(list);
        });
    Bytes bytes = zoo.close();
    assertThat(bytes.count("BTHD")).isEqualTo(3);
    assertThat(bytes.count("BTIN")).isPositive();
    assertThat(zoo.verify(bytes).notes()).isEmpty();
  }

  @Test
  void oneChunkOnlyAndAllChunksInARow() throws IOException {
    Zoo zoo = zoo(Zoo.V110);
    zoo.put("single", zoo.doubles(), axes(9, 9), axes(9, 9), list -> zoo.chunk(list, 9, 9));
    zoo.put(
        "single coded",
        zoo.doubles(),
        axes(9, 9),
        axes(9, 9),
        list -> {
          zoo.chunk(list, 9, 9);
          zoo.deflate(list);
        });
    zoo.put(
        "implicit",
        zoo.doubles(),
        axes(9, 9),
        axes(13, 14),
        list -> {
          zoo.chunk(list, 2, 3);
          zoo.early(list);
        });
    Bytes bytes = zoo.close();
    assertThat(bytes.count("FAHD") + bytes.count("EAHD") + bytes.count("BTHD")).isZero();
    assertThat(zoo.verify(bytes).extents()).hasSize(1 + 1 + 15);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void whatHasNoDataHasNoExtents(int version) throws IOException {
    Zoo zoo = zoo(version);
    zoo.putEmpty("late", zoo.doubles(), zoo.space(axes(4), axes(4)), Zoo.AS_USUAL);
    zoo.putEmpty("null", zoo.doubles(), library.id("H5Screate", 2), Zoo.AS_USUAL);
    zoo.putEmpty("zero", zoo.doubles(), zoo.space(axes(4, 0), axes(4, 0)), Zoo.AS_USUAL);
    for (long most : axes(4, 9, Zoo.UNLIMITED)) {
      zoo.putEmpty(
          "chunked" + most,
          zoo.doubles(),
          zoo.space(axes(4), axes(most)),
          list -> zoo.chunk(list, 4));
    }
    zoo.putEmpty(
        "zero chunked",
        zoo.doubles(),
        zoo.space(axes(0), axes(Zoo.UNLIMITED)),
        list -> zoo.chunk(list, 4));
    Hints hints = zoo.verify(zoo.close());
    assertThat(hints.extents()).isEmpty();
    assertThat(hints.notes()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void whatIsElsewhereIsNamed(int version) throws IOException {
    Zoo zoo = zoo(version);
    zoo.putEmpty(
        "outside",
        zoo.doubles(),
        zoo.space(axes(4), axes(4)),
        list -> library.ok("H5Pset_external", list, "data.bin", 0L, 32L));
    zoo.putEmpty(
        "virtual",
        zoo.doubles(),
        zoo.space(axes(4), axes(4)),
        list ->
            library.ok(
                "H5Pset_virtual",
                list,
                zoo.space(axes(4), axes(4)),
                "source.h5",
                "/x",
                zoo.space(axes(4), axes(4))));
    zoo.put("here", zoo.doubles(), 4);
    Hints hints = zoo.verify(zoo.close());
    assertThat(hints.extents()).hasSize(1);
    assertThat(hints.notes())
        .extracting(Hints.Note::text)
        .containsExactlyInAnyOrder(
            "/outside: has its data in other files: data.bin",
            "/virtual: is made of other datasets, the first of them /x in the file source.h5");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void layoutsThatNobodyWritesAnyMore(int layoutVersion) throws IOException {
    Zoo zoo = zoo(Zoo.EARLIEST);
    zoo.put("contiguous", zoo.doubles(), 3, 5);
    zoo.put("compact", zoo.doubles(), axes(5), axes(5), list -> zoo.layout(list, Zoo.COMPACT));
    zoo.put("chunked", zoo.doubles(), axes(9, 8), axes(9, 8), list -> zoo.chunk(list, 4, 3));
    Bytes bytes = zoo.close();
    Bytes old = OldLayouts.rewrite(bytes, layoutVersion);
    zoo.replace(old);
    assertThat(Zoo.locate(old).notes()).isEmpty();
    zoo.verify(old);
    zoo.readBack();
  }

  @SeededTest(seeds = 60)
  @Thorough
  void anyShapeInAnyChunks(Random random) throws IOException {
    Zoo zoo = zoo(random.nextInt(3));
    for (int i = 0; i < 4; i++) {
      int rank = 1 + random.nextInt(4);
      long[] shape = random.longs(rank, 1, 9).toArray();
      long[] most = LongStream.of(shape).map(length -> longer(random, length)).toArray();
      long[] chunk = random.longs(rank, 1, 7).toArray();
      for (int axis = 0; axis < rank; axis++) {
        chunk[axis] = most[axis] < 0 ? chunk[axis] : Math.min(chunk[axis], most[axis]);
      }
      boolean early = random.nextInt(3) == 0;
      boolean deflated = random.nextInt(3) == 0;
      zoo.put(
          "d" + i,
          zoo.type("STD_I32BE", 4),
          shape,
          most,
          list -> {
            zoo.chunk(list, chunk);
            if (early) {
              zoo.early(list);
            }
            if (deflated) {
              zoo.deflate(list);
            }
          });
    }
    assertThat(zoo.verify(zoo.close()).notes()).isEmpty();
  }

  private static long longer(Random random, long length) {
    return switch (random.nextInt(3)) {
      case 0 -> Zoo.UNLIMITED;
      case 1 -> length + random.nextInt(10);
      default -> length;
    };
  }

  // ---- filters

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void filteredChunksAreCodedUnlessAllFiltersWereSkipped(int version) throws IOException {
    Zoo zoo = zoo(version);
    Type type = zoo.doubles();
    byte[] content = zoo.content(type, axes(12));
    long dataset =
        zoo.create(
            "mixed",
            type,
            zoo.space(axes(12), axes(Zoo.UNLIMITED)),
            list -> {
              zoo.chunk(list, 4);
              zoo.deflate(list);
            });
    writeChunk(dataset, 0, 0b11, Arrays.copyOfRange(content, 0, 32));
    writeChunk(dataset, 4, 0b10, new byte[32]);
    writeChunk(dataset, 8, 0b00, new byte[17]);
    library.ok("H5Dclose", dataset);
    zoo.remember(new Animal("/mixed", 8, axes(12), content));
    zoo.put(
        "checked",
        type,
        axes(12),
        axes(12),
        list -> {
          zoo.chunk(list, 4);
          library.ok("H5Pset_fletcher32", list);
        });
    Hints hints = zoo.verify(zoo.close());
    assertThat(Zoo.extents(hints, "/mixed"))
        .extracting(Extent::coded)
        .containsExactly(false, true, true);
    assertThat(Zoo.extents(hints, "/checked")).extracting(Extent::length).containsOnly(36L);
  }

  private void writeChunk(long dataset, long start, int mask, byte[] bytes) {
    library.ok("H5Dwrite_chunk", dataset, 0L, mask, axes(start), (long) bytes.length, bytes);
  }

  @Test
  void chunksAtTheEdgeMayBePlain() throws IOException {
    Zoo zoo = zoo(Zoo.V110);
    Type type = zoo.doubles();
    byte[] content = zoo.content(type, axes(10));
    long dataset =
        zoo.create(
            "edges",
            type,
            zoo.space(axes(10), axes(20)),
            list -> {
              zoo.chunk(list, 4);
              zoo.deflate(list);
              library.ok("H5Pset_chunk_opts", list, 2);
            });
    library.ok("H5Dwrite", dataset, type.id(), 0L, 0L, 0L, content);
    library.ok("H5Dclose", dataset);
    Bytes bytes = zoo.close();
    List<Extent> extents = Zoo.locate(bytes).extents();
    assertThat(extents).extracting(Extent::coded).containsExactly(true, true, false);
    Animal animal = new Animal("/edges", 8, axes(10), content);
    extents.forEach(extent -> Zoo.compare(bytes, animal, extent));
  }

  // ---- types

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void typesOfNumbers(int version) throws IOException {
    Zoo zoo = zoo(version);
    zoo.put("i8", zoo.type("STD_I8LE", 1), 5);
    zoo.put("u16", zoo.type("STD_U16BE", 2), 5);
    zoo.put("i64", zoo.type("STD_I64LE", 8), 5);
    zoo.put("f32", zoo.type("IEEE_F32BE", 4), 5);
    zoo.put("f64", zoo.type("IEEE_F64BE", 8), 5);
    zoo.put("long double", zoo.type("NATIVE_LDOUBLE", 16), 5);
    zoo.put("half", half(), 5);
    zoo.put("padded", padded(), 5);
    zoo.put("vax", zoo.type("VAX_F32", 4), 5);
    zoo.put("bits", zoo.type("STD_B32BE", 4), 5);
    zoo.put("scalar", zoo.doubles(), NONE, NONE, Zoo.AS_USUAL);
    Hints hints = zoo.verify(zoo.close());
    assertThat(hints.notes()).isEmpty();
    assertElements(hints, "/i8", Elements.integers(1, LITTLE_ENDIAN), 5);
    assertElements(hints, "/u16", Elements.integers(2, BIG_ENDIAN), 5);
    assertElements(hints, "/i64", Elements.integers(8, LITTLE_ENDIAN), 5);
    assertElements(hints, "/f32", Elements.floats(4, BIG_ENDIAN), 5);
    assertElements(hints, "/f64", Elements.floats(8, BIG_ENDIAN), 5);
    assertElements(hints, "/long double", Elements.integers(16, LITTLE_ENDIAN), 5);
    assertElements(hints, "/half", Elements.floats(2, LITTLE_ENDIAN), 5);
    assertElements(hints, "/padded", Elements.integers(4, LITTLE_ENDIAN), 5);
    assertElements(hints, "/vax", Elements.integers(4, LITTLE_ENDIAN), 5);
    assertElements(hints, "/bits", Elements.integers(4, BIG_ENDIAN), 5);
    assertElements(hints, "/scalar", Elements.floats(8, LITTLE_ENDIAN));
  }

  /** A float whose sign is not the highest bit: not ordered as its bits are. */
  private Type padded() {
    long type = library.id("H5Tcopy", library.constant("H5T_IEEE_F32LE_g"));
    library.ok("H5Tset_fields", type, 23L, 15L, 8L, 0L, 15L);
    library.ok("H5Tset_precision", type, 24L);
    return new Type(type, 4);
  }

  private Type half() {
    long type = library.id("H5Tcopy", library.constant("H5T_IEEE_F32LE_g"));
    library.ok("H5Tset_fields", type, 15L, 10L, 5L, 0L, 10L);
    library.ok("H5Tset_size", type, 2L);
    library.ok("H5Tset_ebias", type, 15L);
    return new Type(type, 2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void typesOfRecordsAndArrays(int version) throws IOException {
    Zoo zoo = zoo(version);
    long compound = library.id("H5Tcreate", 6, 12L);
    library.ok("H5Tinsert", compound, "x", 0L, zoo.doubles().id());
    library.ok("H5Tinsert", compound, "n", 8L, library.constant("H5T_STD_I32LE_g"));
    long array =
        library.id("H5Tarray_create2", library.constant("H5T_IEEE_F32BE_g"), 2, axes(3, 2));
    long arrays = library.id("H5Tarray_create2", array, 1, axes(4));
    long records = library.id("H5Tarray_create2", compound, 1, axes(4));
    long colour = library.id("H5Tenum_create", library.constant("H5T_STD_U16BE_g"));
    library.ok("H5Tenum_insert", colour, "red", new byte[] {0, 1});
    long opaque = library.id("H5Tcreate", 5, 7L);
    library.ok("H5Tset_tag", opaque, "what");
    long large = library.id("H5Tcreate", 5, 10_000L);
    long text = library.id("H5Tcopy", library.constant("H5T_C_S1_g"));
    library.ok("H5Tset_size", text, 6L);
    zoo.put("compound", new Type(compound, 12), 5);
    zoo.put("array", new Type(array, 24), 5);
    zoo.put("arrays", new Type(arrays, 96), 5);
    zoo.put("records", new Type(records, 48), axes(5), axes(5), list -> zoo.chunk(list, 2));
    zoo.put("array in chunks", new Type(array, 24), axes(5), axes(9), list -> zoo.chunk(list, 2));
    zoo.put("enum", new Type(colour, 2), 5);
    zoo.put("opaque", new Type(opaque, 7), 5);
    zoo.put("large", new Type(large, 10_000), 3);
    zoo.put("text", new Type(text, 6), 5);
    Hints hints = zoo.verify(zoo.close());
    assertThat(hints.notes()).isEmpty();
    assertElements(hints, "/compound", Elements.integers(12, LITTLE_ENDIAN), 5);
    assertElements(hints, "/array", Elements.floats(4, BIG_ENDIAN), 5, 3, 2);
    assertElements(hints, "/arrays", Elements.floats(4, BIG_ENDIAN), 5, 4, 3, 2);
    assertElements(hints, "/records", Elements.integers(12, LITTLE_ENDIAN), 5, 4);
    assertElements(hints, "/array in chunks", Elements.floats(4, BIG_ENDIAN), 5, 3, 2);
    assertElements(hints, "/enum", Elements.integers(2, BIG_ENDIAN), 5);
    assertElements(hints, "/opaque", Elements.integers(7, LITTLE_ENDIAN), 5);
    assertElements(hints, "/large", Elements.BYTES, 3, 10_000);
    assertElements(hints, "/text", Elements.integers(6, LITTLE_ENDIAN), 5);
    assertThat(Zoo.extents(hints, "/array in chunks").getFirst().box()).containsExactly(2L, 3L, 2L);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void whatIsNotWhereItsElementsAreIsRest(int version) throws IOException {
    Zoo zoo = zoo(version);
    LongConsumer early = zoo::early;
    long[] shape = axes(4);
    long variable = library.id("H5Tvlen_create", zoo.doubles().id());
    long text = library.id("H5Tcopy", library.constant("H5T_C_S1_g"));
    library.ok("H5Tset_size", text, -1L);
    long reference = library.constant("H5T_STD_REF_OBJ_g");
    long array = library.id("H5Tarray_create2", reference, 1, axes(3));
    for (long type : axes(variable, text, reference, array)) {
      zoo.putEmpty("t" + type, new Type(type, 0), zoo.space(shape, shape), early);
    }
    zoo.put("numbers", zoo.doubles(), 4);
    Hints hints = zoo.verify(zoo.close());
    assertThat(hints.extents()).hasSize(1);
    assertThat(hints.notes()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void committedTypes(int version) throws IOException {
    Zoo zoo = zoo(version);
    long type = library.id("H5Tcopy", library.constant("H5T_IEEE_F32BE_g"));
    library.ok("H5Tcommit2", zoo.file(), "the type", type, 0L, 0L, 0L);
    zoo.put("a", new Type(type, 4), 5);
    zoo.put("b", new Type(type, 4), axes(5), axes(5), list -> zoo.chunk(list, 2));
    Hints hints = zoo.verify(zoo.close());
    assertThat(hints.notes()).isEmpty();
    assertElements(hints, "/a", Elements.floats(4, BIG_ENDIAN), 5);
    assertElements(hints, "/b", Elements.floats(4, BIG_ENDIAN), 5);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void messagesThatTheFileHasInAHeap(int version) throws IOException {
    Zoo zoo =
        new Zoo(
            library,
            folder.resolve("zoo.h5"),
            version,
            0,
            list -> {
              library.ok("H5Pset_shared_mesg_nindexes", list, 2);
              library.ok("H5Pset_shared_mesg_index", list, 0, 1 << 1, 1);
              library.ok("H5Pset_shared_mesg_index", list, 1, 1 << 3 | 1 << 0xB, 1);
            });
    for (int i = 0; i < 20; i++) {
      zoo.put("plain" + i, zoo.doubles(), 3, 5);
      zoo.put(
          "coded" + i,
          zoo.type("STD_I32BE", 4),
          axes(3, 5),
          axes(3, 5),
          list -> {
            zoo.chunk(list, 2, 2);
            zoo.deflate(list);
          });
    }
    Bytes bytes = zoo.close();
    assertThat(bytes.count("SMTB")).isEqualTo(1);
    Hints hints = zoo.verify(bytes);
    assertThat(hints.notes()).isEmpty();
    assertElements(hints, "/plain7", Elements.floats(8, LITTLE_ENDIAN), 3, 5);
  }

  private static void assertElements(Hints hints, String path, Elements elements, long... shape) {
    Extent first = Zoo.extents(hints, path).getFirst();
    assertThat(first.variable().elements()).as(path).isEqualTo(elements);
    assertThat(first.variable().shape()).as(path).isEqualTo(LongStream.of(shape).boxed().toList());
  }

  // ---- headers

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void headersThatGoOnElsewhere(int version) throws IOException {
    Zoo zoo = zoo(version);
    zoo.put("a", zoo.doubles(), 5);
    // Moves messages out of a header that was made for few.
    long object = library.id("H5Oopen", zoo.file(), "a", 0L);
    long space = zoo.space(axes(20), axes(20));
    for (int i = 0; i < 40; i++) {
      long attribute = library.id("H5Acreate2", object, "n" + i, zoo.doubles().id(), space, 0L, 0L);
      library.ok("H5Awrite", attribute, zoo.doubles().id(), new byte[160]);
      library.ok("H5Aclose", attribute);
    }
    library.ok("H5Oclose", object);
    for (int i = 0; i < 6; i++) {
      zoo.put("link" + i, zoo.doubles(), 5);
    }
    Bytes bytes = zoo.close();
    assertThat(bytes.count("OCHK") > 0).isEqualTo(version > 0);
    assertThat(zoo.verify(bytes).notes()).isEmpty();
  }

  /** Of these 6 GiB the disk has a few blocks. */
  @Test
  void filesBeyondFourGibibytes() throws IOException {
    Path path = folder.resolve("large.h5");
    Zoo zoo = new Zoo(library, path, Zoo.EARLIEST);
    long length = 3L << 27;
    LongConsumer unwritten =
        list -> {
          zoo.early(list);
          library.ok("H5Pset_fill_time", list, 1);
        };
    zoo.putEmpty("a", zoo.doubles(), zoo.space(axes(length), axes(length)), unwritten);
    zoo.putEmpty("b", zoo.doubles(), zoo.space(axes(length), axes(length)), unwritten);
    long dataset = library.id("H5Dopen2", zoo.file(), "b", 0L);
    long offset = library.place("H5Dget_offset", dataset);
    library.ok("H5Fclose", zoo.file());
    Hints hints = new Hints(1_000, 10);
    try (FileChannel channel = FileChannel.open(path)) {
      new Hdf5Locator().locate(source(channel), hints);
    }
    assertThat(hints.extents()).extracting(Extent::length).containsExactly(8 * length, 8 * length);
    assertThat(hints.extents().getLast().offset()).isEqualTo(offset).isGreaterThan(3L << 30);
  }

  private static ByteSource source(FileChannel channel) throws IOException {
    long size = channel.size();
    return new ByteSource() {
      @Override
      public long size() {
        return size;
      }

      @Override
      public void read(long offset, MemorySegment target) throws IOException {
        channel.read(target.asByteBuffer(), offset);
      }
    };
  }

  /** Copies of a group: for the library that is less work than as many datasets. */
  @Test
  @Thorough
  void manyDatasets() throws IOException {
    Zoo zoo = zoo(Zoo.EARLIEST);
    zoo.group("g0");
    long space = zoo.space(axes(1), axes(1));
    int each = 500;
    int groups = Boolean.getBoolean(Thorough.PROPERTY) ? 200 : 40;
    for (int i = 0; i < each; i++) {
      zoo.putEmpty("g0/d" + i, zoo.doubles(), space, list -> zoo.layout(list, Zoo.COMPACT));
    }
    for (int i = 1; i < groups; i++) {
      library.ok("H5Ocopy", zoo.file(), "g0", zoo.file(), "g" + i, 0L, 0L);
    }
    Hints hints = Zoo.locate(zoo.close());
    assertThat(hints.notes()).isEmpty();
    assertThat(hints.extents()).extracting(Extent::offset).doesNotHaveDuplicates();
    assertThat(hints.extents())
        .extracting(extent -> extent.variable().name())
        .hasSize(each * groups)
        .doesNotHaveDuplicates();
  }
}
