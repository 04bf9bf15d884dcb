// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.fab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.MemorySource;
import org.cairn.pack.locate.Probe;
import org.cairn.pack.locate.Variable;
import org.cairn.testkit.random.SeededTest;
import org.cairn.transform.Elements;
import org.junit.jupiter.api.Test;

/** Data of FAB files are where their lines say, and axes are reversed. */
class FabLocatorTest {
  private static final FabLocator LOCATOR = new FabLocator();
  private static final String DOUBLE = "(8, (64 11 52 0 1 12 0 1023))";
  private static final String FLOAT = "(8, (32 8 23 0 1 9 0 127))";
  private static final String LITTLE = "(8, (8 7 6 5 4 3 2 1))";

  /** Boxes one behind the other. */
  private static final class Boxes {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** Adds one; says where its data are. */
    int add(String numbers, String box, int components, int length) {
      String line = "FAB (%s)%s %d\n".formatted(numbers, box, components);
      bytes.writeBytes(line.getBytes(StandardCharsets.US_ASCII));
      int start = bytes.size();
      bytes.writeBytes(new byte[length]);
      return start;
    }

    MemorySource file(String name) {
      return Probe.file(name, bytes.toByteArray());
    }
  }

  private static Extent component(String name, Elements elements, List<Long> shape, long offset) {
    long length = shape.stream().reduce((long) elements.width(), Math::multiplyExact);
    return Extent.whole(new Variable(name, elements, shape), offset, length);
  }

  /** A line as AMReX wrote it, with ghost cells. */
  @Test
  void eachComponentOfABoxIsAVariable() throws IOException {
    Boxes boxes = new Boxes();
    int start =
        boxes.add(DOUBLE + "," + LITTLE, "((-1,-2,-3) (4,5,7) (0,0,0))", 2, 2 * 6 * 8 * 11 * 8);
    Elements doubles = Elements.floats(8, ByteOrder.LITTLE_ENDIAN);
    List<Long> shape = List.of(11L, 8L, 6L);
    assertThat(Probe.located(LOCATOR, boxes.file("Cell_D_00012")))
        .containsExactly(
            component("/Cell/fab=0/component=0", doubles, shape, start),
            component("/Cell/fab=0/component=1", doubles, shape, start + 6 * 8 * 11 * 8));
  }

  @Test
  void boxesMayDifferInShapeSizeAndOrderOfBytes() throws IOException {
    Boxes boxes = new Boxes();
    int first = boxes.add(FLOAT + ",(4, (1 2 3 4))", "((0,0) (9,4) (0,0))", 1, 10 * 5 * 4);
    int second = boxes.add(FLOAT + ",(4, (4 3 2 1))", "((7) (20) (1))", 1, 14 * 4);
    int third =
        boxes.add(DOUBLE + ",(8, (1 2 3 4 5 6 7 8))", "((0,0,0) (0,1,2) (1,1,1))", 1, 6 * 8);
    assertThat(Probe.located(LOCATOR, boxes.file("other")))
        .containsExactly(
            component(
                "/fab=0/component=0",
                Elements.floats(4, ByteOrder.BIG_ENDIAN),
                List.of(5L, 10L),
                first),
            component(
                "/fab=1/component=0",
                Elements.floats(4, ByteOrder.LITTLE_ENDIAN),
                List.of(14L),
                second),
            component(
                "/fab=2/component=0",
                Elements.floats(8, ByteOrder.BIG_ENDIAN),
                List.of(3L, 2L, 1L),
                third));
  }

  @Test
  void numbersOfAnotherKindArePassedOver() throws IOException {
    Boxes boxes = new Boxes();
    boxes.add("(8, (64 15 48 0 1 16 1 16382)),(8, (1 2 3 4 5 6 7 8))", "((0) (9) (0))", 1, 80);
    boxes.add(DOUBLE + ",(8, (2 1 4 3 6 5 8 7))", "((0) (9) (0))", 2, 160);
    int start = boxes.add(DOUBLE + "," + LITTLE, "((0) (9) (0))", 1, 80);
    Hints hints = Probe.hints(LOCATOR, boxes.file("cray"));
    assertThat(hints.extents())
        .containsExactly(
            component(
                "/fab=2/component=0",
                Elements.floats(8, ByteOrder.LITTLE_ENDIAN),
                List.of(10L),
                start));
    assertThat(hints.notes()).hasSize(2);
  }

  @Test
  void whatFollowsThatIsNoBoxIsRest() throws IOException {
    for (String tail :
        List.of(
            "x",
            "FAB ((8, (64 11 52 0 1 12 0 1023)),(8, (8 7 6 5 4 3 2 1)))((0) (9) (0)) 1",
            "FAB ((8, (64 11 52 0 1 12 0 1023)),(8, (8 7 6 5 4 3 2 1)))((9) (0) (0)) 1\n",
            "FAB ((8, (64 11 52 0 1 12 0 1023)),(4, (4 3 2 1)))((0) (9) (0)) 1\n",
            "FAB ((8, (64 11 52 0 1 12 0 1023)),(8, (8 7 6 5 4 3 2 1)))"
                + "((0,0,0) (2147483647,2147483647,2147483647) (0,0,0)) 1\n",
            "FAB ((8, (64 11 52 0 1 12 0 1023)),(8, (8 7 6 5 4 3 2 1)))((0) (9) (0)) 99999999999\n",
            "FAB ((8, (64 11 52 0 1 12 0 1023)),(8, (8 7 6 5 4 3 2 1)))((0,0) (9) (0)) 1\n",
            "FAB ((8, (64 11 52 0 1 12 0 99999999999)),(8, (8)))((0) (9) (0)) 1\n")) {
      Boxes boxes = new Boxes();
      boxes.add(DOUBLE + "," + LITTLE, "((0) (9) (0))", 1, 80);
      boxes.bytes.writeBytes(tail.getBytes(StandardCharsets.US_ASCII));
      Hints hints = Probe.hints(LOCATOR, boxes.file("tail"));
      assertThat(hints.extents()).as(tail).hasSize(1);
      assertThat(hints.notes()).as(tail).hasSize(1);
    }
  }

  @Test
  void componentsThatAreThereCountEvenIfTheFileEndsBeforeTheLast() throws IOException {
    Boxes boxes = new Boxes();
    boxes.add(DOUBLE + "," + LITTLE, "((0) (19) (0))", 1000, 3 * 160 + 50);
    Hints hints = Probe.hints(LOCATOR, boxes.file("cut"));
    assertThat(hints.extents()).hasSize(3);
    assertThat(hints.notes()).hasSize(1);
    Probe.refusedStrictly(boxes.file("cut"), hints);
  }

  @SeededTest(seeds = 40)
  void damageDoesNoHarm(Random random) throws IOException {
    Boxes boxes = new Boxes();
    for (int i = random.nextInt(3); i >= 0; i--) {
      int x = 1 + random.nextInt(9);
      int y = 1 + random.nextInt(9);
      int components = random.nextInt(4);
      String box = "((-1,5) (%d,%d) (0,0))".formatted(x - 2, y + 4);
      boxes.add(DOUBLE + "," + LITTLE, box, components, x * y * components * 8);
    }
    Probe.survivesDamage(LOCATOR, boxes.file("Cell_D_0"), random);
  }
}
