// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.partner;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.cairn.CorruptContainerException;
import org.cairn.TierKind;
import org.cairn.comm.Communicator;
import org.cairn.container.Container;
import org.cairn.tier.Copies;
import org.cairn.tier.Deltas;
import org.cairn.tier.Home;
import org.cairn.tier.Tier;
import org.cairn.tier.transfer.Transfer;
import org.cairn.tier.transfer.VersionReceiver;
import org.cairn.tier.transfer.VersionSender;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;

/**
 * Keeps a copy of every rank's container with another rank: the delta that went to the local
 * container is applied to the copy too. Each rank sends its own and receives another's at once.
 */
public final class PartnerTier implements Tier {
  private final Communicator comm;
  private final Home home;
  private final Partners partners;
  private final Copies copies;

  /**
   * The tier of one rank.
   *
   * @param comm for this tier alone; stays the caller's to close
   * @param home where the rank's own container and the copy are
   */
  public PartnerTier(Communicator comm, Home home, Partners partners) {
    this.comm = comm;
    this.home = home;
    this.partners = partners;
    this.copies = new Copies(home, Ownership.COPY, partners.ownerAt(comm.rank()));
  }

  @Override
  public TierKind kind() {
    return TierKind.PARTNER;
  }

  @Override
  public boolean isInDirectories() {
    return true;
  }

  @Override
  public long protect(VersionId version, Deltas deltas) throws IOException {
    int rank = comm.rank();
    try (VersionSender sender =
            new VersionSender(comm, partners.holderOf(rank), home::openState, version, deltas);
        VersionReceiver receiver =
            new VersionReceiver(comm, partners.ownerAt(rank), copies::open, copies::isDistrusted)) {
      try {
        Transfer.runAll(List.of(sender, receiver));
      } finally {
        if (receiver.failure() instanceof CorruptContainerException) {
          copies.distrust();
        }
      }
      return sender.bytesSent();
    }
  }

  @Override
  public void nowStable(VersionId version) {
    copies.nowStable(version);
  }

  @Override
  public void damaged(String file) {
    if (copies.isIn(file)) {
      copies.distrust();
    }
  }

  @Override
  public Optional<Container> container() {
    return copies.current();
  }

  /**
   * Bad blocks are asked for with the next offer; where maps are bad nothing is left to compare.
   */
  @Override
  public void rotten() {
    if (copies.current().filter(Container::hasBadRecords).isPresent()) {
      copies.distrust();
    }
  }

  @Override
  public void close() throws IOException {
    copies.close();
  }
}
