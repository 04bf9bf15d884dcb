// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.TierKind;
import org.cairn.comm.Communicator;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.store.Store;
import org.cairn.tier.Deltas;
import org.cairn.tier.Rebuild;
import org.cairn.tier.Roles;
import org.cairn.tier.Source;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/** Brings one version from a file of one rank into a container of another. */
public final class CopyTransfer {
  private CopyTransfer() {}

  /**
   * How it went, as seen by this rank.
   *
   * @param sourceFailure why the version could not be read; on the rank that reads
   * @param targetFailure why it could not be written; on the rank that writes
   */
  public record Outcome(Optional<IOException> sourceFailure, Optional<IOException> targetFailure) {}

  /** Opens a store or a container. */
  public interface Opener<T> {
    /** Opens it. */
    T open() throws IOException;
  }

  /**
   * Copies; called by the two ranks that are concerned, which may be the same.
   *
   * @param from the rank that reads {@code file} in {@code source}
   * @param to the rank that writes into {@code target}
   */
  public static Outcome run(
      Communicator comm,
      int from,
      int to,
      Opener<Store> source,
      String file,
      VersionId version,
      Opener<Container> target) {
    VersionSender sender =
        comm.rank() == from
            ? new VersionSender(
                comm, to, () -> ContainerReader.open(source.open(), file), version, Deltas.UNKNOWN)
            : null;
    VersionReceiver receiver =
        comm.rank() == to ? new VersionReceiver(comm, from, target::open, () -> false) : null;
    try (sender;
        receiver) {
      List<Transfer> transfers = new ArrayList<>();
      addIfPresent(transfers, sender);
      addIfPresent(transfers, receiver);
      Transfer.runAll(transfers);
    } catch (IOException e) {
      // Each side tells its own failure below.
    }
    Optional<IOException> unreadable =
        sender == null ? Optional.empty() : Optional.ofNullable(sender.failure());
    boolean told = receiver != null && receiver.wasToldOfFailure();
    Optional<IOException> unwritable =
        receiver == null || told ? Optional.empty() : Optional.ofNullable(receiver.failure());
    return new Outcome(unreadable, unwritable);
  }

  /**
   * Brings the states back that containers of a kind hold, in an order that all processes keep.
   * Where nobody goes on with a container of its own, a process reads what it can reach where it
   * lies.
   */
  public static void rebuild(Rebuild rebuild, TierKind kind) {
    int me = rebuild.comm().rank();
    List<Roles.Role> members = rebuild.roles().members();
    for (int member = 0; member < members.size(); member++) {
      Roles.Role role = members.get(member);
      boolean mine = role.want().process() == me || role.source().holder() == me;
      if (mine && role.isBroughtBy(kind)) {
        bring(rebuild, member, role);
      }
    }
  }

  private static void bring(Rebuild rebuild, int member, Roles.Role role) {
    boolean here = role.source().holder() == role.want().process();
    if (here && role.want().form() == Roles.Form.READABLE) {
      openInPlace(rebuild, member, role.source());
    } else {
      copy(rebuild, member, role);
    }
  }

  private static void openInPlace(Rebuild rebuild, int member, Source source) {
    try {
      ContainerReader reader =
          ContainerReader.open(rebuild.store(source.directory()), source.file());
      try {
        rebuild.bring(member, reader.view(rebuild.version()), reader::close);
      } catch (IOException | RuntimeException | Error e) {
        reader.close();
        throw e;
      }
    } catch (IOException | IllegalArgumentException e) {
      rebuild.bad(source, e);
    }
  }

  private static void copy(Rebuild rebuild, int member, Roles.Role role) {
    Source source = role.source();
    Outcome outcome =
        run(
            rebuild.comm(),
            source.holder(),
            role.want().process(),
            () -> rebuild.store(source.directory()),
            source.file(),
            rebuild.version(),
            () -> rebuild.target(member));
    outcome.sourceFailure().ifPresent(failure -> rebuild.bad(source, failure));
    outcome.targetFailure().ifPresent(rebuild::fail);
  }

  private static void addIfPresent(List<Transfer> transfers, @Nullable Transfer transfer) {
    if (transfer != null) {
      transfers.add(transfer);
    }
  }
}
