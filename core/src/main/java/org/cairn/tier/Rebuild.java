// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.container.Container;
import org.cairn.store.Store;
import org.cairn.version.VersionId;

/** The version that is to be brought back, and what a tier needs to do its part. */
public interface Rebuild {
  /** All ranks of the job. */
  Communicator comm();

  /** The version. */
  VersionId version();

  /** What was found. */
  Evidence evidence();

  /** The settings of the job. */
  Tiers tiers();

  /** Where the state of each rank comes from; the same on all ranks. */
  List<Source> sources();

  /** Whether a rank needs nothing: it can go on with a file of its own; the same on all ranks. */
  boolean isInPlace(int owner);

  /** A directory by the name that a {@link Source} gives. */
  Store store(String directory) throws IOException;

  /**
   * The container in this rank's own directory that holds its state by now; empty if there is none
   * yet.
   */
  Optional<String> state();

  /** A fresh container for the state of this rank; another call begins again. */
  Container target() throws IOException;

  /** A source that this rank reads is of no use. */
  void bad(Source source, Throwable why);

  /** A file in this rank's own directory is of no use. */
  void bad(String file, Throwable why);

  /** This rank could not do its part, though nothing was wrong with what it read. */
  void fail(Throwable why);
}
