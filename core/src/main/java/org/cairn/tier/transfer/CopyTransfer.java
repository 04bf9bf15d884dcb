// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.cairn.TierKind;
import org.cairn.comm.Communicator;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.store.Store;
import org.cairn.supply.Closing;
import org.cairn.tier.Deltas;
import org.cairn.tier.Rebuild;
import org.cairn.tier.Roles;
import org.cairn.tier.Source;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings one version from a file of one rank into a container of another. */
public final class CopyTransfer {
  private static final Logger LOG = LoggerFactory.getLogger(CopyTransfer.class);

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
    List<Copying> one = new ArrayList<>();
    Supplier<VersionReceiver> receiving =
        () -> new VersionReceiver(comm, from, target::open, () -> false);
    run(one, () -> one.add(new Copying(comm, from, to, source, file, version, receiving)));
    return one.getFirst().outcome();
  }

  /** This rank's part in one copy. */
  private static final class Copying {
    private final @Nullable VersionSender sender;
    private final @Nullable VersionReceiver receiver;

    Copying(
        Communicator comm,
        int from,
        int to,
        Opener<Store> source,
        String file,
        VersionId version,
        Supplier<VersionReceiver> receiving) {
      sender =
          comm.rank() == from
              ? new VersionSender(
                  comm,
                  to,
                  () -> ContainerReader.open(source.open(), file),
                  version,
                  Deltas.UNKNOWN)
              : null;
      receiver = comm.rank() == to ? receiving.get() : null;
    }

    void addTo(List<Transfer> transfers) {
      if (sender != null) {
        transfers.add(sender);
      }
      if (receiver != null) {
        transfers.add(receiver);
      }
    }

    Outcome outcome() {
      Optional<IOException> unreadable =
          sender == null ? Optional.empty() : Optional.ofNullable(sender.failure());
      boolean told = receiver != null && receiver.wasToldOfFailure();
      Optional<IOException> unwritable =
          receiver == null || told ? Optional.empty() : Optional.ofNullable(receiver.failure());
      return new Outcome(unreadable, unwritable);
    }

    void close(Closing closing) {
      if (receiver != null) {
        closing.then(receiver::close);
      }
      if (sender != null) {
        closing.then(sender::close);
      }
    }
  }

  /**
   * Makes copies all at once: what one waits for does not hold up another.
   *
   * @param begin begins them, and puts them into {@code copies}
   */
  private static void run(Collection<Copying> copies, Runnable begin) {
    try {
      begin.run();
      List<Transfer> transfers = new ArrayList<>();
      copies.forEach(copy -> copy.addTo(transfers));
      Transfer.runAll(transfers);
    } catch (IOException e) {
      // Each side tells its own failure.
      LOG.debug("a copy failed", e);
    } finally {
      close(copies);
    }
  }

  private static void close(Collection<Copying> copies) {
    Closing closing = new Closing();
    copies.forEach(copy -> copy.close(closing));
    try {
      closing.end();
    } catch (IOException e) {
      LOG.debug("a file that was read did not close", e);
    }
  }

  // ---------------------------------------------------------------- bringing a version back

  /**
   * Brings the states back that containers of a kind hold. Where nobody goes on with a container of
   * its own, a process reads what it can reach where it lies; the others are copied, all at once
   * but for those between the same two processes, whose messages could not be told apart.
   */
  public static void rebuild(Rebuild rebuild, TierKind kind) {
    int me = rebuild.comm().rank();
    List<Roles.Role> members = rebuild.roles().members();
    Rounds rounds = new Rounds();
    for (int member = 0; member < members.size(); member++) {
      Roles.Role role = members.get(member);
      if (role.isBroughtBy(kind)) {
        if (!isReadInPlace(role)) {
          rounds.add(role, member);
        } else if (role.want().process() == me) {
          openInPlace(rebuild, member, role.source());
        }
      }
    }
    rounds.all.forEach(round -> copy(rebuild, round.members));
  }

  /**
   * Which copies are made together, the same on all processes: two of the same two processes never
   * are, and no process has a hand in more than a few, since each takes memory, a file and a
   * thread.
   */
  private static final class Rounds {
    private static final int MOST = 8;

    private final List<Round> all = new ArrayList<>();

    private static final class Round {
      private final List<Integer> members = new ArrayList<>();
      private final Set<List<Integer>> pairs = new HashSet<>();
      private final Map<Integer, Integer> load = new HashMap<>();

      boolean takes(int from, int to) {
        return load.getOrDefault(from, 0) < MOST
            && load.getOrDefault(to, 0) < MOST
            && pairs.add(List.of(from, to));
      }
    }

    void add(Roles.Role role, int member) {
      int from = role.source().holder();
      int to = role.want().process();
      Round round =
          all.stream()
              .filter(one -> one.takes(from, to))
              .findFirst()
              .orElseGet(
                  () -> {
                    Round next = new Round();
                    next.takes(from, to);
                    all.add(next);
                    return next;
                  });
      round.members.add(member);
      round.load.merge(from, 1, Integer::sum);
      round.load.merge(to, 1, Integer::sum);
    }
  }

  private static boolean isReadInPlace(Roles.Role role) {
    return role.source().holder() == role.want().process()
        && role.want().form() == Roles.Form.READABLE;
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

  /** This process's part in the copies of one round. */
  private static void copy(Rebuild rebuild, List<Integer> round) {
    int me = rebuild.comm().rank();
    Map<Source, Copying> copies = new LinkedHashMap<>();
    run(
        copies.values(),
        () -> {
          for (int member : round) {
            Roles.Role role = rebuild.roles().members().get(member);
            if (role.source().holder() == me || role.want().process() == me) {
              copies.put(role.source(), copying(rebuild, member, role));
            }
          }
        });
    copies.forEach(
        (source, copy) -> {
          copy.outcome().sourceFailure().ifPresent(failure -> tell(rebuild, source, failure));
          copy.outcome().targetFailure().ifPresent(rebuild::fail);
        });
  }

  /** Want of memory says nothing of the file. */
  private static void tell(Rebuild rebuild, Source source, IOException failure) {
    if (failure.getCause() instanceof OutOfMemoryError) {
      rebuild.fail(failure);
    } else {
      rebuild.bad(source, failure);
    }
  }

  private static Copying copying(Rebuild rebuild, int member, Roles.Role role) {
    Source source = role.source();
    return new Copying(
        rebuild.comm(),
        source.holder(),
        role.want().process(),
        () -> rebuild.store(source.directory()),
        source.file(),
        rebuild.version(),
        () ->
            VersionReceiver.fresh(rebuild.comm(), source.holder(), () -> rebuild.incoming(member)));
  }
}
