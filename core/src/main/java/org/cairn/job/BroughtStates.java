// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.container.Container;
import org.cairn.container.Incoming;
import org.cairn.container.Retention;
import org.cairn.container.Spool;
import org.cairn.container.StagedBlocks;
import org.cairn.store.Store;
import org.cairn.tier.FileNames;
import org.cairn.tier.Rebuild;
import org.cairn.tier.Roles;
import org.cairn.tier.Source;
import org.cairn.tier.TierType;
import org.cairn.tier.TierTypes;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;

/**
 * The states that tiers brought to this process, each to be read: containers that were rebuilt
 * under another name, what can be read where it lies, and what came only to be read, which has no
 * name at all. Containers go with it when it is closed, unless they were {@linkplain #release
 * released}: until then every source is as it was.
 */
final class BroughtStates implements AutoCloseable {
  /** For all states that are only read together; the others go through files without names. */
  private static final long MEMORY_BYTES = 8 << 20;

  private final Site site;
  private final Roles roles;
  private final Lineage lineage;
  private final Map<Integer, Container> rebuilt = new HashMap<>();

  /** States may come side by side. */
  private final Map<Integer, Brought> brought = new ConcurrentHashMap<>();

  /** How many bytes of states that are only read may still be kept in memory. */
  private final AtomicLong memory;

  /** Something to read that is not ours. */
  private record Brought(VersionSource source, Closeable held) {}

  private BroughtStates(Site site, Roles roles, Lineage lineage, long memory) {
    this.memory = new AtomicLong(memory);
    this.site = site;
    this.roles = roles;
    this.lineage = lineage;
  }

  /**
   * Lets all tiers bring what the table says, from the nearest to the safest; collective.
   *
   * @param lineage what rebuilt containers will belong to
   * @return empty if something turned out to be damaged, which the table of fragments does without
   *     from now on
   */
  static Optional<BroughtStates> bring(Site site, Roles roles, Lineage lineage) throws IOException {
    return bring(site, roles, lineage, MEMORY_BYTES);
  }

  /**
   * The same.
   *
   * @param memory how many bytes of states that are only read may be kept in memory
   */
  static Optional<BroughtStates> bring(Site site, Roles roles, Lineage lineage, long memory)
      throws IOException {
    BroughtStates states = new BroughtStates(site, roles, lineage, memory);
    boolean all = false;
    try {
      all = states.bringAll();
    } finally {
      if (!all) {
        states.close();
      }
    }
    return all ? Optional.of(states) : Optional.empty();
  }

  private boolean bringAll() throws IOException {
    for (TierType type : TierTypes.all()) {
      // A step that has nothing to do on any process, as all know from the table, takes no message.
      if (roles.isNeeded(type.kind())) {
        RecoveryStep step = new RecoveryStep(site, roles.version());
        type.rebuild(new Rebuilding(step));
        if (!step.succeedsEverywhere()) {
          return false;
        }
      }
    }
    return true;
  }

  /** What a tier needs to do its part. */
  private final class Rebuilding implements Rebuild {
    private final RecoveryStep step;

    Rebuilding(RecoveryStep step) {
      this.step = step;
    }

    @Override
    public Communicator comm() {
      return site.comm();
    }

    @Override
    public Roles roles() {
      return roles;
    }

    @Override
    public Tiers tiers() {
      return site.tiers();
    }

    @Override
    public Store store(String directory) throws IOException {
      return site.store(directory);
    }

    @Override
    public Container target(int member) throws IOException {
      drop(member);
      String name = site.rebuiltName(member);
      Store store = site.home().store();
      // What an earlier start left half made.
      store.delete(name);
      int ranks = roles.version().ranks();
      Ownership owner = new Ownership(lineage, Ownership.STATE, member, ranks);
      Container fresh =
          Container.open(store, name, Retention.newest(1), owner, site.home().random());
      rebuilt.put(member, fresh);
      return fresh;
    }

    @Override
    public Incoming.Target incoming(int member) throws IOException {
      return roles.members().get(member).want().form() == Roles.Form.READABLE
          ? (info, datasets) -> spool(member, info, datasets)
          : Incoming.Target.of(target(member));
    }

    @Override
    public void bring(int member, VersionSource source, Closeable held) {
      brought.put(member, new Brought(source, held));
    }

    @Override
    public void bad(Source source, Throwable why) {
      step.bad(source, why);
    }

    @Override
    public void fail(Throwable why) {
      step.fail(why);
    }
  }

  // ---------------------------------------------------------------- what is only read

  /** Begins to take a state that is only read: small ones are kept in memory. */
  private Incoming spool(int member, VersionInfo info, Collection<DatasetEntry> datasets)
      throws IOException {
    long bytes = datasets.stream().mapToLong(dataset -> dataset.spec().byteLength()).sum();
    if (memory.addAndGet(-bytes) >= 0) {
      return new Spooling(member, Spool.inMemory(info, datasets), bytes);
    }
    memory.addAndGet(bytes);
    Store store = site.home().store();
    return new Spooling(member, Spool.inFile(store, site.spoolName(member), info, datasets), 0);
  }

  /** A state that is only read, on its way. */
  private final class Spooling implements Incoming {
    private final int member;
    private final Spool spool;
    private long inMemory;

    Spooling(int member, Spool spool, long inMemory) {
      this.member = member;
      this.spool = spool;
      this.inMemory = inMemory;
    }

    @Override
    public void store(StagedBlocks staged) throws IOException {
      spool.store(staged);
    }

    @Override
    public void publish() throws IOException {
      spool.publish();
      inMemory = 0;
      Brought before = brought.put(member, new Brought(spool.source(), spool));
      if (before != null) {
        before.held.close();
      }
    }

    @Override
    public void abort() {
      spool.abort();
      memory.addAndGet(inMemory);
      inMemory = 0;
    }
  }

  // ---------------------------------------------------------------- what was brought

  /** The container that the state of a member was rebuilt into; empty if it was not. */
  Optional<Container> rebuilt(int member) {
    return Optional.ofNullable(rebuilt.get(member));
  }

  /** The state of a member that this process wanted, to be read. */
  VersionSource source(int member) throws IOException {
    Container container = rebuilt.get(member);
    if (container != null) {
      return container.view(find(container, roles.version()));
    }
    Brought one = brought.get(member);
    if (one == null) {
      throw new IllegalStateException("nobody brought the state of member " + member);
    }
    return one.source;
  }

  /** The version in a container that should have it. */
  static VersionInfo find(Container container, VersionId version) throws IOException {
    return container.versions().stream()
        .filter(info -> info.id().equals(version))
        .findFirst()
        .orElseThrow(
            () ->
                new IOException(
                    "version %s is not in %s%s"
                        .formatted(
                            version,
                            container.location(),
                            container.problems().isEmpty()
                                ? ""
                                : ": " + String.join("; ", container.problems()))));
  }

  /** Closes the container that was rebuilt for a member, and leaves it to the caller; its name. */
  String release(int member) throws IOException {
    Container container = rebuilt.remove(member);
    if (container == null) {
      throw new IllegalStateException("the state of member " + member + " was not rebuilt");
    }
    container.close();
    return site.rebuiltName(member);
  }

  /** What stays of it in spite of that, the next start finds half made, and deletes. */
  private void drop(int member) {
    Container dropped = rebuilt.remove(member);
    if (dropped != null) {
      Store store = site.home().store();
      String name = site.rebuiltName(member);
      Leaving.leave(dropped.location(), dropped::close);
      Leaving.leave(store.location(name), () -> store.delete(name));
      Leaving.leave(store.location(name), () -> store.delete(FileNames.lockOf(name)));
    }
  }

  @Override
  public void close() {
    List.copyOf(rebuilt.keySet()).forEach(this::drop);
    brought.forEach(
        (member, one) -> Leaving.leave("the state of member " + member, one.held::close));
  }
}
