// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.util.Collection;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionInfo;

/**
 * A version that comes from elsewhere, in the making: its blocks in whatever order, then its end.
 * Exactly one of {@link #publish} and {@link #abort} ends it. One thread at a time.
 */
public interface Incoming {
  /** Where such versions go. */
  @FunctionalInterface
  interface Target {
    /**
     * Begins a version.
     *
     * @param info what it is where it comes from
     * @param datasets what it consists of, in the slots that they have there
     */
    Incoming begin(VersionInfo info, Collection<DatasetEntry> datasets) throws IOException;

    /** A container, in which it will be beside, or instead of, what is there. */
    static Target of(Container container) {
      return (info, datasets) -> {
        Commit commit = container.begin(info.id(), info.takenAt());
        try {
          commit.copy(datasets, info);
        } catch (RuntimeException | Error e) {
          // An open commit would be in the way of all others.
          commit.abort();
          throw e;
        }
        return of(commit);
      };
    }

    private static Incoming of(Commit commit) {
      return new Incoming() {
        @Override
        public void store(StagedBlocks staged) throws IOException {
          commit.store(staged, 0);
        }

        @Override
        public void publish() throws IOException {
          commit.publish();
        }

        @Override
        public void abort() {
          commit.abort();
        }
      };
    }
  }

  /** Takes blocks. */
  void store(StagedBlocks staged) throws IOException;

  /** All blocks have come: from now on it can be read, if it is what it was told to be. */
  void publish() throws IOException;

  /** Leaves nothing of it, unless it was published. */
  void abort();
}
