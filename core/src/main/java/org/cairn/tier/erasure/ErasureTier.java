// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.cairn.TierKind;
import org.cairn.comm.Communicator;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.Incoming;
import org.cairn.supply.Closing;
import org.cairn.tier.Copies;
import org.cairn.tier.Deltas;
import org.cairn.tier.Home;
import org.cairn.tier.Tier;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps parity over groups of ranks: the containers of any {@code m} ranks of a group can be
 * rebuilt from those of the others, at the price of {@code m / (g − m)} of the state. Only what
 * changed travels: a changed block sends new ⊕ old to the {@code m} ranks that hold its parity.
 *
 * <p>Guarantees, beside those of {@link Tier}:
 *
 * <ol>
 *   <li>Parity is made from verified blocks only, old and new. If an old block or old parity turns
 *       out to be damaged, the parity concerned is encoded anew in the same call.
 *   <li>All members of a group return or throw alike; the message names the rank that failed.
 *   <li>Parity and the maps that go with it stay until all ranks have a newer one. What was made in
 *       attempts that not all members completed is never mixed with what others made.
 * </ol>
 */
public final class ErasureTier implements Tier {
  private static final Logger LOG = LoggerFactory.getLogger(ErasureTier.class);

  /** Each attempt but the last finds something that the next one does without. */
  private static final int ATTEMPTS = 16;

  private final Communicator group;
  private final Home home;
  private final List<Integer> ranks;
  private final int parity;
  private final Copies copies;
  private final ParityFile file;

  /** Versions of the own container, and of parity, that were found to be damaged. */
  private final Set<VersionId> badLocal = ConcurrentHashMap.newKeySet();

  private final Set<VersionId> badParity = ConcurrentHashMap.newKeySet();

  /** Whether the parity was found damaged from outside; nobody knows of which version. */
  private volatile boolean distrusted;

  /**
   * The tier of one rank; collective.
   *
   * @param comm for this tier alone; stays the caller's to close
   * @param home where the rank's own container and its parity are
   */
  public ErasureTier(Communicator comm, Home home, ErasureGroups groups) {
    int number = groups.groupOf(comm.rank());
    this.home = home;
    this.ranks = groups.groups().get(number);
    this.parity = groups.parity();
    this.group = comm.split(number, ranks.indexOf(comm.rank()));
    this.copies = new Copies(home, Ownership.PARITY, comm.rank());
    this.file = new ParityFile(copies, ranks, group.rank());
  }

  private int rank() {
    return ranks.get(group.rank());
  }

  @Override
  public TierKind kind() {
    return TierKind.ERASURE;
  }

  @Override
  public int losses() {
    return parity;
  }

  @Override
  public boolean isInDirectories() {
    return true;
  }

  @Override
  public long protect(VersionId version, Deltas deltas) throws IOException {
    long sent = 0;
    for (int attempt = 1; ; attempt++) {
      Attempt done = attempt(version, deltas);
      sent += done.bytesSent;
      String trouble = done.trouble;
      if (trouble == null) {
        return sent;
      }
      LOG.warn("parity of version {} is made again: {}", version, trouble);
      if (attempt == ATTEMPTS) {
        throw new IOException("parity of version " + version + ": " + trouble);
      }
    }
  }

  private record Attempt(long bytesSent, @Nullable String trouble) {}

  private Attempt attempt(VersionId version, Deltas deltas) throws IOException {
    Council council = new Council(group, ranks, this::distrust);
    try (ContainerReader reader = openTogether(council);
        ParityUpdate update =
            new ParityUpdate(group, ranks, parity, reader, file, version, council)) {
      try {
        update.run(badLocal, badParity, deltas);
        badParity.remove(version);
        distrusted = false;
        return new Attempt(update.bytesSent() + council.bytesSent(), null);
      } catch (Council.BeginAgainException e) {
        return new Attempt(update.bytesSent() + council.bytesSent(), e.getMessage());
      }
    }
  }

  /** Opens what each needs, and goes on only if all could. */
  private ContainerReader openTogether(Council council) throws IOException {
    ContainerReader[] opened = new ContainerReader[1];
    try {
      council.together(
          () -> {
            distrustAll(copies.open());
            opened[0] = home.openState();
            return new byte[0];
          });
      return opened[0];
    } catch (Throwable e) {
      if (opened[0] != null) {
        opened[0].close();
      }
      throw e;
    }
  }

  private void distrustAll(Container container) {
    if (distrusted) {
      container.versions().forEach(info -> badParity.add(info.id()));
    }
  }

  @Override
  public void damaged(String file) {
    if (copies.isIn(file)) {
      distrusted = true;
    }
  }

  @Override
  public Optional<Container> container() {
    return copies.current();
  }

  /** The next update encodes anew what it would otherwise have built on. */
  @Override
  public void rotten() {
    distrusted = true;
  }

  /** Remembers what not to build on. */
  private void distrust(DamagedBaseException damage) {
    (damage.isParity() ? badParity : badLocal).add(damage.version());
  }

  @Override
  public void nowStable(VersionId version) {
    copies.nowStable(version);
    badLocal.removeIf(bad -> bad.compareTo(version) < 0);
    badParity.removeIf(bad -> bad.compareTo(version) < 0);
  }

  /**
   * Rebuilds the states of the ranks that lost theirs; collective. What it reads stays as it is, so
   * that it can be repeated. A source that turns out to be damaged is done without where possible;
   * a rank whose own container does is given a new one too.
   *
   * @param version which version is wanted
   * @param haveState whether the rank's own container is to be used, if it has the version
   * @param haveParity whether its parity is to be used, if it has the version
   * @param target where the rank's state goes if it has to be rebuilt; stays the caller's to close
   * @return whether this rank's state was rebuilt into the target and is durable there
   * @throws IOException if too much is lost; all ranks of the group get it alike
   */
  public boolean rebuild(VersionId version, boolean haveState, boolean haveParity, Target target)
      throws IOException {
    Sources sources =
        new Sources(
            haveState ? () -> ContainerReader.open(home.store(), home.state()) : null,
            haveParity
                ? () -> ContainerReader.open(home.store(), home.file(Ownership.PARITY, rank()))
                : null);
    return rebuild(group, ranks, version, sources, target);
  }

  /**
   * Rebuilds among ranks that need not be those the group was made of: rank {@code i} of {@code
   * group} stands for member {@code i}. See {@link #rebuild(VersionId, boolean, boolean, Target)}.
   */
  public static boolean rebuild(
      Communicator group, VersionId version, Sources sources, Target target) throws IOException {
    List<Integer> names = IntStream.range(0, group.size()).boxed().toList();
    return rebuild(group, names, version, sources, target);
  }

  private static boolean rebuild(
      Communicator group, List<Integer> names, VersionId version, Sources sources, Target target)
      throws IOException {
    return ParityRebuild.run(group, Seats.oneEach(names), version, new OfOne(sources, target))
        .get(group.rank());
  }

  /**
   * What a process has of the members of a group that it stands for, by their number in the group.
   * What it has not is null, or cannot be opened.
   */
  interface Fragments {
    /** Opens the container with a member's state, anew each time. */
    @Nullable ContainerReader state(int member) throws IOException;

    /** Opens its parity container, anew each time. */
    @Nullable ContainerReader parity(int member) throws IOException;

    /** Where its state goes when it is rebuilt; asked once at most. */
    Incoming.Target target(int member) throws IOException;
  }

  /** What a process has that stands for one member. */
  private record OfOne(Sources sources, Target target) implements Fragments {
    @Override
    public @Nullable ContainerReader state(int member) throws IOException {
      Opener opener = sources.state;
      return opener == null ? null : opener.open();
    }

    @Override
    public @Nullable ContainerReader parity(int member) throws IOException {
      Opener opener = sources.parity;
      return opener == null ? null : opener.open();
    }

    @Override
    public Incoming.Target target(int member) throws IOException {
      return Incoming.Target.of(target.open());
    }
  }

  /**
   * What a rank found of one member of a group.
   *
   * @param state the member's own container; null if it is lost
   * @param parity its parity container; null if it is lost
   */
  public record Sources(@Nullable Opener state, @Nullable Opener parity) {}

  /** Opens a container to rebuild from. */
  @FunctionalInterface
  public interface Opener {
    /** Opens it anew each time. */
    ContainerReader open() throws IOException;
  }

  /** Opens the container that a lost state is rebuilt into. */
  @FunctionalInterface
  public interface Target {
    /** Is called at most once, by a rank whose state has to be rebuilt. */
    Container open() throws IOException;
  }

  /** Forgets the parity that this rank keeps: it was found to be damaged. */
  public void discard() throws IOException {
    copies.discard();
  }

  @Override
  public void close() throws IOException {
    new Closing().then(group::close).then(copies::close).end();
  }
}
