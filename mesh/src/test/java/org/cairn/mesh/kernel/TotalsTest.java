// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TotalsTest {
  @Test
  void totalsOfNothingAreNeutral() {
    Totals totals = Totals.of(1, 1, 1);
    assertThat(totals.sum(0)).isEqualTo(0.0);
    assertThat(totals.minimum(0)).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(totals.maximum(0)).isEqualTo(Double.NEGATIVE_INFINITY);
  }

  @Test
  void segmentsAreAddedExactlyAndTermsWithinThemAsTheyCome() {
    Totals totals = Totals.of(1, 0, 0);
    totals.add(0, 1e20);
    totals.add(0, 1);
    totals.endSegment();
    totals.add(0, 1);
    totals.endSegment();
    totals.add(0, -1e20);
    totals.endSegment();
    assertThat(totals.sum(0)).isEqualTo(1.0);
  }

  @Test
  void termsInOrderAreAddedAsInOneLoop() {
    Totals totals = Totals.inOrder(1, 0, 0);
    totals.startAt(0, 1);
    totals.add(0, 1e20);
    totals.endSegment();
    totals.add(0, -1e20);
    totals.endSegment();
    assertThat(totals.sum(0)).isEqualTo(0.0);
  }

  @Test
  void mergedTotalsAreThoseOfAll() {
    Totals one = Totals.of(1, 1, 1);
    Totals other = Totals.of(1, 1, 1);
    for (Totals totals : new Totals[] {one, other}) {
      totals.add(0, totals == one ? 1 : 2);
      totals.min(0, totals == one ? 1 : 2);
      totals.max(0, totals == one ? 1 : 2);
      totals.endSegment();
    }
    one.merge(other);
    assertThat(one.sum(0)).isEqualTo(3.0);
    assertThat(one.minimum(0)).isEqualTo(1.0);
    assertThat(one.maximum(0)).isEqualTo(2.0);
    one.clear();
    assertThat(one.sum(0)).isEqualTo(0.0);
    assertThat(one.minimum(0)).isEqualTo(Double.POSITIVE_INFINITY);
  }

  @Test
  void sumsInOrderAreNotMergedAndOthersStartAtZero() {
    Totals inOrder = Totals.inOrder(1, 0, 0);
    Totals exact = Totals.of(1, 0, 0);
    assertThatThrownBy(() -> exact.merge(inOrder)).hasMessage("sums in order cannot be merged");
    assertThatThrownBy(() -> exact.startAt(0, 1)).hasMessage("only sums in order start at a value");
  }
}
