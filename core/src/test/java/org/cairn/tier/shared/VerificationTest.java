// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.junit.jupiter.api.Test;

/** What was verified when, over flushes and interruptions. */
class VerificationTest {
  private static final Instant START = Instant.ofEpochMilli(1_000_000);

  private static Instant later(int pieces) {
    return START.plusMillis(pieces * Verification.PIECE_MILLIS);
  }

  @Test
  void aRoundTakesAsManyPiecesAsThereAreAndNoneComesEarly() {
    Verification verification = Verification.written(START);
    assertThat(verification.isDue(START)).isFalse();
    for (int i = 1; i <= Verification.PIECES; i++) {
      assertThat(verification.oldest()).isEqualTo(START);
      assertThat(verification.isDue(later(i))).isTrue();
      verification = verification.done(later(i));
      assertThat(verification.isDue(later(i))).isFalse();
    }
    assertThat(verification.oldest()).isEqualTo(later(1));
  }

  /** Blocks at the beginning of a piece were verified when it was begun, not when it ended. */
  @Test
  void anInterruptedPieceIsGoneOnWithAndHasTheTimeOfItsBeginning() throws IOException {
    Verification verification = Verification.written(START);
    int piece = verification.next();
    verification = verification.interrupted(500, later(1)).interrupted(900, later(2));
    verification = reread(verification);
    assertThat(verification.cursor()).isEqualTo(900);
    assertThat(verification.isDue(later(2))).isTrue();
    assertThat(verification.next()).isEqualTo(piece);
    verification = verification.done(later(3));
    assertThat(verification.cursor()).isZero();
    for (int i = 1; i < Verification.PIECES; i++) {
      verification = verification.done(later(100));
    }
    assertThat(verification.oldest()).isEqualTo(later(1));
  }

  @Test
  void whereBlocksHaveMovedAPieceIsBegunAgain() {
    Verification verification = Verification.written(START).interrupted(500, later(1)).moved();
    assertThat(verification.cursor()).isZero();
    assertThat(verification.oldest()).isEqualTo(START);
  }

  private static Verification reread(Verification verification) throws IOException {
    RecordWriter out = RecordWriter.onHeap();
    verification.write(out);
    assertThat(out.position()).isEqualTo(532);
    return Verification.read(RecordReader.of(out.toArray(), "test"));
  }
}
