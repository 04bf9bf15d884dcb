// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import org.cairn.comm.Communicator;
import org.cairn.supply.Closing;
import org.cairn.tier.Home;
import org.cairn.tier.TierListener;
import org.cairn.watch.Activity;

/** How a rank that has its place joins the job: with tiers opened, and having looked around. */
final class JobOpening {
  private final Communicator world;
  private final Place place;
  private final JobSetup setup;

  JobOpening(Communicator world, Place place, JobSetup setup) {
    this.world = world;
    this.place = place;
    this.setup = setup;
  }

  /** Joins; collective. If it throws, the place is given back. */
  Job open(TierListener listener, ScrubListener scrubListener) throws IOException {
    Channels channels;
    try {
      channels = Channels.of(world);
    } catch (RuntimeException | Error e) {
      Activity.of(world).left(e);
      place.locks().forEach(lock -> Leaving.leave("a lock", lock::close));
      throw e;
    }
    ThisRank me = thisRank(channels);
    OwnContainer own = new OwnContainer();
    TierOpener opener = new TierOpener(world, me, own, listener, scrubListener);
    try {
      Look look = new Look(channels.control(), scan(channels.control()), setup.name());
      // All directories have their new names before anybody reads them.
      me.ranks().agree(null);
      JobTiers tiers = opener.open();
      Course course = new Course(me, own, tiers, look, look.first());
      return new Job(me, channels, own, tiers, course, listener, scrubListener);
    } catch (IOException | RuntimeException | Error e) {
      Activity.of(world).left(e);
      Closing closing = new Closing();
      opener.giveUp(closing);
      place.locks().forEach(lock -> closing.then(lock::close));
      channels.close(closing, false);
      closing.end();
      throw e;
    }
  }

  private ThisRank thisRank(Channels channels) {
    Ranks ranks = new Ranks(channels.control(), Activity.of(world));
    Home home = new Home(place.store(), world.rank(), world.size(), setup.random());
    return new ThisRank(ranks, place, home, setup);
  }

  /** Gives the directory of this rank its new name. */
  private FragmentScan scan(Communicator control) {
    DirectoryIds ids =
        DirectoryIds.announce(
            control, place.directories(), place.store(), setup.name(), setup.random());
    return new FragmentScan(
        control, place.directories(), place.store(), setup.tiers(), setup.name(), ids);
  }
}
