// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.cairn.Codec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CodecTest {

  /** These numbers are in files: a failure here means that old files can no longer be read. */
  @Test
  void numbersNeverChange() {
    assertThat(Codec.NONE.id()).isEqualTo(0);
    assertThat(Codec.LZ4.id()).isEqualTo(1);
    assertThat(Codec.ZSTD.id()).isEqualTo(2);
    assertThat(Codec.DEFLATE.id()).isEqualTo(3);
  }

  @Test
  void numbersAreDistinctAndFitAByte() {
    assertThat(Codec.values()).extracting(Codec::id).doesNotHaveDuplicates();
    assertThat(Codec.values()).extracting(Codec::id).allMatch(id -> id >= 0 && id < 256);
  }

  @ParameterizedTest
  @EnumSource
  void isFoundByNumberAndLabel(Codec codec) {
    assertThat(Codec.of(codec.id())).isSameAs(codec);
    assertThat(Codec.parse(codec.label())).isSameAs(codec);
    assertThat(Codec.parse(" " + codec.name() + " ")).isSameAs(codec);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 4, 255, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void unknownNumberIsNamedWithTheKnownOnes(int id) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Codec.of(id))
        .withMessageContainingAll("codec number " + id, "0 (none)", "3 (deflate)");
  }

  @Test
  void unknownLabelIsNamedWithTheKnownOnes() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Codec.parse("brotli"))
        .withMessageContainingAll("\"brotli\"", "none, lz4, zstd, deflate");
  }

  /** The machines that run our tests have the libraries in aircompressor's jar. */
  @ParameterizedTest
  @EnumSource
  void isAvailableHere(Codec codec) {
    assertThat(BlockCodecs.unavailable(codec)).isEmpty();
  }
}
