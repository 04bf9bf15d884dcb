// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.cairn.pack.locate.Holes.Hole;

/**
 * Makes of hints what a file is stored by: tiles that cover it exactly once, in its order.
 *
 * <p>Guarantees, whatever the hints say:
 *
 * <ol>
 *   <li>Each byte of the file lies in exactly one tile; no tile is empty.
 *   <li>Two pieces of the rest never lie side by side.
 *   <li>A {@linkplain Tile#isTyped typed} tile has a whole number of elements.
 *   <li>Equal hints in equal order give equal tiles.
 * </ol>
 *
 * <p>These hints are dropped, each with a note, or refused if they are to be taken strictly:
 *
 * <ul>
 *   <li>those that are not all within the file, also where the locator itself left them out;
 *   <li>those whose length is no multiple of their element, unless they are coded. If it is one,
 *       but not of as many elements as the box has, the type counts and the box does not;
 *   <li>of two that overlap, the one that begins later; if both begin at the same place, the
 *       shorter; of equals, what was found later. What was dropped displaces nothing.
 * </ul>
 *
 * <p>Hints below the threshold join the rest before any is compared with another, without a note.
 * The work is that of sorting the hints.
 */
public final class Tiling {
  /** Below this a variable is not worth a piece of its own (mcrEngine). */
  public static final long THRESHOLD = 100;

  private static final Comparator<Extent> IN_FILE =
      Comparator.comparingLong(Extent::offset)
          .thenComparing(Comparator.comparingLong(Extent::length).reversed());

  private final ByteSource file;
  private final Hints hints;
  private final Rules rules;

  /**
   * What counts as a hint.
   *
   * @param threshold shorter ones join the rest
   * @param strict whether a hint that would be dropped refuses the file
   */
  public record Rules(long threshold, boolean strict) {
    /** As the paper has it; bad hints are dropped. */
    public static final Rules USUAL = new Rules(THRESHOLD, false);

    /** Refuses a threshold that is none. */
    public Rules {
      if (threshold < 0) {
        throw new IllegalArgumentException("a threshold of %d bytes".formatted(threshold));
      }
    }
  }

  private Tiling(ByteSource file, Hints hints, Rules rules) {
    this.file = file;
    this.hints = hints;
    this.rules = rules;
  }

  /**
   * The tiles of a file. Notes on hints that were dropped are added to the hints.
   *
   * @throws BadHintException if one would have been dropped and the rules are strict
   */
  public static List<Tile> of(ByteSource file, Hints hints, Rules rules) throws BadHintException {
    if (rules.strict && hints.outside().isPresent()) {
      Hints.Note outside = hints.outside().get();
      throw new BadHintException(file.name(), outside.offset(), outside.text());
    }
    Tiling tiling = new Tiling(file, hints, rules);
    return tiling.sweep(tiling.sound());
  }

  /**
   * What of tiles is not in holes; between what is left there are zeros only. Holes are cut to
   * whole elements, and those that are short then are kept as bytes.
   *
   * @param tiles those of a file
   * @param holes those of the file, in its order, apart from each other
   */
  public static List<Tile> around(List<Tile> tiles, List<Hole> holes) {
    List<Tile> left = new ArrayList<>();
    int first = 0;
    for (Tile tile : tiles) {
      while (first < holes.size() && holes.get(first).end() <= tile.offset()) {
        first++; // tiles are in the file's order, too: it touches none of the later ones
      }
      addAround(left, tile, holes, first);
    }
    return left;
  }

  private static void addAround(List<Tile> left, Tile tile, List<Hole> holes, int first) {
    long start = tile.offset();
    for (int i = first; i < holes.size() && holes.get(i).offset() < tile.end(); i++) {
      Hole hole = within(tile, holes.get(i));
      if (hole.length() >= Math.min(Holes.SHORTEST, tile.length())) {
        addPart(left, tile, start, hole.offset());
        start = hole.end();
      }
    }
    addPart(left, tile, start, tile.end());
  }

  /** What whole elements of a tile are in a hole; perhaps none. */
  private static Hole within(Tile tile, Hole hole) {
    int width = tile.elements().width();
    long before = Math.max(0, hole.offset() - tile.offset());
    long until = Math.min(tile.length(), hole.end() - tile.offset());
    long start = (before + width - 1) / width * width;
    return new Hole(tile.offset() + start, Math.max(0, until / width * width - start));
  }

  private static void addPart(List<Tile> left, Tile tile, long start, long end) {
    if (start < end) {
      left.add(tile.part(start, end));
    }
  }

  /** Hints that may stand alone, in the order of the file; the sort keeps equals as they were. */
  private List<Extent> sound() throws BadHintException {
    List<Extent> sound = new ArrayList<>();
    for (Extent extent : hints.extents()) {
      if (isInside(extent) && isWhole(extent) && extent.length() >= threshold()) {
        sound.add(extent);
      }
    }
    sound.sort(IN_FILE);
    return sound;
  }

  /** An empty extent is never a tile. */
  private long threshold() {
    return Math.max(1, rules.threshold());
  }

  private boolean isInside(Extent extent) throws BadHintException {
    boolean isInside =
        extent.offset() >= 0
            && extent.length() >= 0
            && extent.offset() <= file.size() - extent.length();
    if (!isInside) {
      drop(
          extent,
          () ->
              "%s has %d bytes there, not all within the file's %d"
                  .formatted(extent.variable().name(), extent.length(), file.size()));
    }
    return isInside;
  }

  private boolean isWhole(Extent extent) throws BadHintException {
    int width = extent.variable().elements().width();
    boolean isWhole = extent.coded() || extent.length() % width == 0;
    if (!isWhole) {
      drop(
          extent,
          () ->
              "%s has %d bytes there, no multiple of its element's %d"
                  .formatted(extent.variable().name(), extent.length(), width));
    }
    return isWhole;
  }

  private List<Tile> sweep(List<Extent> sorted) throws BadHintException {
    List<Tile> tiles = new ArrayList<>();
    Tile last = Tile.rest(0, 0); // ends where the file begins
    for (Extent extent : sorted) {
      if (extent.offset() < last.end()) {
        Tile kept = last;
        drop(extent, () -> overlap(extent, kept));
      } else {
        addRest(tiles, last.end(), extent.offset());
        last = Tile.of(extent);
        tiles.add(last);
      }
    }
    addRest(tiles, last.end(), file.size());
    return tiles;
  }

  private static void addRest(List<Tile> tiles, long start, long end) {
    if (start < end) {
      tiles.add(Tile.rest(start, end));
    }
  }

  private static String overlap(Extent extent, Tile kept) {
    return "%s has %d bytes there, but %s has %d from %d on"
        .formatted(
            extent.variable().name(),
            extent.length(),
            kept.variable().map(Variable::name).orElse("the rest"),
            kept.length(),
            kept.offset());
  }

  private void drop(Extent extent, Supplier<String> why) throws BadHintException {
    if (rules.strict()) {
      throw new BadHintException(file.name(), extent.offset(), why.get());
    }
    hints.note(extent.offset(), why);
  }
}
