// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How sides are chosen; what ranks do with grids is in the scenarios of communicators. */
class CartesianGridTest {

  /** All ways to write a number as a product of so many factors that do not grow. */
  private static List<int[]> products(int number, int count, int limit) {
    List<int[]> products = new ArrayList<>();
    if (count == 0) {
      return number == 1 ? List.of(new int[0]) : List.of();
    }
    for (int first = 1; first <= Math.min(number, limit); first++) {
      if (number % first == 0) {
        for (int[] rest : products(number / first, count - 1, first)) {
          int[] product = new int[count];
          product[0] = first;
          System.arraycopy(rest, 0, product, 1, rest.length);
          products.add(product);
        }
      }
    }
    return products;
  }

  @Test
  void noOtherSidesAreMoreEqual() {
    for (int ranks = 1; ranks <= 128; ranks++) {
      for (int dimensions = 1; dimensions <= 4; dimensions++) {
        int[] best = products(ranks, dimensions, ranks).stream().min(Arrays::compare).orElseThrow();
        assertThat(CartesianGrid.balanced(ranks, new int[dimensions]))
            .as("%d ranks", ranks)
            .isEqualTo(best);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "12, 0 0, 4 3",
    "7, 0 0, 7 1",
    "24, 0 3 0, 4 3 2",
    "6, 2 3, 2 3",
    "6, 6 0, 6 1",
    "1, 0 0 0, 1 1 1",
    "1000000, 0 0 0, 100 100 100",
    "2147483647, 0 0, 2147483647 1",
  })
  void whatIsGivenStays(int ranks, String sides, String expected) {
    assertThat(CartesianGrid.balanced(ranks, numbers(sides))).isEqualTo(numbers(expected));
  }

  private static int[] numbers(String words) {
    return Arrays.stream(words.strip().split(" ")).mapToInt(Integer::parseInt).toArray();
  }

  @ParameterizedTest
  @CsvSource({"6, 4 0", "6, 2 2", "6, -1 0", "6, 2147483647 2147483647", "6, 3 3"})
  void whatDoesNotFitIsRefused(int ranks, String sides) {
    assertThatThrownBy(() -> CartesianGrid.balanced(ranks, numbers(sides)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("6 ranks do not make a grid of " + sides.strip().replace(" ", " x "));
  }
}
