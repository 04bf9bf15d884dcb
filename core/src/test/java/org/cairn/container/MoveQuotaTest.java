// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All that one commit writes is 1.3 times what changed and a mebibyte, the map included. */
class MoveQuotaTest {
  private static final long BLOCK = 16 << 10;
  private static final long MIB = 1 << 20;

  private static long moved(MoveQuota quota) {
    long moved = 0;
    while (quota.take(BLOCK)) {
      moved += BLOCK;
    }
    return moved;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 300_000, MIB, 14 * MIB})
  void aMapThatIsDueIsPartOfWhatMayBeWrittenBesides(long map) {
    long changed = 250 * MIB;
    MoveQuota quota = new MoveQuota.History().next(true, map);
    quota.changed(changed);
    assertThat(changed + moved(quota) + map)
        .isBetween(changed * 125 / 100, changed * 130 / 100 + MIB);
  }

  @Test
  void whereLittleChangedNothingIsMovedBesidesALargeMap() {
    MoveQuota quota = new MoveQuota.History().next(true, 14 * MIB);
    quota.changed(MIB);
    assertThat(quota.isOpen()).isFalse();
    assertThat(moved(quota)).isZero();
  }
}
