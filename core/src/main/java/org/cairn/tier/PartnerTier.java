// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.io.IOException;
import java.util.List;
import org.cairn.comm.Communicator;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionId;
import org.cairn.store.Store;

/**
 * Keeps a copy of every rank's container with another rank: the delta that went to the local
 * container is applied to the copy too. Each rank sends its own and receives another's at once.
 */
public final class PartnerTier implements Tier {
  private final Communicator comm;
  private final Store store;
  private final Partners partners;
  private final Copies copies;

  /**
   * The tier of one rank.
   *
   * @param comm for this tier alone; stays the caller's to close
   * @param store where the rank's own container and the copy are
   */
  public PartnerTier(Communicator comm, Store store, Partners partners) {
    this.comm = comm;
    this.store = store;
    this.partners = partners;
    this.copies = new Copies(store, FileNames.partner(partners.ownerAt(comm.rank())));
  }

  @Override
  public TierKind kind() {
    return TierKind.PARTNER;
  }

  @Override
  public long protect(VersionId version) throws IOException {
    int rank = comm.rank();
    try (VersionSender sender =
            new VersionSender(
                comm,
                partners.holderOf(rank),
                () -> ContainerReader.open(store, FileNames.local(rank)),
                version);
        VersionReceiver receiver =
            new VersionReceiver(
                comm, partners.ownerAt(rank), copies::open, copies.isDistrusted())) {
      Transfer.runAll(List.of(sender, receiver));
      return sender.bytesSent();
    }
  }

  @Override
  public void settled(VersionId version) {
    copies.settled(version);
  }

  @Override
  public void damaged(String file) {
    if (file.equals(copies.name())) {
      copies.distrust();
    }
  }

  @Override
  public void close() throws IOException {
    copies.close();
  }
}
