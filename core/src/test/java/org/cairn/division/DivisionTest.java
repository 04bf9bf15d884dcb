// SPDX-License-Identifier: Apache-2.0
package org.cairn.division;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.cairn.CorruptContainerException;
import org.cairn.ElementType;
import org.cairn.Part;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

/** What ranks say of an array goes together exactly if they have each element once. */
class DivisionTest {

  private static long[] longs(long... numbers) {
    return numbers;
  }

  private static Part rows(long all, long from, long count) {
    return Part.of(longs(all, 3), longs(from, 0), longs(count, 3));
  }

  private static Description says(String name, ElementType type, Division division, long elements) {
    return new Description.Builder().add(name, type, elements, "", division).build();
  }

  private static Description parts(Part... parts) {
    Division.Parts division = new Division.Parts("u", List.of(parts));
    return says("u", ElementType.DOUBLE, division, division.localElements());
  }

  // ---------------------------------------------------------------- arrays

  @SeededTest(seeds = 200)
  void whatFillsAnArrayGoesTogether(Random random) {
    Divisions divisions = new Divisions(random);
    long[] shape = divisions.shape();
    List<Part> bricks = divisions.bricks(shape, 1 + random.nextInt(30));
    assertThat(problem(divisions.among(1 + random.nextInt(8), bricks))).isEmpty();
  }

  /** Compared with counting every element. */
  @SeededTest(seeds = 400)
  void aProblemIsFoundExactlyIfThereIsOne(Random random) {
    Divisions divisions = new Divisions(random);
    long[] shape = divisions.shape();
    List<Part> bricks = new ArrayList<>(divisions.bricks(shape, 2 + random.nextInt(12)));
    for (int change = random.nextInt(3); change >= 0; change--) {
      int which = random.nextInt(bricks.size());
      if (random.nextBoolean()) {
        bricks.set(which, another(shape, random));
      } else {
        bricks.remove(which);
        bricks.add(another(shape, random));
      }
    }
    boolean holes = random.nextInt(4) == 0;
    List<Part> said = bricks.stream().map(part -> holes ? part.holes(0) : part).toList();
    int[] owners = owners(shape, said);
    boolean twice = Arrays.stream(owners).anyMatch(count -> count > 1);
    boolean missing = !holes && Arrays.stream(owners).anyMatch(count -> count == 0);
    Optional<String> problem = problem(divisions.among(3, said));
    assertThat(problem.isPresent()).as("%s", problem).isEqualTo(twice || missing);
    problem.ifPresent(
        text -> {
          if (text.startsWith("no rank has")) {
            assertThat(missing).isTrue();
          } else {
            assertThat(twice).isTrue();
          }
        });
  }

  private static Part another(long[] shape, Random random) {
    long[] offset = new long[shape.length];
    long[] extent = new long[shape.length];
    for (int axis = 0; axis < shape.length; axis++) {
      offset[axis] = random.nextLong(shape[axis] + 1);
      extent[axis] = random.nextLong(shape[axis] - offset[axis] + 1);
    }
    return Part.of(shape, offset, extent);
  }

  private static int[] owners(long[] shape, List<Part> parts) {
    int size = 1;
    for (long extent : shape) {
      size *= (int) extent;
    }
    int[] owners = new int[size];
    for (int at = 0; at < size; at++) {
      for (Part part : parts) {
        owners[at] += contains(part, shape, at) ? 1 : 0;
      }
    }
    return owners;
  }

  private static boolean contains(Part part, long[] shape, int at) {
    int left = at;
    for (int axis = shape.length - 1; axis >= 0; axis--) {
      long place = left % shape[axis] - part.offset().get(axis);
      left /= (int) shape[axis];
      if (place < 0 || place >= part.extent().get(axis)) {
        return false;
      }
    }
    return true;
  }

  private static Optional<String> problem(List<List<Part>> ranks) {
    List<Description> said = new ArrayList<>();
    for (List<Part> parts : ranks) {
      said.add(parts.isEmpty() ? Description.nothing() : parts(parts.toArray(Part[]::new)));
    }
    return Description.problem(said);
  }

  @Test
  void aProblemNamesRanksAndRegion() {
    assertThat(problem(List.of(List.of(rows(10, 0, 6)), List.of(rows(10, 5, 5)))))
        .hasValueSatisfying(
            text ->
                assertThat(text).startsWith("ranks 0 and 1 both have [5:6, 0:3] of array \"u\""));
    assertThat(problem(List.of(List.of(rows(10, 0, 4)), List.of(rows(10, 6, 4)))))
        .hasValueSatisfying(
            text ->
                assertThat(text)
                    .startsWith("no rank has [4:6, 0:3] of array \"u\"")
                    .contains("rank 0 has [0:4, 0:3]", "rank 1 has [6:10, 0:3]", "Part.holes"));
    assertThat(problem(List.of(List.of(rows(10, 0, 4)), List.of(rows(10, 4, 7)))))
        .hasValueSatisfying(
            text ->
                assertThat(text)
                    .startsWith("array \"u\": rank 1 has [4:11, 0:3] of it")
                    .contains("not within its shape [10, 3]"));
    assertThat(problem(List.of(List.of(rows(10, 0, 10), rows(10, 3, 1)))))
        .hasValueSatisfying(text -> assertThat(text).startsWith("rank 0 has [3:4, 0:3]"));
    assertThat(problem(List.of(List.of(rows(10, 0, 5)), List.of(rows(11, 5, 6)))))
        .hasValueSatisfying(
            text -> assertThat(text).contains("[10, 3] on rank 0 and [11, 3] on rank 1"));
    Description floats =
        says("u", ElementType.FLOAT, new Division.Parts("u", List.of(rows(10, 5, 5))), 15);
    assertThat(Description.problem(List.of(parts(rows(10, 0, 5)), floats)))
        .hasValueSatisfying(
            text -> assertThat(text).contains("type double on rank 0 and float on rank 1"));
  }

  @Test
  void manyRanksAreLookedAtInReasonableSteps() {
    int side = 100;
    List<Description> ranks = new ArrayList<>();
    for (int i = 0; i < side * side; i++) {
      ranks.add(
          parts(
              Part.of(
                  longs(side * 10, side * 10),
                  longs(i / side * 10, i % side * 10),
                  longs(10, 10))));
    }
    assertThat(Description.problem(ranks)).isEmpty();
    ranks.set(4321, Description.nothing());
    assertThat(Description.problem(ranks))
        .hasValueSatisfying(text -> assertThat(text).startsWith("no rank has [430:440, 210:220]"));
  }

  // ---------------------------------------------------------------- bags

  private static Description items(String dataset, int width, long elements) {
    return says(dataset, ElementType.DOUBLE, new Division.Bag("particles", width), elements);
  }

  @Test
  void itemsOfABagAreAlikeEverywhere() {
    assertThat(Description.problem(List.of(items("x", 6, 12), items("x", 6, 0)))).isEmpty();
    assertThat(Description.problem(List.of(items("x", 6, 12), items("x", 3, 12))))
        .hasValueSatisfying(
            text -> assertThat(text).contains("6 of type double on rank 0", "3 of type double"));
    assertThat(Description.problem(List.of(items("x", 6, 12), Description.nothing())))
        .hasValueSatisfying(
            text -> assertThat(text).contains("rank 1 has no dataset \"x\"", "empty one"));
  }

  @Test
  void datasetsOfABagHaveEquallyManyItems() {
    Description.Builder said = new Description.Builder();
    said.add("x", ElementType.DOUBLE, 12, "", new Division.Bag("particles", 3));
    assertThatThrownBy(
            () -> said.add("id", ElementType.LONG, 5, "", new Division.Bag("particles", 1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("\"x\" has 4 items and \"id\" 5");
  }

  /** Whoever moves items need not have all ranks look again. */
  @Test
  void anotherNumberOfItemsIsNothingNew() {
    assertThat(items("x", 6, 12)).isEqualTo(items("x", 6, 18));
    assertThat(parts(rows(9, 0, 9))).isNotEqualTo(parts(rows(9, 0, 8)));
  }

  // ---------------------------------------------------------------- bad bricks

  @Test
  void whatIsNoBrickIsRefused() {
    assertThatThrownBy(() -> rows(10, -1, 3))
        .hasMessageContaining("3 elements from -1 on is none of the 10 of axis 0");
    assertThatThrownBy(() -> rows(10, Long.MAX_VALUE, Long.MAX_VALUE))
        .hasMessageContaining("is none of the 10");
    assertThatThrownBy(
            () -> Part.of(longs(1, 1, 1, 1, 1), longs(0, 0, 0, 0, 0), longs(1, 1, 1, 1, 1)))
        .hasMessageContaining("1 to 4 axes");
    assertThatThrownBy(() -> Part.of(longs(5), longs(0, 0), longs(5)))
        .hasMessageContaining("1 axes [5], but 2 numbers");
    assertThatThrownBy(() -> Part.of(longs(1L << 40, 1L << 40), longs(0, 0), longs(1, 1)))
        .hasMessageContaining("more elements than any memory");
    assertThatThrownBy(() -> rows(10, 0, 3).halo(1)).hasMessageContaining("2 axes");
    assertThatThrownBy(() -> rows(10, 0, 3).halo(-1, 0)).hasMessageContaining("ghosts");
    assertThatThrownBy(() -> rows(10, 0, 3).halo(Long.MAX_VALUE, 0))
        .hasMessageContaining("too many ghosts");
    assertThatThrownBy(() -> rows(10, 0, 3).periodic(2)).hasMessageContaining("no axis 2");
    assertThat(Part.of(longs(1L << 33, 2), longs(0, 0), longs(1L << 33, 2)).elements())
        .isEqualTo(1L << 34);
  }

  // ---------------------------------------------------------------- in files

  @SeededTest(seeds = 100)
  void whatIsWrittenIsReadAgain(Random random) throws IOException {
    Division division = anything(random);
    assertThat(Division.read(RecordReader.of(bytes(division), "file"))).contains(division);
  }

  private static Division anything(Random random) {
    if (random.nextInt(4) == 0) {
      return new Division.Bag("Teilchen ä", 1 + random.nextInt(9));
    }
    Divisions divisions = new Divisions(random);
    boolean holes = random.nextBoolean();
    List<Part> parts =
        divisions.bricks(divisions.shape(), 1 + random.nextInt(5)).stream()
            .map(divisions::withGhosts)
            .map(part -> part.periodic(0))
            .map(part -> holes ? part.holes(Double.NaN) : part)
            .toList();
    return new Division.Parts("u", parts);
  }

  private static byte[] bytes(Division division) {
    RecordWriter out = RecordWriter.onHeap();
    division.write(out);
    return out.toArray();
  }

  /** Bytes that were changed are a division, or an error that readers of files expect. */
  @SeededTest(seeds = 400)
  void anyBytesAreReadOrRefused(Random random) {
    byte[] bytes = bytes(anything(random));
    int cut = random.nextInt(3) == 0 ? random.nextInt(bytes.length) : bytes.length;
    byte[] hostile = Arrays.copyOf(bytes, cut);
    for (int i = random.nextInt(3); i > 0 && cut > 0; i--) {
      hostile[random.nextInt(cut)] = (byte) random.nextInt();
    }
    try {
      Division.read(RecordReader.of(hostile, "file")).ifPresent(read -> bytes(read));
    } catch (CorruptContainerException | IllegalArgumentException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  @Test
  void aKindOfALaterReleaseIsNothingThatThisOneKnows() throws IOException {
    byte[] later = RecordWriter.onHeap().putInt(77).putLong(5).toArray();
    assertThat(Division.read(RecordReader.of(later, "file"))).isEmpty();
  }

  @Test
  void anElementIsNamedByItsPlaceInTheArray() {
    long[] shape = {6, 5};
    Part first = Part.of(shape, new long[] {2, 1}, new long[] {2, 3}).halo(1, 0);
    Part last = Part.of(shape, new long[] {5, 0}, new long[] {1, 5}).halo(1, 1).periodic(0);
    Division parts = new Division.Parts("u", List.of(first.periodic(0), last));
    assertThat(parts.whereIs(0, List.of(31L))).isEqualTo("at [1, 1] of array \"u\"");
    assertThat(parts.whereIs(4, List.of(31L))).isEqualTo("at [2, 2] of array \"u\"");
    assertThat(parts.whereIs(12 + 7 + 3, List.of(31L))).isEqualTo("at [5, 2] of array \"u\"");
    assertThat(parts.whereIs(12 + 14 + 3, List.of(31L))).isEqualTo("at [0, 2] of array \"u\"");
    assertThat(Division.alone().whereIs(7, List.of(2L, 5L))).isEqualTo("at [1, 2]");
    assertThat(new Division.Bag("b", 3).whereIs(7, List.of(9L)))
        .isEqualTo("in item 2 of this rank");
  }
}
