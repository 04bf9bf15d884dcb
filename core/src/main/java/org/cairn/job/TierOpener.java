// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.cairn.TierKind;
import org.cairn.comm.Communicator;
import org.cairn.supply.Closing;
import org.cairn.tier.AgreedFailureException;
import org.cairn.tier.Stability;
import org.cairn.tier.Tier;
import org.cairn.tier.TierListener;
import org.cairn.tier.TierType;
import org.cairn.tier.TierTypes;
import org.cairn.tier.TierWorker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the tiers of a job, each with a worker that brings versions there. */
final class TierOpener {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private final Communicator world;
  private final ThisRank me;
  private final OwnContainer own;
  private final Stability stability;
  private final TierListener listener;
  private final ScrubListener scrubListener;
  private final Map<TierKind, TierWorker> opened = new LinkedHashMap<>();

  TierOpener(
      Communicator world,
      ThisRank me,
      OwnContainer own,
      TierListener listener,
      ScrubListener scrubListener) {
    this.world = world;
    this.me = me;
    this.own = own;
    this.stability = new Stability(me.setup().retain());
    this.listener = listener;
    this.scrubListener = scrubListener;
  }

  /** Opens those that the settings name and this number of ranks can have; collective. */
  JobTiers open() throws IOException {
    List<String> domains = IntStream.range(0, world.size()).mapToObj(world::domain).toList();
    List<TierKind> leftOut = new ArrayList<>();
    for (TierType type : TierTypes.all()) {
      TierOpening opening =
          new TierOpening(
              world, domains, me.home(), me.setup().tiers(), me.clock(), this::checkDomains);
      Optional<Tier> tier = type.open(opening);
      if (tier.isPresent()) {
        add(tier.get(), opening.comm());
      } else if (opening.giveUp()) {
        leftOut.add(type.kind());
      }
    }
    if (!leftOut.isEmpty() && me.number() == 0) {
      LOG.warn("{} cannot have these tiers, which are left out: {}", inWords(me.size()), leftOut);
    }
    return new JobTiers(me, stability, opened);
  }

  private static String inWords(int ranks) {
    return ranks == 1 ? "a single rank" : ranks + " ranks";
  }

  private void add(Tier tier, Communicator comm) {
    me.home().wantDeltas();
    opened.put(
        tier.kind(),
        new TierWorker(
            tier, comm, stability, me.clock(), listener, own::delta, () -> tellRot(tier)));
  }

  /** Tells what was found to be bad in the files of a tier while a version was brought there. */
  private void tellRot(Tier tier) {
    Scrubber.Target.in(tier).ifPresent(target -> target.tell(scrubListener));
  }

  private void checkDomains(String warning) throws IOException {
    if (me.setup().tiers().domainsRequired()) {
      throw new AgreedFailureException(
          warning
              + "; what is lost with it would be lost altogether. Place the ranks on more hosts,"
              + " name domains with CAIRN_DOMAIN, or do not require them");
    }
    if (me.number() == 0) {
      LOG.warn("{}: its loss may cost more than the tier can bear", warning);
    }
  }

  /** The job is not opened after all. */
  void giveUp(Closing closing) {
    opened.values().forEach(worker -> closing.then(worker::close));
  }
}
