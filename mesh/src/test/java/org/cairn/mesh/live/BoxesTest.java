// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

final class BoxesTest {
  private static final Box WHOLE = Box.of(-3, 9, -2, 8, 0, 6);

  private enum Axes {
    ONE,
    TWO,
    THREE;

    Box box(Random random) {
      int[] i = run(random, WHOLE.i0(), WHOLE.i1());
      int[] j = this == ONE ? new int[] {0, 1} : run(random, WHOLE.j0(), WHOLE.j1());
      int[] l = this == THREE ? run(random, WHOLE.l0(), WHOLE.l1()) : new int[] {0, 1};
      return new Box(i[0], i[1], j[0], j[1], l[0], l[1]);
    }

    private static int[] run(Random random, int from, int to) {
      int begin = random.nextInt(from, to);
      return new int[] {begin, Math.min(to, begin + random.nextInt(5))};
    }
  }

  @SeededTest(seeds = 40)
  void operationsDoWhatTheyDoToSinglePoints(Axes axes, Random random) {
    Boxes boxes = Boxes.NONE;
    Points model = new Points(WHOLE);
    for (int step = 0; step < 60; step++) {
      Boxes other = some(axes, random);
      Points otherModel = Points.of(WHOLE, other);
      assertThat(boxes.meets(other)).isEqualTo(model.bits.intersects(otherModel.bits));
      assertThat(boxes.covers(other)).isEqualTo(boxes.plus(other).equals(boxes));
      switch (random.nextInt(8)) {
        case 0 -> {
          boxes = boxes.intersect(other);
          model.bits.and(otherModel.bits);
        }
        case 1, 2, 3 -> {
          boxes = boxes.minus(other);
          model.bits.andNot(otherModel.bits);
        }
        default -> {
          boxes = boxes.plus(other);
          model.bits.or(otherModel.bits);
        }
      }
      assertThat(Points.of(WHOLE, boxes)).isEqualTo(model);
      assertThat(boxes.points()).as("disjoint").isEqualTo(model.bits.cardinality());
      assertThat(boxes.isEmpty()).isEqualTo(model.bits.isEmpty());
      Box box = axes.box(random);
      assertThat(boxes.covers(box)).isEqualTo(Boxes.of(box).minus(boxes).isEmpty());
    }
  }

  private static Boxes some(Axes axes, Random random) {
    Boxes some = Boxes.of(axes.box(random));
    return random.nextBoolean() ? some : some.plus(axes.box(random)).plus(axes.box(random));
  }

  @SeededTest(seeds = 40)
  void theSamePointsAreTheSameBoxesHoweverTheyCameAbout(Axes axes, Random random) {
    List<Box> boxes = new ArrayList<>();
    for (int n = random.nextInt(12); n >= 0; n--) {
      boxes.add(axes.box(random));
    }
    Boxes oneWay = Boxes.of(boxes);
    List<Box> singles = new ArrayList<>();
    for (Box box : oneWay.list()) {
      Points.forEach(WHOLE, box, index -> singles.add(single(index)));
    }
    Collections.shuffle(singles, random);
    Collections.shuffle(boxes, random);
    assertThat(Boxes.of(boxes)).isEqualTo(oneWay).hasSameHashCodeAs(oneWay);
    assertThat(Boxes.of(singles)).isEqualTo(oneWay);
    assertThat(Boxes.of(WHOLE).minus(Boxes.of(WHOLE).minus(oneWay))).isEqualTo(oneWay);
  }

  private static Box single(int index) {
    int width = WHOLE.i1() - WHOLE.i0();
    int height = WHOLE.j1() - WHOLE.j0();
    int i = WHOLE.i0() + index % width;
    int j = WHOLE.j0() + index / width % height;
    int l = WHOLE.l0() + index / width / height;
    return Box.of(i, i + 1, j, j + 1, l, l + 1);
  }

  @Test
  void aBoxWithinABoxLeavesAShellOfAsFewBoxesAsThereCanBe() {
    assertThat(Boxes.of(Box.of(0, 9)).minus(Box.of(2, 7)).list())
        .containsExactly(Box.of(0, 2), Box.of(7, 9));
    assertThat(Boxes.of(Box.of(0, 9, 0, 9)).minus(Box.of(2, 7, 2, 7)).list())
        .containsExactly(
            Box.of(0, 9, 0, 2), Box.of(0, 2, 2, 7), Box.of(7, 9, 2, 7), Box.of(0, 9, 7, 9));
    assertThat(Boxes.of(Box.of(0, 9, 0, 9, 0, 9)).minus(Box.of(2, 7, 2, 7, 2, 7)).size())
        .isEqualTo(6);
  }

  @Test
  void emptyBoxesAreNothing() {
    assertThat(Box.of(3, 3, 0, 5)).isEqualTo(Box.EMPTY);
    assertThat(Box.of(5, 2)).isEqualTo(Box.EMPTY);
    assertThat(Boxes.of(Box.of(5, 2))).isEqualTo(Boxes.NONE);
    assertThat(Boxes.of(Box.of(1, 2)).plus(Box.EMPTY).minus(Box.EMPTY).list())
        .containsExactly(Box.of(1, 2));
    assertThat(Boxes.NONE.covers(Box.EMPTY)).isTrue();
    assertThat(Box.EMPTY.around(Box.of(1, 2))).isEqualTo(Box.of(1, 2));
    Box aroundZero = Box.of(-1, 2, -1, 2, -1, 2);
    assertThat(aroundZero.meets(Box.EMPTY)).isFalse();
    assertThat(Box.EMPTY.meets(aroundZero)).isFalse();
  }

  @Test
  void cutsMayLieAtTheEndsOfTheIntegers() {
    Boxes all = Boxes.of(Box.of(Integer.MIN_VALUE, Integer.MAX_VALUE));
    assertThat(all.minus(Box.of(0, 1)).list())
        .containsExactly(Box.of(Integer.MIN_VALUE, 0), Box.of(1, Integer.MAX_VALUE));
    assertThat(all.minus(Box.of(0, 1)).points()).isEqualTo((1L << 32) - 2);
  }

  @Test
  void tooManyBoxesGrowToTheBoxAroundThemOrShrinkToTheLargest() {
    List<Box> many = new ArrayList<>();
    for (int n = 0; n <= Boxes.BOUND; n++) {
      many.add(Box.of(10 * n, 10 * n + (n == 7 ? 1 : 2)));
    }
    Boxes set = Boxes.of(many);
    assertThat(set.grownToBound()).isEqualTo(Boxes.of(Box.of(0, 10 * Boxes.BOUND + 2)));
    assertThat(set.shrunkToBound()).isEqualTo(set.minus(Box.of(70, 71)));
    Boxes within = set.minus(Box.of(0, 2));
    assertThat(within.grownToBound()).isSameAs(within);
    assertThat(within.shrunkToBound()).isSameAs(within);
  }
}
