// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.List;
import org.cairn.Tiers;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;
import org.cairn.tier.Home;
import org.cairn.tier.Opening;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one tier of a job is opened with. */
final class TierOpening implements Opening {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private final Communicator world;
  private final List<String> domains;
  private final Home home;
  private final Tiers tiers;
  private final Clock clock;
  private final Warning warning;
  private @Nullable Communicator comm;
  private boolean leftOut;

  /** What becomes of a warning. */
  interface Warning {
    void of(String what) throws IOException;
  }

  TierOpening(
      Communicator world,
      List<String> domains,
      Home home,
      Tiers tiers,
      Clock clock,
      Warning warning) {
    this.world = world;
    this.domains = domains;
    this.home = home;
    this.tiers = tiers;
    this.clock = clock;
    this.warning = warning;
  }

  @Override
  public Tiers tiers() {
    return tiers;
  }

  @Override
  public Communicator comm() {
    Communicator made = comm == null ? world.duplicate() : comm;
    comm = made;
    return made;
  }

  @Override
  public Home home() {
    return home;
  }

  @Override
  public Clock clock() {
    return clock;
  }

  @Override
  public List<String> domains() {
    return domains;
  }

  @Override
  public void warn(String what) {
    if (world.rank() == 0) {
      LOG.warn("{}", what);
    }
  }

  @Override
  public void leaveOut() {
    leftOut = true;
  }

  @Override
  public void warnOfDomains(String what) throws IOException {
    warning.of(what);
  }

  /** The tier was not opened after all; whether because there are too few ranks. */
  boolean giveUp() {
    Communicator made = comm;
    comm = null;
    if (made != null) {
      made.close();
    }
    return leftOut;
  }
}
