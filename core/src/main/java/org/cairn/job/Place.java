// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import org.cairn.comm.Communicator;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.store.StoreLock;
import org.cairn.tier.Agreement;
import org.cairn.tier.FileNames;
import org.cairn.watch.Activity;

/**
 * Where a rank keeps its files: the first thing that it takes and the last that it gives back.
 *
 * @param directories of all ranks
 * @param store the directory of this one
 * @param lock keeps everybody else out of it, as far as jobs of this name go
 */
record Place(Directories directories, Store store, StoreLock lock) {
  /** Takes the places of all ranks, or none; collective. All ranks must have the same settings. */
  static Place take(Communicator world, Directories directories, JobSetup setup)
      throws IOException {
    Store store = null;
    StoreLock lock = null;
    Throwable mine = null;
    try {
      store = directories.create(FileNames.directory(world.rank()));
      lock = store.lock(FileNames.jobLock(world.rank(), setup.name()));
    } catch (IOException | RuntimeException | Error e) {
      mine = e;
    }
    try {
      Agreement.reach(world, mine);
      if (store == null || lock == null) {
        throw new AssertionError("agreed on nothing");
      }
      Ranks.refuseDifferentSettings(world, setup.inWords());
      return new Place(directories, store, lock);
    } catch (IOException | RuntimeException | Error e) {
      Activity.of(world).left(e);
      if (lock != null) {
        lock.close();
      }
      throw e;
    }
  }
}
