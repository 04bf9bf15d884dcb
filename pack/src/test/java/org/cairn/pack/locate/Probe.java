// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** What tests of locators have in common: files in memory, and what must hold of any of them. */
public final class Probe {
  private static final long MOST_STEPS = 20_000;
  private static final int MOST_EXTENTS = 2_000;

  /** A locator may read its window anew for each object, and a header of a megabyte once. */
  private static final long MOST_BYTES = (1 << 20) + (1 << 13) * 200L;

  private Probe() {}

  /** A file of these bytes. */
  public static MemorySource file(String name, byte[] bytes) {
    return new MemorySource(name, MemorySegment.ofArray(bytes));
  }

  /** What a locator finds in a file that it must recognise, without any note. */
  public static List<Extent> located(Locator locator, ByteSource file) throws IOException {
    Hints hints = hints(locator, file);
    assertThat(hints.notes()).as("notes on %s", file.name()).isEmpty();
    return hints.extents();
  }

  /** What it says, notes included. */
  public static Hints hints(Locator locator, ByteSource file) throws IOException {
    assertThat(locator.recognises(file)).as("%s is %s", file.name(), locator.format()).isTrue();
    Hints hints = new Hints(MOST_STEPS, 1 << 20);
    locator.locate(file, hints);
    return hints;
  }

  /**
   * Shows that a file is refused where its metadata are to be right, as it has not all they say.
   */
  public static void refusedStrictly(ByteSource file, Hints hints) {
    assertThatThrownBy(() -> Tiling.of(file, hints, new Tiling.Rules(Tiling.THRESHOLD, true)))
        .isInstanceOf(BadHintException.class)
        .hasMessageContaining(hints.notes().getFirst().text());
  }

  /**
   * Lets a locator read a file of which every part may be wrong, and shows that this takes a
   * bounded number of steps and of bytes, and that the tiles are exact whatever it says.
   */
  public static void survives(Locator locator, ByteSource file) throws IOException {
    Counting counting = new Counting(file);
    Hints hints = new Hints(MOST_STEPS, MOST_EXTENTS);
    try {
      if (locator.recognises(counting)) {
        locator.locate(counting, hints);
      }
    } catch (Hints.ExhaustedException e) {
      // allowed: the file asks for too much
    }
    assertThat(counting.bytes).as("bytes that were read").isLessThan(MOST_BYTES);
    checkExact(Tiling.of(file, hints, Tiling.Rules.USUAL), file.size());
  }

  /** Cuts a file at any place, and changes it at some, some times. */
  public static void survivesDamage(Locator locator, MemorySource file, Random random)
      throws IOException {
    for (int i = 0; i < 20; i++) {
      survivesOnce(locator, file, random);
    }
  }

  private static void survivesOnce(Locator locator, MemorySource file, Random random)
      throws IOException {
    byte[] bytes = file.bytes().toArray(ValueLayout.JAVA_BYTE);
    byte[] cut = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
    survives(locator, file(file.name(), cut));
    byte[] changed = bytes.clone();
    int header = Math.min(bytes.length, 400);
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      int at = random.nextInt(random.nextBoolean() ? header : bytes.length);
      changed[at] =
          switch (random.nextInt(4)) {
            case 0 -> (byte) -1;
            case 1 -> (byte) (changed[at] ^ 1 << random.nextInt(8));
            case 2 -> (byte) ('0' + random.nextInt(10));
            default -> (byte) random.nextInt(256);
          };
    }
    survives(locator, file(file.name(), changed));
  }

  /** Each byte in one tile, none empty, no two pieces of the rest side by side. */
  public static void checkExact(List<Tile> tiles, long size) {
    long end = 0;
    boolean wasRest = false;
    for (Tile tile : tiles) {
      boolean isSound =
          tile.offset() == end
              && tile.length() > 0
              && tile.length() % tile.elements().width() == 0
              && !(wasRest && tile.isRest());
      if (!isSound) { // an assertion for each of many would take seconds
        throw new AssertionError("at %d: %s".formatted(end, tile));
      }
      wasRest = tile.isRest();
      end = tile.end();
    }
    assertThat(end).isEqualTo(size);
  }

  /** Counts what is read. */
  private static final class Counting implements ByteSource {
    private final ByteSource file;
    private long bytes;

    Counting(ByteSource file) {
      this.file = file;
    }

    @Override
    public String name() {
      return file.name();
    }

    @Override
    public long size() {
      return file.size();
    }

    @Override
    public void read(long offset, MemorySegment target) throws IOException {
      bytes += target.byteSize();
      file.read(offset, target);
    }
  }
}
