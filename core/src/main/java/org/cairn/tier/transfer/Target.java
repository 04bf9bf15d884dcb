// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.Incoming;
import org.cairn.container.StagedBlocks;
import org.cairn.version.VersionHead;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionMap;

/** Where a version goes that another rank sends, and what is there already. */
interface Target {
  /** The versions that are there, newest first. */
  List<VersionInfo> versions();

  /** Slots whose blocks have been lost. */
  Set<Integer> badSlots();

  /** The map of the newest version. */
  VersionMap newest() throws IOException;

  /**
   * Begins a version.
   *
   * @param base the one that it differs from by what will come; empty if all will come
   */
  Incoming begin(VersionHead head, Optional<VersionId> base) throws IOException;

  /** Somewhere where nothing is. */
  static Target empty(Incoming.Target target) {
    return new Target() {
      @Override
      public List<VersionInfo> versions() {
        return List.of();
      }

      @Override
      public Set<Integer> badSlots() {
        return Set.of();
      }

      @Override
      public VersionMap newest() throws IOException {
        throw new IOException("there is nothing to compare with");
      }

      @Override
      public Incoming begin(VersionHead head, Optional<VersionId> base) throws IOException {
        if (base.isPresent()) {
          throw new IOException("no version " + base.get().exact() + " to continue");
        }
        return target.begin(head.info(), head.datasets());
      }
    };
  }

  /**
   * A container that has versions.
   *
   * @param arena for memory to move blocks with
   */
  record Copies(Container container, Arena arena) implements Target {
    /** More blocks that were lost are asked for next time. */
    private static final int MOST_WANTED = 1 << 20;

    @Override
    public List<VersionInfo> versions() {
      return container.versions();
    }

    @Override
    public Set<Integer> badSlots() {
      Set<Integer> bad = new HashSet<>();
      Arrays.stream(container.badSlots()).limit(MOST_WANTED).forEach(bad::add);
      return bad;
    }

    @Override
    public VersionMap newest() throws IOException {
      return container.view(container.versions().getFirst());
    }

    @Override
    public Incoming begin(VersionHead head, Optional<VersionId> base) throws IOException {
      if (base.isPresent()) {
        container.continueFrom(find(base.get()));
      }
      Commit commit = container.beginCopy(head.info().id(), head.info().takenAt());
      try {
        commit.copy(head.datasets(), head.info());
      } catch (RuntimeException | Error e) {
        // An open commit would be in the way of all others.
        commit.abort();
        throw e;
      }
      return new Copy(commit, arena);
    }

    private VersionInfo find(VersionId base) throws IOException {
      return container.versions().stream()
          .filter(info -> info.id().equals(base))
          .findFirst()
          .orElseThrow(() -> new IOException("no version " + base.exact() + " to continue"));
    }
  }

  /** A version of such a container. */
  record Copy(Commit commit, Arena arena) implements Incoming {
    private static final int MOVE_BYTES = 2 << 20;

    @Override
    public void store(StagedBlocks staged) throws IOException {
      commit.store(staged, 0);
    }

    @Override
    public void publish() throws IOException {
      commit.moveClean(new StagedBlocks(arena.allocate(MOVE_BYTES, 64)));
      commit.publish();
    }

    @Override
    public void abort() {
      commit.abort();
    }
  }
}
