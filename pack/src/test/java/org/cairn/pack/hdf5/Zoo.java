// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.Hints;
import org.cairn.testkit.random.Seeds;

/** A file that libhdf5 writes, what is in it, and what the library says of where. */
final class Zoo {
  static final int EARLIEST = 0;
  static final int V18 = 1;
  static final int V110 = 2;

  static final int COMPACT = 0;
  static final int CONTIGUOUS = 1;
  static final int CHUNKED = 2;
  static final int VIRTUAL = 3;

  /** No limit for an axis. */
  static final long UNLIMITED = -1;

  /** Nothing to be set. */
  static final LongConsumer AS_USUAL = _ -> {};

  /** The library goes through all chunks for each that it is asked for. */
  private static final int FEW = 200;

  private static final int TRUNCATE = 2;
  private static final int READ_ONLY = 0;
  private static final int CLOSE_ALL = 3;

  private final LibHdf5 library;
  private final Path path;
  private final long file;
  private final long userBlock;
  private final List<Animal> animals = new ArrayList<>();

  /**
   * A dataset.
   *
   * @param content its elements, or nothing if they are not written as they are
   */
  record Animal(String path, int elementBytes, long[] shape, byte[] content) {}

  /** A type of elements. */
  record Type(long id, int bytes) {}

  /** A chunk, or all of a dataset that has none, as the library sees it or we do. */
  private record Place(long offset, long length, boolean coded) {}

  /** Begins a file. */
  Zoo(LibHdf5 library, Path path, int version, long userBlock, LongConsumer creation) {
    this.library = library;
    this.path = path;
    this.userBlock = userBlock;
    long access = list("FILE_ACCESS");
    int highest = version == EARLIEST ? V110 : version;
    library.ok("H5Pset_libver_bounds", access, version, highest);
    library.ok("H5Pset_fclose_degree", access, CLOSE_ALL);
    long creating = list("FILE_CREATE");
    library.ok("H5Pset_userblock", creating, userBlock);
    creation.accept(creating);
    this.file = library.id("H5Fcreate", path.toString(), TRUNCATE, creating, access);
  }

  Zoo(LibHdf5 library, Path path, int version) {
    this(library, path, version, 0, AS_USUAL);
  }

  LibHdf5 library() {
    return library;
  }

  long file() {
    return file;
  }

  /** A new list of properties. */
  long list(String kind) {
    return library.id("H5Pcreate", library.constant("H5P_CLS_" + kind + "_ID_g"));
  }

  /** A type that the library has. */
  Type type(String name, int bytes) {
    return new Type(library.constant("H5T_" + name + "_g"), bytes);
  }

  Type doubles() {
    return type("IEEE_F64LE", 8);
  }

  void group(String name) {
    library.ok("H5Gclose", library.id("H5Gcreate2", file, name, 0L, 0L, 0L));
  }

  /** Adds a dataset that is written whole, in one place. */
  void put(String name, Type type, long... shape) {
    put(name, type, shape, shape, AS_USUAL);
  }

  /** Adds a dataset that is written whole. */
  void put(String name, Type type, long[] shape, long[] most, LongConsumer creation) {
    byte[] content = content(type, shape);
    long dataset = create(name, type, space(shape, most), creation);
    library.ok("H5Dwrite", dataset, type.id, 0L, 0L, 0L, content);
    library.ok("H5Dclose", dataset);
    animals.add(new Animal("/" + name, type.bytes, shape, content));
  }

  /** Adds a dataset of one axis in chunks of one element, of which some are written. */
  void putSparse(String name, Type type, long length, long most, LongConsumer creation, int... at) {
    byte[] content = new byte[Math.toIntExact(length) * type.bytes];
    long dataset =
        create(
            name,
            type,
            space(new long[] {length}, new long[] {most}),
            list -> {
              chunk(list, 1);
              creation.accept(list);
            });
    long one = space(new long[] {1}, new long[] {1});
    for (int place : at) {
      byte[] element = content(type, new long[] {1});
      System.arraycopy(element, 0, content, place * type.bytes, type.bytes);
      long where = library.id("H5Dget_space", dataset);
      library.ok(
          "H5Sselect_hyperslab",
          where,
          0,
          new long[] {place},
          MemorySegment.NULL,
          new long[] {1},
          MemorySegment.NULL);
      library.ok("H5Dwrite", dataset, type.id, one, where, 0L, element);
    }
    library.ok("H5Dclose", dataset);
    animals.add(new Animal("/" + name, type.bytes, new long[] {length}, content));
  }

  /** Adds a dataset that is not written, or not by us. */
  void putEmpty(String name, Type type, long space, LongConsumer creation) {
    library.ok("H5Dclose", create(name, type, space, creation));
  }

  /** Creates a dataset. */
  long create(String name, Type type, long space, LongConsumer creation) {
    long creating = list("DATASET_CREATE");
    creation.accept(creating);
    long dataset = library.id("H5Dcreate2", file, name, type.id, space, 0L, creating, 0L);
    library.ok("H5Pclose", creating);
    return dataset;
  }

  /** A space of some axes; of one element without any. */
  long space(long[] shape, long[] most) {
    return shape.length == 0
        ? library.id("H5Screate", 0)
        : library.id("H5Screate_simple", shape.length, shape, most);
  }

  /** Has a dataset in chunks. */
  void chunk(long list, long... lengths) {
    library.ok("H5Pset_chunk", list, lengths.length, lengths);
  }

  void layout(long list, int layout) {
    library.ok("H5Pset_layout", list, layout);
  }

  /** Has room for a dataset before it is written. */
  void early(long list) {
    library.ok("H5Pset_alloc_time", list, 1);
  }

  void deflate(long list) {
    library.ok("H5Pset_shuffle", list);
    library.ok("H5Pset_deflate", list, 1);
  }

  /** Remembers a dataset that was written in another way. */
  void remember(Animal animal) {
    animals.add(animal);
  }

  /** Bytes that are always the same for a file's n-th dataset. */
  byte[] content(Type type, long[] shape) {
    long elements = Arrays.stream(shape).reduce(1, Math::multiplyExact);
    byte[] content = new byte[Math.toIntExact(elements * type.bytes)];
    Seeds.content(animals.size()).nextBytes(content);
    return content;
  }

  /** Ends the file; all that the library still has open of it, too. */
  Bytes close() throws IOException {
    library.ok("H5Fclose", file);
    return Bytes.of(path);
  }

  /** Has other bytes in the file from now on. */
  void replace(Bytes bytes) throws IOException {
    Files.write(path, bytes.bytes());
  }

  /** The library itself reads what was written. */
  void readBack() {
    long again = library.id("H5Fopen", path.toString(), READ_ONLY, list("FILE_ACCESS"));
    for (Animal animal : animals) {
      long dataset = library.id("H5Dopen2", again, animal.path, 0L);
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment content = arena.allocate(animal.content.length);
        library.ok("H5Dread", dataset, library.id("H5Dget_type", dataset), 0L, 0L, 0L, content);
        assertThat(content.toArray(ValueLayout.JAVA_BYTE))
            .as(animal.path)
            .isEqualTo(animal.content);
      }
      library.ok("H5Dclose", dataset);
    }
    library.ok("H5Fclose", again);
  }

  /** What the locator finds. */
  static Hints locate(Bytes bytes) throws IOException {
    Hints hints = new Hints(10_000_000, 1_000_000);
    new Hdf5Locator().locate(bytes, hints);
    return hints;
  }

  /**
   * Compares what the locator finds with what the library says, and what is there with what was
   * written.
   */
  Hints verify(Bytes bytes) throws IOException {
    Hints hints = locate(bytes);
    long access = list("FILE_ACCESS");
    long again = library.id("H5Fopen", path.toString(), READ_ONLY, access);
    Map<String, List<Extent>> found =
        hints.extents().stream().collect(Collectors.groupingBy(e -> e.variable().name()));
    for (Animal animal : animals) {
      List<Extent> extents = found.getOrDefault(animal.path, List.of());
      long dataset = library.id("H5Dopen2", again, animal.path, 0L);
      assertThat(places(extents))
          .as(animal.path)
          .containsExactlyElementsOf(truth(dataset, animal, bytes, extents));
      extents.forEach(extent -> compare(bytes, animal, extent));
      library.ok("H5Dclose", dataset);
    }
    library.ok("H5Fclose", again);
    return hints;
  }

  static List<Extent> extents(Hints hints, String path) {
    return hints.extents().stream().filter(e -> e.variable().name().equals(path)).toList();
  }

  private static List<Place> places(List<Extent> extents) {
    return sorted(extents.stream().map(e -> new Place(e.offset(), e.length(), e.coded())));
  }

  private static List<Place> sorted(Stream<Place> places) {
    return places.sorted(Comparator.comparingLong(Place::offset)).toList();
  }

  private List<Place> truth(long dataset, Animal animal, Bytes bytes, List<Extent> extents) {
    long creation = library.id("H5Dget_create_plist", dataset);
    int layout = library.number("H5Pget_layout", creation);
    if (layout == CHUNKED) {
      return chunks(dataset, creation, bytes, extents);
    }
    // The library does not tell where in a header it has data.
    long offset =
        layout == COMPACT
            ? bytes.lastIndexOf(new String(animal.content, ISO_8859_1))
            : library.place("H5Dget_offset", dataset);
    return List.of(new Place(offset, animal.content.length, false));
  }

  /**
   * The chunks of a dataset, as far as the library tells the truth about them. In version 1.10 it
   * forgets the user block in their addresses, and gets the coordinates of growing arrays wrong
   * when it goes through all chunks, but not when it reads one.
   */
  private List<Place> chunks(long dataset, long creation, Bytes bytes, List<Extent> extents) {
    int filters = library.number("H5Pget_nfilters", creation);
    for (Extent extent : extents) {
      chunk(dataset, filters, bytes, extent);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(ValueLayout.JAVA_LONG);
      library.ok("H5Dget_num_chunks", dataset, library.id("H5Dget_space", dataset), count);
      assertThat(extents).hasSize((int) count.get(ValueLayout.JAVA_LONG, 0));
      return extents.size() > FEW ? places(extents) : chunks(arena, dataset, filters, extents);
    }
  }

  private List<Place> chunks(Arena arena, long dataset, int filters, List<Extent> extents) {
    long space = library.id("H5Dget_space", dataset);
    MemorySegment start = arena.allocate(ValueLayout.JAVA_LONG, 32);
    MemorySegment mask = arena.allocate(ValueLayout.JAVA_INT);
    MemorySegment address = arena.allocate(ValueLayout.JAVA_LONG);
    MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
    List<Place> places = new ArrayList<>();
    for (long i = 0; i < extents.size(); i++) {
      library.ok("H5Dget_chunk_info", dataset, space, i, start, mask, address, size);
      places.add(
          new Place(
              address.get(ValueLayout.JAVA_LONG, 0) + userBlock,
              size.get(ValueLayout.JAVA_LONG, 0),
              isCoded(mask.get(ValueLayout.JAVA_INT, 0), filters)));
    }
    return sorted(places.stream());
  }

  /** The library reads the chunk that begins at the same element, as it is stored. */
  private void chunk(long dataset, int filters, Bytes bytes, Extent extent) {
    long[] start = extent.start().stream().mapToLong(Long::longValue).toArray();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
      library.ok("H5Dget_chunk_storage_size", dataset, start, size);
      assertThat(extent.length()).isEqualTo(size.get(ValueLayout.JAVA_LONG, 0));
      MemorySegment mask = arena.allocate(ValueLayout.JAVA_INT);
      MemorySegment chunk = arena.allocate(extent.length());
      library.ok("H5Dread_chunk", dataset, 0L, start, mask, chunk);
      assertThat(extent.coded()).isEqualTo(isCoded(mask.get(ValueLayout.JAVA_INT, 0), filters));
      MemorySegment found =
          MemorySegment.ofArray(bytes.bytes()).asSlice(extent.offset(), extent.length());
      assertThat(found.mismatch(chunk)).as("first other byte of %s", extent).isEqualTo(-1);
    }
  }

  private static boolean isCoded(int mask, int filters) {
    int all = (1 << filters) - 1;
    return (mask & all) != all;
  }

  /** Every element of a box that is in the dataset is the one that was written. */
  static void compare(Bytes bytes, Animal animal, Extent extent) {
    if (extent.coded()) {
      return;
    }
    int rank = animal.shape.length;
    long elements = 1;
    for (int i = 0; i < rank; i++) {
      elements *= extent.box().get(i);
    }
    assertThat(extent.length()).isEqualTo(elements * animal.elementBytes);
    for (long number = 0; number < elements; number++) {
      long rest = number;
      long at = 0;
      long stride = 1;
      boolean inside = true;
      for (int i = rank - 1; i >= 0; i--) {
        long place = extent.start().get(i) + rest % extent.box().get(i);
        rest /= extent.box().get(i);
        inside &= place < animal.shape[i];
        at += place * stride;
        stride *= animal.shape[i];
      }
      if (inside) {
        compare(bytes, animal, extent.offset() + number * animal.elementBytes, at);
      }
    }
  }

  private static void compare(Bytes bytes, Animal animal, long offset, long element) {
    int from = Math.toIntExact(offset);
    int to = Math.toIntExact(element * animal.elementBytes);
    if (!Arrays.equals(
        bytes.bytes(),
        from,
        from + animal.elementBytes,
        animal.content,
        to,
        to + animal.elementBytes)) {
      throw new AssertionError(
          "%s: element %d is not at %d".formatted(animal.path, element, offset));
    }
  }
}
