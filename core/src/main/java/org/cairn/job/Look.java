// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;

/** How the ranks see what there is of jobs of their name: each scans, and all are told. */
final class Look {
  private final Communicator comm;
  private final FragmentScan scan;
  private final String name;

  Look(Communicator comm, FragmentScan scan, String name) {
    this.comm = comm;
    this.scan = scan;
    this.name = name;
  }

  /** The first look; collective. */
  AtStart first() {
    byte[] mine = SurveyMessage.write(scan.scan());
    return new AtStart(table(Survey.gather(comm, mine)), mine);
  }

  /**
   * Looks again; collective. Every rank reads its files again: much may have happened since, also
   * by others, who hold no lock of this job. Only where all of them found what they found at the
   * start, what all found is known, and one number is said instead of all that.
   */
  FragmentTable again(Standing since) {
    byte[] mine = SurveyMessage.write(scan.scan());
    boolean news = !(since instanceof AtStart before && before.wasTold(mine));
    boolean anyNews = comm.allReduce(news ? 1 : 0, Reduction.MAX) > 0;
    return table(
        !anyNews && since instanceof AtStart before
            ? before.table().survey()
            : Survey.gather(comm, mine));
  }

  private FragmentTable table(Survey survey) {
    return new FragmentTable(comm.size(), survey, name);
  }
}
