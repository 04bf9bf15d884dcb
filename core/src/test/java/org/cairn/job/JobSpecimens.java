// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.time.Instant;
import java.util.List;
import org.cairn.TierKind;
import org.cairn.record.Digest;
import org.cairn.record.Specimen;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.version.VersionId;

/** What ranks tell each other to agree. */
public final class JobSpecimens {
  private static final VersionId VERSION = TestRun.id(1, 2, 3);

  private JobSpecimens() {}

  /** One of each kind. */
  public static List<Specimen> all() {
    FragmentTable.Bad bad = new FragmentTable.Bad(1, "rank1", "rank1.cairn", VERSION, "a hole");
    return List.of(
        Specimen.message(
            "found",
            SurveyMessage.write(List.of(new Found(1, parity()), new Found(0, foreign()))),
            SurveyMessage::read),
        Specimen.of("bad", Specimen.write(bad::write), FragmentTable.Bad::read));
  }

  private static Fragment parity() {
    return new Fragment(
        TierKind.ERASURE,
        1,
        "rank1",
        "rank1.parity.cairn",
        List.of(new Fragment.Held(VERSION, Instant.EPOCH, 3, 4)),
        new Fragment.Group(List.of(0, 1, 2), 1, "stamp"),
        7,
        TestRun.lineage(3),
        Fragment.State.USED,
        "");
  }

  private static Fragment foreign() {
    return Fragment.foreign(TierKind.LOCAL, 2, "rank2", "rank2.cairn", "newer", new Digest(5, 6));
  }
}
