// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.container.Container;
import org.cairn.container.Retention;
import org.cairn.store.Store;
import org.cairn.tier.FileNames;
import org.cairn.tier.Rebuild;
import org.cairn.tier.Roles;
import org.cairn.tier.Source;
import org.cairn.tier.TierType;
import org.cairn.tier.TierTypes;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;

/**
 * The states that tiers brought to this process, each to be read: containers that were rebuilt
 * under another name, and what can be read where it lies. Containers go with it when it is closed,
 * unless they were {@linkplain #release released}: until then every source is as it was.
 */
final class BroughtStates implements AutoCloseable {
  private final Site site;
  private final Roles roles;
  private final Lineage lineage;
  private final Map<Integer, Container> rebuilt = new HashMap<>();
  private final Map<Integer, Brought> brought = new HashMap<>();

  /** Something to read that is not ours. */
  private record Brought(VersionSource source, Closeable held) {}

  private BroughtStates(Site site, Roles roles, Lineage lineage) {
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
    BroughtStates states = new BroughtStates(site, roles, lineage);
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
