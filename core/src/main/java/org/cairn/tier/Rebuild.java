// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.io.Closeable;
import java.io.IOException;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.container.Container;
import org.cairn.container.Incoming;
import org.cairn.store.Store;
import org.cairn.version.VersionId;
import org.cairn.version.VersionSource;

/**
 * The version that is to be brought back, and what a tier needs to do its part. What comes out is,
 * for each member whose state a process wants, something to read it from: what the tier filled
 * ({@link #incoming}), or what it has anyway ({@link #bring}). A container is made only where a run
 * goes on with it.
 *
 * <p>It may be given up at any message: whoever began it drops what it made so far, and may begin
 * anew with other processes and another table.
 */
public interface Rebuild {
  /** All processes that take part. */
  Communicator comm();

  /** Who does what; the same on all processes. */
  Roles roles();

  /** The settings of the job. */
  Tiers tiers();

  /** A directory by the name that a {@link Source} gives. */
  Store store(String directory) throws IOException;

  /**
   * A fresh container for the state of a member that this process wants; another call begins again.
   * Who asks does not close it.
   */
  Container target(int member) throws IOException;

  /**
   * Where the state of a member goes that this process wants: a container of its own, or only what
   * is needed to read it. Each version that is begun there takes the place of one before.
   */
  Incoming.Target incoming(int member) throws IOException;

  /**
   * The state of a member that this process wants to {@linkplain Roles.Form#READABLE read} can be
   * read from here.
   *
   * @param held is closed when nobody reads any more
   */
  void bring(int member, VersionSource source, Closeable held);

  /** A source that this process reads is of no use. */
  void bad(Source source, Throwable why);

  /** This process could not do its part, though nothing was wrong with what it read. */
  void fail(Throwable why);

  /** The version. */
  default VersionId version() {
    return roles().version();
  }
}
