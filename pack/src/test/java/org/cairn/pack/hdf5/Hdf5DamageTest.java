// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.cairn.pack.hdf5.Zoo.Type;
import org.cairn.pack.locate.ByteSource;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.Probe;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever a file says, locating ends after as many steps as are allowed, takes little memory, and
 * finds nothing outside of the file; and what is not damaged is found.
 */
class Hdf5DamageTest {
  private static final List<String> SIGNATURES =
      List.of(
          "\u0089HDF",
          "TREE",
          "SNOD",
          "HEAP",
          "OHDR",
          "OCHK",
          "FRHP",
          "FHDB",
          "FHIB",
          "BTHD",
          "BTIN",
          "BTLF",
          "FAHD",
          "FADB",
          "EAHD",
          "EAIB",
          "EASB",
          "EADB",
          "SMTB",
          "GCOL");

  private static final int MOST_STEPS = 50_000;

  @TempDir private static Path folder;

  /** By version of the library. */
  private static final List<Bytes> FILES = new ArrayList<>();

  /** Where structures begin in each of them. */
  private static final List<List<Integer>> PLACES = new ArrayList<>();

  @BeforeAll
  static void write() throws IOException {
    LibHdf5 library = LibHdf5.required();
    for (int version : new int[] {Zoo.EARLIEST, Zoo.V18, Zoo.V110}) {
      LongConsumer creation =
          list -> {
            library.ok("H5Pset_sym_k", list, 2, 2);
            library.ok("H5Pset_istore_k", list, 2);
            if (version == Zoo.V18) {
              library.ok("H5Pset_shared_mesg_nindexes", list, 1);
              library.ok("H5Pset_shared_mesg_index", list, 0, 1 << 1 | 1 << 3, 1);
            }
          };
      Zoo zoo = new Zoo(library, folder.resolve("zoo" + version), version, 0, creation);
      fill(zoo);
      if (version == Zoo.V110) {
        long four = zoo.space(axes(4), axes(4));
        zoo.putEmpty(
            "virtual",
            zoo.doubles(),
            four,
            list -> library.ok("H5Pset_virtual", list, four, "source.h5", "/x", four));
      }
      FILES.add(zoo.close());
      PLACES.add(places(FILES.getLast()));
    }
  }

  /** Some of everything. */
  private static void fill(Zoo zoo) {
    LibHdf5 library = zoo.library();
    Type type = zoo.doubles();
    long no = Zoo.UNLIMITED;
    zoo.put("contiguous", type, 10, 20);
    zoo.put("compact", type, axes(5), axes(5), list -> zoo.layout(list, Zoo.COMPACT));
    for (long[] most :
        List.of(axes(10, 20), axes(11, 22), axes(no, 20), axes(11, no), axes(no, no))) {
      String name = Arrays.toString(most);
      zoo.put("plain" + name, type, axes(10, 20), most, list -> zoo.chunk(list, 3, 4));
      zoo.put(
          "early" + name,
          type,
          axes(10, 20),
          most,
          list -> {
            zoo.chunk(list, 3, 4);
            zoo.early(list);
          });
      zoo.put(
          "coded" + name,
          type,
          axes(10, 20),
          most,
          list -> {
            zoo.chunk(list, 3, 4);
            zoo.deflate(list);
          });
    }
    zoo.put("single", type, axes(4, 4), axes(4, 4), list -> zoo.chunk(list, 4, 4));
    zoo.putSparse("fixed", type, 1500, 1500, Zoo.AS_USUAL, 1, 1400);
    zoo.putSparse("extensible", type, 140_000, no, Zoo.AS_USUAL, 0, 100, 139_999);
    long array = library.id("H5Tarray_create2", type.id(), 2, axes(3, 2));
    zoo.put("array", new Type(array, 48), 5);
    long committed = library.id("H5Tcopy", array);
    library.ok("H5Tcommit2", zoo.file(), "type", committed, 0L, 0L, 0L);
    zoo.put("committed", new Type(committed, 48), 5);
    zoo.group("g");
    for (int i = 0; i < 60; i++) {
      zoo.put("g/a longer name of " + i, zoo.type("STD_I16BE", 2), 3);
    }
    library.ok("H5Lcreate_hard", zoo.file(), "/", zoo.file(), "g/up", 0L, 0L);
    library.ok("H5Lcreate_soft", "/g", zoo.file(), "soft", 0L, 0L);
    library.ok("H5Lcreate_external", "other.h5", "/y", zoo.file(), "external", 0L, 0L);
    zoo.putEmpty(
        "outside",
        type,
        zoo.space(axes(4), axes(4)),
        list -> library.ok("H5Pset_external", list, "data.bin", 0L, 32L));
    long object = library.id("H5Oopen", zoo.file(), "contiguous", 0L);
    long space = zoo.space(axes(20), axes(20));
    for (int i = 0; i < 5; i++) {
      library.ok("H5Aclose", library.id("H5Acreate2", object, "a" + i, type.id(), space, 0L, 0L));
    }
    library.ok("H5Oclose", object);
  }

  private static long[] axes(long... lengths) {
    return lengths;
  }

  /** The sum of them has every structure that there is. */
  @Test
  void theFilesHaveEverything() {
    for (String signature : SIGNATURES) {
      assertThat(FILES.stream().mapToInt(file -> file.count(signature)).sum())
          .as(signature)
          .isPositive();
    }
  }

  @SeededTest(seeds = 400)
  void damageIsBounded(Random random) throws IOException {
    int file = random.nextInt(FILES.size());
    byte[] bytes = FILES.get(file).bytes().clone();
    List<Integer> places = PLACES.get(file);
    for (int i = 1 + random.nextInt(6); i > 0; i--) {
      damage(bytes, places, random);
    }
    int length = random.nextInt(20) == 0 ? random.nextInt(bytes.length) : bytes.length;
    assertBounded(new Bytes(Arrays.copyOf(bytes, length)));
  }

  /** Where structures begin. */
  private static List<Integer> places(Bytes bytes) {
    List<Integer> places = new ArrayList<>();
    for (String signature : SIGNATURES) {
      for (int i = bytes.indexOf(signature, 0); i >= 0; i = bytes.indexOf(signature, i + 1)) {
        places.add(i);
      }
    }
    return places;
  }

  private static void damage(byte[] bytes, List<Integer> places, Random random) {
    int near = places.get(random.nextInt(places.size())) + random.nextInt(128);
    int at = random.nextInt(4) == 0 ? random.nextInt(bytes.length) : near;
    at = Math.min(at, bytes.length - Long.BYTES);
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    switch (random.nextInt(7)) {
      case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> bytes[at] = (byte) random.nextInt();
      case 2 -> bytes[at] = -1;
      case 3 -> buffer.putInt(at, random.nextInt());
      case 4 -> buffer.putLong(at, random.nextLong() >>> random.nextInt(64));
      // Another structure, or the same: circles.
      case 5 -> buffer.putLong(at, places.get(random.nextInt(places.size())));
      default -> {
        int from = places.get(random.nextInt(places.size()));
        int length = Math.min(random.nextInt(300), bytes.length - Math.max(from, at));
        System.arraycopy(bytes, from, bytes, at, length);
      }
    }
  }

  private static Hints assertBounded(Bytes bytes) throws IOException {
    Hints hints = new Hints(MOST_STEPS, MOST_STEPS);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    try {
      new Hdf5Locator().locate(bytes, hints);
    } catch (Hints.ExhaustedException e) {
      // What was found until then counts.
    }
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(allocated).isLessThan(1000L * MOST_STEPS + 4 * bytes.size());
    hints.extents().forEach(extent -> check(bytes, extent));
    return hints;
  }

  /** In plain Java, because there are millions of them. */
  private static void check(Bytes bytes, Extent extent) {
    int rank = extent.variable().shape().size();
    if (extent.offset() < 0
        || extent.length() <= 0
        || extent.offset() > bytes.size() - extent.length()
        || extent.start().size() != rank
        || extent.box().size() != rank) {
      throw new AssertionError(extent);
    }
    for (int i = 0; i < rank; i++) {
      if (extent.start().get(i) < 0 || extent.box().get(i) <= 0) {
        throw new AssertionError(extent);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void everyCutIsBounded(int file) throws IOException {
    byte[] bytes = FILES.get(file).bytes();
    for (int length = 0; length < bytes.length; length += Math.max(1, length / 20)) {
      assertBounded(new Bytes(Arrays.copyOf(bytes, length)));
    }
  }

  /**
   * An object is left out, and nothing else: headers of the newer kind have their own signature.
   */
  @Test
  void aBadObjectIsLeftOutAlone() throws IOException {
    Bytes whole = FILES.get(Zoo.V110);
    Set<String> all = names(Zoo.locate(whole));
    int datasets = 0;
    for (int at = whole.indexOf("OHDR", 0); at >= 0; at = whole.indexOf("OHDR", at + 1)) {
      byte[] bytes = whole.bytes().clone();
      bytes[at] = 'X';
      Hints hints = Zoo.locate(new Bytes(bytes));
      Set<String> found = names(hints);
      List<String> missing = all.stream().filter(name -> !found.contains(name)).toList();
      if (missing.size() == 1) {
        datasets++;
        assertThat(hints.notes())
            .extracting(Hints.Note::text)
            .contains(missing.getFirst() + ": is no OHDR");
      }
    }
    assertThat(datasets).isGreaterThan(70);
  }

  private static Set<String> names(Hints hints) {
    return hints.extents().stream().map(e -> e.variable().name()).collect(Collectors.toSet());
  }

  /**
   * A node is looked at once, however many lead to it: not even one file's worth of work is left.
   */
  @Test
  void treesThatLeadToThemselves() throws IOException {
    Bytes whole = FILES.get(Zoo.EARLIEST);
    byte[] bytes = whole.bytes().clone();
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int inner = 0;
    for (int at = whole.indexOf("TREE", 0); at >= 0; at = whole.indexOf("TREE", at + 1)) {
      int keyBytes = bytes[at + 4] == 0 ? 8 : 8 + 8 * 3;
      if (bytes[at + 5] > 0) {
        inner++;
        buffer.putShort(at + 6, (short) 4);
        for (int i = 1; i < 4; i++) {
          buffer.putLong(at + 24 + i * (keyBytes + 8) + keyBytes, at);
        }
      }
    }
    assertThat(inner).isGreaterThan(10);
    assertThat(assertBounded(new Bytes(bytes)).notes())
        .extracting(Hints.Note::text)
        .anyMatch(text -> text.endsWith("a tree has a node that belongs elsewhere"));
  }

  /** Dense trees, in which all children of a node are the same. */
  @Test
  void treesWithOneLeafForAll() throws IOException {
    Bytes whole = FILES.get(Zoo.EARLIEST);
    byte[] bytes = whole.bytes().clone();
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = whole.indexOf("TREE", 0); at >= 0; at = whole.indexOf("TREE", at + 1)) {
      int keyBytes = bytes[at + 4] == 0 ? 8 : 8 + 8 * 3;
      long first = buffer.getLong(at + 24 + keyBytes);
      for (int i = 1; i < buffer.getShort(at + 6) && bytes[at + 5] > 0; i++) {
        buffer.putLong(at + 24 + i * (keyBytes + 8) + keyBytes, first);
      }
    }
    Hints hints = new Hints(5_000, 5_000);
    new Hdf5Locator().locate(new Bytes(bytes), hints);
    assertThat(hints.notes())
        .extracting(Hints.Note::text)
        .anyMatch(text -> text.endsWith("leads to a node for the second time"));
    assertThat(hints.extents()).extracting(Extent::offset).doesNotHaveDuplicates();
  }

  /** The header goes on where it is. */
  @Test
  void headersThatGoOnInACircle() throws IOException {
    Bytes whole = FILES.get(Zoo.V110);
    int more = whole.indexOf("OCHK", 0);
    byte[] bytes = whole.bytes().clone();
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    // Its first message becomes a continuation with the same address.
    bytes[more + 4] = Message.CONTINUATION;
    buffer.putShort(more + 5, (short) 16);
    buffer.putLong(more + 8, more);
    buffer.putLong(more + 16, 100);
    Hints hints = Zoo.locate(new Bytes(bytes));
    assertThat(hints.notes())
        .extracting(Hints.Note::text)
        .anyMatch(text -> text.endsWith(": the header goes on in a circle"));
    assertThat(names(hints)).hasSizeGreaterThan(names(Zoo.locate(whole)).size() - 3);
  }

  /** Eight bytes of each kind of structure, one after the other, become as large as can be. */
  @SeededTest(seeds = 4)
  void absurdNumbersEverywhere(Random random) throws IOException {
    long absurd = List.of(Long.MAX_VALUE, -2L, 1L << 40, 1L << 62).get(random.nextInt(4));
    Bytes whole = FILES.get(random.nextInt(FILES.size()));
    ByteBuffer buffer = ByteBuffer.wrap(whole.bytes().clone()).order(ByteOrder.LITTLE_ENDIAN);
    for (String signature : SIGNATURES) {
      int at = whole.indexOf(signature, random.nextInt((int) whole.size()));
      for (int i = 4; at >= 0 && i < 60 && at + i + 8 <= whole.size(); i++) {
        long before = buffer.getLong(at + i);
        buffer.putLong(at + i, absurd);
        assertBounded(new Bytes(buffer.array()));
        buffer.putLong(at + i, before);
      }
    }
  }

  /** Of three datasets the last one's data is at the end of the file. */
  @Test
  void extentsOutsideOfTheFileAreDropped() throws IOException {
    Zoo zoo = new Zoo(LibHdf5.required(), folder.resolve("cut"), Zoo.EARLIEST);
    for (int i = 0; i < 3; i++) {
      zoo.put("d" + i, zoo.doubles(), 5_000);
    }
    Bytes whole = zoo.close();
    byte[] cut = Arrays.copyOf(whole.bytes(), (int) whole.size() - 1);
    Hints hints = Zoo.locate(new Bytes(cut));
    assertThat(names(hints)).containsExactlyInAnyOrder("/d0", "/d1");
    assertThat(hints.notes())
        .extracting(Hints.Note::text)
        .containsExactly("/d2: has data beyond the end of the file");
    Probe.refusedStrictly(new Bytes(cut), hints);
  }

  @Test
  void limitsOfStepsAndExtentsHold() throws IOException {
    Bytes whole = FILES.get(Zoo.EARLIEST);
    Hints steps = new Hints(100, 1_000);
    assertThat(catchExhausted(whole, steps)).isTrue();
    Hints extents = new Hints(10_000, 5);
    assertThat(catchExhausted(whole, extents)).isTrue();
    assertThat(extents.extents()).hasSize(5);
  }

  /** Else a small file could let the same long name be read again and again. */
  @Test
  void longNamesAreManySteps() throws IOException {
    Zoo zoo = new Zoo(LibHdf5.required(), folder.resolve("names"), Zoo.EARLIEST);
    for (int i = 0; i < 20; i++) {
      zoo.put("n".repeat(3_000) + i, zoo.doubles(), 1);
    }
    Bytes bytes = zoo.close();
    assertThat(Zoo.locate(bytes).extents()).hasSize(20);
    assertThat(catchExhausted(bytes, new Hints(20 * 3_000 / 64, 1_000))).isTrue();
  }

  private static boolean catchExhausted(Bytes bytes, Hints hints) throws IOException {
    try {
      new Hdf5Locator().locate(bytes, hints);
      return false;
    } catch (Hints.ExhaustedException e) {
      return true;
    }
  }

  /** Data is not read, and metadata about once. */
  @Test
  void onlyMetadataIsRead() throws IOException {
    LibHdf5 library = LibHdf5.required();
    Zoo zoo = new Zoo(library, folder.resolve("large"), Zoo.EARLIEST);
    for (int i = 0; i < 20; i++) {
      zoo.put("d" + i, zoo.doubles(), 50_000);
    }
    Bytes bytes = zoo.close();
    long[] read = new long[1];
    new Hdf5Locator()
        .locate(
            new ByteSource() {
              @Override
              public long size() {
                return bytes.size();
              }

              @Override
              public void read(long offset, MemorySegment target) {
                read[0] += target.byteSize();
                bytes.read(offset, target);
              }
            },
            new Hints(10_000, 1_000));
    assertThat(read[0]).isLessThan(bytes.size() / 20);
  }
}
