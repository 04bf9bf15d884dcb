// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

class TurnTest {
  private static final Set<Side> TRIED = EnumSet.noneOf(Side.class);

  enum Side {
    LEFT,
    RIGHT
  }

  @ParameterizedTest
  @Turn(3)
  void oneIsTriedOnEveryDay(Side side) {
    TRIED.add(side);
  }

  @AfterAll
  static void theOneWhoseTurnItIs() {
    assertThat(TRIED)
        .isEqualTo(
            Boolean.getBoolean(Thorough.PROPERTY) ? EnumSet.allOf(Side.class) : Set.of(Side.RIGHT));
  }

  @Test
  void allAreTriedByWhoHasTime() {
    assertThat(TurnProvider.values(Side.values(), 2, false)).containsExactly(Side.LEFT);
    assertThat(TurnProvider.values(Side.values(), 2, true)).containsExactly(Side.values());
  }
}
