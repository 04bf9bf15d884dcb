// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.io.IOException;
import java.util.List;
import org.cairn.Tiers;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;

/** What a tier is opened with. */
public interface Opening {
  /** The settings of the job. */
  Tiers tiers();

  /** The communicator of this tier alone, made when it is first asked for; the job closes it. */
  Communicator comm();

  /** Where the rank keeps its files. */
  Home home();

  /** What time it is. */
  Clock clock();

  /** The failure domains of all ranks. */
  List<String> domains();

  /** How many ranks there are. */
  default int ranks() {
    return domains().size();
  }

  /** Says, once for all ranks, that the job cannot have what it asked for. */
  void warn(String what);

  /** Leaves the tier out, because so few ranks cannot have it; said once for all such tiers. */
  void leaveOut();

  /**
   * One failure domain could lose what the tier is meant to keep.
   *
   * @throws IOException on all ranks, if the job does not allow that
   */
  void warnOfDomains(String warning) throws IOException;
}
