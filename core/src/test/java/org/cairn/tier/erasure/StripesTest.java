// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StripesTest {
  @ParameterizedTest
  @CsvSource({"2,1", "3,1", "3,2", "4,2", "5,3", "8,2", "16,4"})
  void everyUnitIsInOneStripe(int members, int parity) {
    Stripes stripes = new Stripes(members, parity, 64 << 10);
    for (int member = 0; member < members; member++) {
      Set<Integer> seen = new HashSet<>();
      for (int place = 0; place < stripes.data(); place++) {
        int stripe = stripes.stripeOfData(member, place);
        assertThat(stripes.isParity(member, stripe)).isFalse();
        assertThat(stripes.place(member, stripe)).isEqualTo(place);
        seen.add(stripe);
      }
      for (int place = 0; place < parity; place++) {
        int stripe = stripes.stripeOfParity(member, place);
        assertThat(stripes.isParity(member, stripe)).isTrue();
        assertThat(stripes.place(member, stripe)).isEqualTo(place);
        seen.add(stripe);
      }
      assertThat(seen).hasSize(members);
    }
  }

  @ParameterizedTest
  @CsvSource({"2,1", "3,1", "3,2", "4,2", "5,3", "8,2", "16,4"})
  void theUnitsOfAStripeAreOnDifferentMembers(int members, int parity) {
    Stripes stripes = new Stripes(members, parity, 64 << 10);
    for (int stripe = 0; stripe < members; stripe++) {
      BitSet units = new BitSet();
      for (int member = 0; member < members; member++) {
        units.set(stripes.codeUnit(member, stripe));
      }
      assertThat(units.cardinality()).isEqualTo(members);
      for (int p = 0; p < parity; p++) {
        int holder = stripes.holder(stripe, p);
        assertThat(stripes.codeUnit(holder, stripe)).isEqualTo(stripes.data() + p);
      }
    }
  }

  @Test
  void whatCanBeRebuilt() {
    BitSet all = new BitSet();
    all.set(0, 6);
    for (int bits = 0; bits < 64; bits++) {
      BitSet left = BitSet.valueOf(new long[] {bits});
      boolean can = ParityLayout.canRebuild(6, 2, left, left);
      assertThat(can).as("%s", left).isEqualTo(left.cardinality() >= 4);
      assertThat(ParityLayout.canRebuild(6, 2, all, left)).isTrue();
    }
    // One state and the parity of two others: two units of some stripes are missing, never three.
    assertThat(ParityLayout.canRebuild(6, 2, without(all, 0), without(all, 3))).isTrue();
    assertThat(ParityLayout.canRebuild(6, 2, without(without(all, 0), 1), without(all, 2)))
        .isFalse();
  }

  private static BitSet without(BitSet members, int member) {
    BitSet fewer = (BitSet) members.clone();
    fewer.clear(member);
    return fewer;
  }
}
