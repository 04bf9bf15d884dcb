// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.twin;

import java.io.IOException;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.cairn.TierKind;
import org.cairn.comm.Communicator;
import org.cairn.container.Container;
import org.cairn.tier.Copies;
import org.cairn.tier.Deltas;
import org.cairn.tier.Evidence;
import org.cairn.tier.Home;
import org.cairn.tier.Opening;
import org.cairn.tier.Rebuild;
import org.cairn.tier.Source;
import org.cairn.tier.Tier;
import org.cairn.tier.TierType;
import org.cairn.tier.transfer.CopyTransfer;
import org.cairn.version.VersionId;

/**
 * A kind of tier that Cairn does not have: a second container beside each rank's own, which helps
 * against a damaged file. All there is of it is here and in {@code META-INF/services}.
 */
public final class TwinType implements TierType {
  static final TierKind TWIN = new TierKind("twin", 1 << 20);

  /** How the thread of a rank sees offers, which should be the same to all. */
  public static final ThreadLocal<UnaryOperator<Source>> SEEN =
      ThreadLocal.withInitial(UnaryOperator::identity);

  @Override
  public TierKind kind() {
    return TWIN;
  }

  @Override
  public Optional<String> role() {
    return Optional.of(".twin");
  }

  @Override
  public String nothing() {
    return "no twin";
  }

  @Override
  public Optional<Source> offer(Evidence evidence, int owner, VersionId version) {
    return evidence.holding(TWIN, owner, version).stream()
        .map(Source::of)
        .map(SEEN.get())
        .findFirst();
  }

  @Override
  public void rebuild(Rebuild rebuild) {
    CopyTransfer.rebuild(rebuild, TWIN);
  }

  @Override
  public Optional<Tier> open(Opening opening) {
    return opening.tiers().every(TWIN) == 0
        ? Optional.empty()
        : Optional.of(new TwinTier(opening.comm(), opening.home()));
  }

  private static final class TwinTier implements Tier {
    private final Communicator comm;
    private final Home home;
    private final Copies copies;

    TwinTier(Communicator comm, Home home) {
      this.comm = comm;
      this.home = home;
      this.copies = new Copies(home, TWIN.number(), home.rank());
    }

    @Override
    public TierKind kind() {
      return TWIN;
    }

    @Override
    public boolean isInDirectories() {
      return true;
    }

    @Override
    public long protect(VersionId version, Deltas deltas) throws IOException {
      CopyTransfer.Outcome outcome =
          CopyTransfer.run(
              comm, comm.rank(), comm.rank(), home::store, home.state(), version, copies::open);
      Optional<IOException> failure = outcome.sourceFailure().or(outcome::targetFailure);
      if (failure.isPresent()) {
        throw failure.get();
      }
      return 0;
    }

    @Override
    public void nowStable(VersionId version) {
      copies.nowStable(version);
    }

    @Override
    public Optional<Container> container() {
      return copies.current();
    }

    @Override
    public void close() throws IOException {
      copies.close();
    }
  }
}
