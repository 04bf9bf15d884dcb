// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.cairn.pack.locate.Holes.Hole;
import org.cairn.testkit.random.SeededTest;
import org.cairn.transform.Elements;
import org.junit.jupiter.api.Test;

/** Whatever the hints say, tiles cover a file exactly once. */
class TilingTest {
  private static final Elements DOUBLES = Elements.floats(8, ByteOrder.LITTLE_ENDIAN);
  private static final Tiling.Rules ALL = new Tiling.Rules(0, false);

  /** A file of which only the size matters. */
  private record Sized(String name, long size) implements ByteSource {
    @Override
    public void read(long offset, MemorySegment target) {
      throw new AssertionError("tiling reads nothing");
    }
  }

  private static Extent extent(String name, Elements elements, long offset, long length) {
    Variable variable = new Variable(name, elements, List.of(length / elements.width()));
    return Extent.whole(variable, offset, length);
  }

  private static Hints hints(List<Extent> extents) {
    Hints hints = new Hints(0, Integer.MAX_VALUE);
    extents.forEach(hints::extent);
    return hints;
  }

  private static List<Tile> tiles(long size, Tiling.Rules rules, Extent... extents)
      throws BadHintException {
    List<Tile> tiles = Tiling.of(new Sized("ckpt.h5", size), hints(List.of(extents)), rules);
    Probe.checkExact(tiles, size);
    return tiles;
  }

  // ------------------------------------------------------------ against a model

  /** Offsets and lengths of all kinds, most of them possible. */
  private static Extent anyExtent(Random random, int size, int number) {
    Elements elements =
        random.nextBoolean()
            ? Elements.BYTES
            : Elements.integers(1 + random.nextInt(9), ByteOrder.BIG_ENDIAN);
    long offset = random.nextInt(size + 1);
    long length = random.nextInt(random.nextBoolean() ? 20 : size + 2);
    switch (random.nextInt(12)) {
      case 0 -> offset = hostile(random, size);
      case 1 -> length = hostile(random, size);
      default -> length -= random.nextInt(4) == 0 ? 0 : length % elements.width();
    }
    List<Long> box = List.of(random.nextInt(4) == 0 ? hostile(random, size) : 3L, 2L);
    Variable variable = new Variable("/v" + number, elements, box);
    return new Extent(variable, List.of(0L, 0L), box, offset, length, random.nextInt(5) == 0);
  }

  private static long hostile(Random random, int size) {
    return switch (random.nextInt(6)) {
      case 0 -> -1 - random.nextInt(size + 1);
      case 1 -> Long.MAX_VALUE - random.nextInt(10);
      case 2 -> Long.MIN_VALUE + random.nextInt(10);
      case 3 -> size + random.nextInt(3);
      case 4 -> 0;
      default -> random.nextLong();
    };
  }

  /** Which extent each byte belongs to, or -1: the rules, one byte and one extent at a time. */
  private static int[] model(int size, List<Extent> extents, long threshold) {
    int[] owners = new int[size];
    Arrays.fill(owners, -1);
    List<Integer> left = new ArrayList<>();
    for (int i = 0; i < extents.size(); i++) {
      left.add(i);
    }
    while (!left.isEmpty()) {
      int best = left.getFirst();
      for (int i : left) {
        Extent one = extents.get(i);
        Extent other = extents.get(best);
        if (one.offset() < other.offset()
            || one.offset() == other.offset() && one.length() > other.length()) {
          best = i;
        }
      }
      left.remove(Integer.valueOf(best));
      claim(owners, extents.get(best), best, threshold);
    }
    return owners;
  }

  private static void claim(int[] owners, Extent extent, int number, long threshold) {
    boolean sound =
        extent.offset() >= 0
            && extent.length() > 0
            && extent.length() >= threshold
            && extent.offset() <= owners.length
            && extent.length() <= owners.length
            && extent.offset() + extent.length() <= owners.length
            && (extent.coded() || extent.length() % extent.variable().elements().width() == 0);
    if (!sound) {
      return;
    }
    int start = (int) extent.offset();
    int end = (int) (extent.offset() + extent.length());
    for (int i = start; i < end; i++) {
      if (owners[i] >= 0) {
        return;
      }
    }
    Arrays.fill(owners, start, end, number);
  }

  @SeededTest(seeds = 60)
  void whateverTheHintsSayTilesAreThoseOfTheModel(Random random) throws BadHintException {
    for (int i = 0; i < 20; i++) {
      compareWithModel(random);
    }
  }

  private static void compareWithModel(Random random) throws BadHintException {
    int size = random.nextInt(random.nextInt(8) == 0 ? 2 : 300);
    List<Extent> extents = new ArrayList<>();
    for (int i = random.nextInt(40); i > 0; i--) {
      extents.add(anyExtent(random, size, i));
    }
    long threshold = random.nextBoolean() ? 0 : random.nextInt(30);
    List<Tile> tiles =
        Tiling.of(new Sized("any", size), hints(extents), new Tiling.Rules(threshold, false));
    Probe.checkExact(tiles, size);
    int[] owners = new int[size];
    for (Tile tile : tiles) {
      int owner = tile.extent() == null ? -1 : indexOf(extents, tile.extent());
      Arrays.fill(owners, (int) tile.offset(), (int) tile.end(), owner);
      assertThat(Tile.count(tile.box()) * tile.elements().width()).isEqualTo(tile.length());
    }
    assertThat(owners).isEqualTo(model(size, extents, threshold));
  }

  private static int indexOf(List<Extent> extents, Extent wanted) {
    for (int i = 0; i < extents.size(); i++) {
      if (extents.get(i) == wanted) {
        return i;
      }
    }
    throw new AssertionError("a tile of nothing");
  }

  @SeededTest(seeds = 40)
  void strictlyARefusalIsWhereElseANoteIs(Random random) throws BadHintException {
    int size = 1 + random.nextInt(100);
    List<Extent> extents = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      extents.add(anyExtent(random, size, i));
    }
    Hints hints = hints(extents);
    Sized file = new Sized("any", size);
    Tiling.of(file, hints, ALL);
    if (hints.notes().isEmpty()) {
      Probe.checkExact(Tiling.of(file, hints, new Tiling.Rules(0, true)), size);
    } else {
      assertThatThrownBy(() -> Tiling.of(file, hints, new Tiling.Rules(0, true)))
          .isInstanceOf(BadHintException.class);
    }
  }

  // ------------------------------------------------------------ holes

  @SeededTest(seeds = 40)
  void aroundHolesEachByteIsKeptThatIsInNone(Random random) throws BadHintException {
    int size = 100_000 + random.nextInt(100_000);
    List<Extent> extents = new ArrayList<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      extents.add(anyExtent(random, size, i));
    }
    List<Hole> holes = new ArrayList<>();
    for (long end = random.nextInt(3) * 4096L; end < size; ) {
      long length = Math.min(size - end, 4096L * (1 + random.nextInt(10)));
      holes.add(new Hole(end, length));
      end += length + 1 + random.nextInt(30_000);
    }
    List<Tile> tiles = Tiling.of(new Sized("sparse", size), hints(extents), ALL);
    boolean[] kept = new boolean[size];
    long end = 0;
    for (Tile tile : Tiling.around(tiles, holes)) {
      assertThat(tile.offset()).isGreaterThanOrEqualTo(end);
      end = tile.end();
      Arrays.fill(kept, (int) tile.offset(), (int) end, true);
      int width = tile.elements().width();
      assertThat(tile.length() % width).isZero();
      if (tile.extent() != null) {
        assertThat(tile.skipped() * width).isEqualTo(tile.offset() - tile.extent().offset());
        assertThat(end).isLessThanOrEqualTo(tile.extent().offset() + tile.extent().length());
      }
    }
    boolean[] inHole = new boolean[size];
    holes.forEach(hole -> Arrays.fill(inHole, (int) hole.offset(), (int) hole.end(), true));
    int keptInHoles = 0;
    for (int i = 0; i < size; i++) {
      if (!inHole[i] && !kept[i]) {
        throw new AssertionError("byte %d was lost".formatted(i));
      }
      keptInHoles += inHole[i] && kept[i] ? 1 : 0;
    }
    // At each end of a tile and of a hole, less than the shortest hole.
    assertThat(keptInHoles).isLessThan(4096 * 2 * (tiles.size() + 1) + 16 * holes.size());
  }

  @Test
  void holesAreCutToWholeElements() throws BadHintException {
    List<Tile> tiles = tiles(30_000, ALL, extent("/a", DOUBLES, 100, 20_000));
    assertThat(Tiling.around(tiles, List.of(new Hole(4096, 8192), new Hole(24_576, 5424))))
        .extracting(Tile::offset, Tile::end, Tile::skipped, Tile::isTyped)
        .map(Object::toString)
        .containsExactly(
            "(0L, 100L, 0L, false)",
            "(100L, 4100L, 0L, true)",
            "(12284L, 20100L, 1523L, true)",
            "(20100L, 24576L, 0L, false)");
    assertThat(Tiling.around(tiles, List.of())).isEqualTo(tiles);
    assertThat(Tiling.around(tiles, List.of(new Hole(0, 30_000)))).isEmpty();
  }

  // ------------------------------------------------------------ one by one

  @Test
  void anEmptyFileHasNoTiles() throws BadHintException {
    assertThat(tiles(0, ALL)).isEmpty();
    assertThat(tiles(0, ALL, extent("/a", DOUBLES, 0, 0))).isEmpty();
  }

  @Test
  void whatIsBeforeBetweenAndBehindIsRest() throws BadHintException {
    List<Tile> tiles =
        tiles(1000, ALL, extent("/b", DOUBLES, 500, 80), extent("/a", DOUBLES, 100, 80));
    assertThat(tiles)
        .extracting(Tile::offset, Tile::length, tile -> tile.variable().map(Variable::name))
        .map(Object::toString)
        .containsExactly(
            "(0L, 100L, Optional.empty)",
            "(100L, 80L, Optional[/a])",
            "(180L, 320L, Optional.empty)",
            "(500L, 80L, Optional[/b])",
            "(580L, 420L, Optional.empty)");
    assertThat(tiles.get(1).start()).containsExactly(0L);
    assertThat(tiles.get(1).elements()).isEqualTo(DOUBLES);
    assertThat(tiles.get(0).elements()).isEqualTo(Elements.BYTES);
  }

  @Test
  void shortExtentsJoinTheRestAndDisplaceNothing() throws BadHintException {
    List<Tile> tiles =
        tiles(
            1000,
            new Tiling.Rules(100, true),
            extent("/short", DOUBLES, 96, 96),
            extent("/long", DOUBLES, 104, 104));
    assertThat(tiles)
        .extracting(tile -> tile.variable().map(Variable::name).orElse(""))
        .containsExactly("", "/long", "");
  }

  @Test
  void aBoxThatDoesNotFitLeavesTheTypeAndCodedBytesHaveNone() throws BadHintException {
    Variable variable = new Variable("/a", DOUBLES, List.of(10L, 10L));
    List<Long> zeros = List.of(0L, 0L);
    List<Long> box = List.of(5L, 5L);
    Tile fitting = tiles(200, ALL, new Extent(variable, zeros, box, 0, 200, false)).getFirst();
    Tile longer = tiles(240, ALL, new Extent(variable, zeros, box, 0, 240, false)).getFirst();
    Tile coded = tiles(201, ALL, new Extent(variable, zeros, box, 0, 201, true)).getFirst();
    assertThat(fitting.box()).isEqualTo(box);
    assertThat(longer.isTyped()).isTrue();
    assertThat(longer.box()).containsExactly(30L);
    assertThat(coded.isCoded()).isTrue();
    assertThat(coded.isTyped()).isFalse();
    assertThat(coded.box()).containsExactly(201L);
  }

  @Test
  void refusalsNameFilePlaceAndVariable() {
    Tiling.Rules strict = new Tiling.Rules(100, true);
    assertThatThrownBy(
            () ->
                tiles(
                    10_000,
                    strict,
                    extent("/rho", DOUBLES, 4096, 800),
                    extent("/u", DOUBLES, 4000, 160)))
        .hasMessage("ckpt.h5, offset 4096: /rho has 800 bytes there, but /u has 160 from 4000 on");
    assertThatThrownBy(() -> tiles(1000, strict, extent("/rho", DOUBLES, 960, 48)))
        .hasMessage("ckpt.h5, offset 960: /rho has 48 bytes there, not all within the file's 1000");
    assertThatThrownBy(() -> tiles(1000, strict, extent("/rho", DOUBLES, 96, 101)))
        .hasMessage("ckpt.h5, offset 96: /rho has 101 bytes there, no multiple of its element's 8");
  }

  /**
   * Half a million hints, all of them in each other's way: comparing each with each would take
   * days.
   */
  @Test
  void halfAMillionHintsAreSortedOnce() throws BadHintException {
    int count = 250_000;
    Variable variable = new Variable("/chunks", DOUBLES, List.of((long) count));
    List<Long> zero = List.of(0L);
    Hints hints = new Hints(0, 2 * count);
    for (int i = count; i > 0; i--) {
      long offset = 100L * ((i * 7919L) % count);
      hints.extent(new Extent(variable, zero, zero, offset, 96, false));
      hints.extent(new Extent(variable, zero, zero, offset + 8, 96, false));
    }
    List<Tile> tiles = Tiling.of(new Sized("many", 100L * count), hints, ALL);
    assertThat(tiles).hasSize(2 * count);
    assertThat(hints.notes()).hasSize(100);
    assertThat(hints.notesLeftOut()).isEqualTo(count - 100L);
  }
}
