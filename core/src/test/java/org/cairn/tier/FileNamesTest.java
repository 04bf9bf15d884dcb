// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import static org.assertj.core.api.Assertions.assertThat;

import org.cairn.TierKind;
import org.cairn.tier.FileNames.Condition;
import org.cairn.tier.FileNames.Meaning;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What names of files say, the plain ones and the others. */
class FileNamesTest {
  @ParameterizedTest
  @CsvSource({
    "rank0.cairn, LOCAL, 0, '', IN_PLACE",
    "rank123456789.cairn, LOCAL, 123456789, '', IN_PLACE",
    "rank3+plate-7.cairn, LOCAL, 3, plate-7, IN_PLACE",
    "rank3@5f0c91aa.cairn, LOCAL, 3, '', IN_PLACE",
    "rank2.partner.cairn, PARTNER, 2, '', IN_PLACE",
    "rank2.partner+plate-7.cairn, PARTNER, 2, plate-7, IN_PLACE",
    "rank3.cairn.new, LOCAL, 3, '', UNFINISHED",
    "rank3.cairn.damaged12, LOCAL, 3, '', DAMAGED",
    "rank1234567890.cairn, LOCAL, -1, '', IN_PLACE",
    "rank.cairn, LOCAL, -1, '', IN_PLACE",
    "rank0.cairn.x.cairn, LOCAL, -1, '', IN_PLACE",
    "rank٣.cairn, LOCAL, -1, '', IN_PLACE",
    "other.cairn, LOCAL, -1, '', IN_PLACE",
    "other.cairn.new, LOCAL, -1, '', UNFINISHED",
    ".cairn, LOCAL, -1, '', IN_PLACE",
  })
  void containers(String name, String kind, int rank, String job, Condition condition) {
    TierKind expected = kind.equals("PARTNER") ? TierKind.PARTNER : TierKind.LOCAL;
    assertThat(FileNames.meaning(name)).contains(new Meaning(expected, rank, job, condition));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rank3.rebuilt.cairn",
        "rank3.cairn.lock",
        "rank3.lock",
        "events.jsonl",
        "directory.id",
        "rank3.spool",
        "rank0.cairn1",
        "rank0.cairn.newer",
        "rank0.cairn.damaged",
        ""
      })
  void othersAreNoContainers(String name) {
    assertThat(FileNames.meaning(name)).isEmpty();
  }

  @Test
  void directoriesOfRanks() {
    assertThat(FileNames.rankOf("rank0")).hasValue(0);
    assertThat(FileNames.rankOf("rank999999999")).hasValue(999_999_999);
    for (String other :
        new String[] {"rank", "rank1234567890", "rank-1", "rank1x", "Rank1", "", "rank٣"}) {
      assertThat(FileNames.isDirectory(other)).as(other).isFalse();
    }
  }
}
