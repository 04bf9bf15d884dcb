// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteOrder;
import java.util.List;
import org.cairn.pack.locate.PieceNames.Rule;
import org.cairn.transform.Elements;
import org.junit.jupiter.api.Test;

/** Pieces of one class are those of one name, type and number of axes. */
class PieceNamesTest {
  private static final Elements FLOATS = Elements.floats(4, ByteOrder.LITTLE_ENDIAN);

  private static String classOf(String name, Elements elements, Long... shape) {
    return PieceNames.USUAL.classOf(new Variable(name, elements, List.of(shape)));
  }

  @Test
  void aClassHasNameTypeAndAxes() {
    assertThat(classOf("/ToyGrp/T", FLOATS, 3L, 4L)).isEqualTo("ToyGrp/T_F32LE_2D");
    assertThat(classOf("/ToyGrp/T", FLOATS, 30L, 40L)).isEqualTo("ToyGrp/T_F32LE_2D");
    assertThat(classOf("/n", Elements.integers(8, ByteOrder.BIG_ENDIAN))).isEqualTo("n_I64BE_0D");
    assertThat(classOf("/n", Elements.BYTES, 9L)).isEqualTo("n_B8_1D");
    assertThat(classOf("/p", Elements.integers(24, ByteOrder.BIG_ENDIAN), 9L))
        .isEqualTo("p_R192_1D");
  }

  @Test
  void rulesAreAppliedOneAfterTheOther() {
    PieceNames names =
        PieceNames.USUAL.with(
            List.of(
                new Rule("it=\\d+", "it=#"),
                new Rule("(tl|rl)=\\d+", "$1=#"),
                new Rule("it=# tl=#", "any")));
    assertThat(names.classOf(new Variable("/rho it=128 tl=0 rl=3", FLOATS, List.of(1L))))
        .isEqualTo("rho any rl=#_F32LE_1D");
    assertThat(classOf("/Cell/fab=12/component=3", FLOATS, 1L, 1L, 1L))
        .isEqualTo("Cell/fab=#/component=3_F32LE_3D");
  }

  @Test
  void tilesOfTheRestAndCodedOnesHaveClassesOfTheirOwn() {
    Variable variable = new Variable("/T", FLOATS, List.of(10L));
    Extent coded = new Extent(variable, List.of(0L), List.of(10L), 0, 33, true);
    assertThat(PieceNames.USUAL.classOf(Tile.of(coded))).isEqualTo("T_coded");
    assertThat(PieceNames.USUAL.classOf(Tile.rest(0, 5))).isEqualTo("rest");
    assertThat(PieceNames.USUAL.classOf(Tile.of(Extent.whole(variable, 0, 40))))
        .isEqualTo("T_F32LE_1D");
  }

  @Test
  void aRuleThatCannotBeAppliedIsRefusedWhenItIsMade() {
    assertThatThrownBy(() -> new Rule("it=(\\d+", "it=#"))
        .isInstanceOf(java.util.regex.PatternSyntaxException.class);
    assertThatThrownBy(() -> new Rule("it=\\d+", "it=$1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("it=$1");
    assertThatThrownBy(() -> new Rule("it=\\d+", "${rank}"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
