// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StateStudyTest {
  private static final List<StudiedHash> HASHES =
      List.of(StudiedHash.parse("xxh3-128"), StudiedHash.parse("rotating-xor-32"));

  @Test
  void countsWhatChangedAndWhatWasMissed() {
    byte[] before = new byte[10_000];
    new Random(4).nextBytes(before);
    byte[] after = before.clone();
    after[9_999] ^= 1; // the last block, which is short
    for (int i = 0; i < 8; i++) { // two equal changes, a whole number of elements apart
      after[512 + i] ^= 1;
      after[512 + 64 + i] ^= 1;
    }
    StateStudy study = new StateStudy(HASHES, List.of(512, 4096));
    study.add(MemorySegment.ofArray(before), MemorySegment.ofArray(after));
    assertThat(study.found())
        .containsExactly(
            new StateStudy.Found(512, 20, 2, List.of(0L, 1L)),
            new StateStudy.Found(4096, 3, 2, List.of(0L, 1L)));
  }

  @Test
  void piecesHoldWholeBlocksAndAddUp() {
    StateStudy study = new StateStudy(HASHES, List.of(24, 512));
    assertThat(study.pieceBytes() % 24 + study.pieceBytes() % 512).isZero();
    byte[] piece = new byte[study.pieceBytes()];
    byte[] changed = piece.clone();
    changed[23] = 1;
    study.add(MemorySegment.ofArray(piece), MemorySegment.ofArray(piece));
    study.add(MemorySegment.ofArray(piece), MemorySegment.ofArray(changed));
    assertThat(study.found().getFirst())
        .isEqualTo(new StateStudy.Found(24, 2L * piece.length / 24, 1, List.of(0L, 0L)));
  }

  @Test
  void refusesSizesWithoutACommonPiece() {
    assertThatThrownBy(() -> new StateStudy(HASHES, List.of(8 * 10_007, 8 * 10_009)))
        .hasMessageContaining("no common multiple up to 64 MiB");
  }

  @Test
  void missedBlocksGrowWithStateAndCheckpoints() {
    Exposure exposure = new Exposure(1e12, 16 << 10, 1000, 0.5);
    assertThat(exposure.decisions()).isEqualTo(61_035_157 * 500.0);
    assertThat(exposure.missed(Math.scalb(1.0, -32))).isCloseTo(7.1, within(0.01));
    assertThat(exposure.chanceOfAny(Math.scalb(1.0, -64))).isCloseTo(1.654e-9, within(1e-12));
    assertThat(exposure.chanceOfAny(1)).isEqualTo(1);
  }
}
