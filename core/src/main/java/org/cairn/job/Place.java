// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.cairn.comm.Communicator;
import org.cairn.store.Directories;
import org.cairn.store.LoneDirectory;
import org.cairn.store.Store;
import org.cairn.store.StoreLock;
import org.cairn.store.StoreLockedException;
import org.cairn.tier.Agreement;
import org.cairn.tier.FileNames;
import org.cairn.watch.Activity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a rank keeps its files: the first thing that it takes and the last that it gives back.
 *
 * @param directories of all ranks
 * @param store the directory of this one
 * @param locks keep everybody else out of it, as far as jobs of this name go, and out of where such
 *     a job of one rank, or of many, would have its state
 */
record Place(Directories directories, Store store, List<StoreLock> locks) {
  private static final Logger LOG = LoggerFactory.getLogger(Place.class);

  /** Takes the places of all ranks, or none; collective. All ranks must have the same settings. */
  static Place take(Communicator world, Directories directories, JobSetup setup)
      throws IOException {
    Store store = null;
    List<StoreLock> locks = new ArrayList<>();
    Throwable mine = null;
    try {
      store = directories.create(FileNames.directory(world.rank()));
      locks.add(store.lock(FileNames.jobLock(world.rank(), setup.name())));
      if (world.rank() == 0) {
        lockBeside(directories, setup.name(), locks);
      }
    } catch (IOException | RuntimeException | Error e) {
      mine = e;
    }
    try {
      Agreement.reach(world, mine);
      if (store == null) {
        throw new AssertionError("agreed on nothing");
      }
      Ranks.refuseDifferentSettings(world, setup.inWords());
      return new Place(directories, store, locks);
    } catch (IOException | RuntimeException | Error e) {
      Activity.of(world).left(e);
      locks.forEach(lock -> Leaving.leave("a lock", lock::close));
      throw e;
    }
  }

  /**
   * One rank keeps its state in the place itself, many in directories below it; each goes on with
   * what the other left, and so must not run beside it.
   */
  private static void lockBeside(Directories directories, String job, List<StoreLock> locks)
      throws IOException {
    for (String name : directories.names()) {
      if (name.equals(Directories.ROOT)
          || name.equals(LoneDirectory.BELOW + FileNames.directory(0))) {
        Store beside = directories.open(name);
        if (beside.list().stream().anyMatch(file -> FileNames.meaning(file).isPresent())) {
          lock(beside, FileNames.jobLock(0, job), locks);
        }
      }
    }
  }

  /** Where nothing can be written nobody runs. */
  private static void lock(Store beside, String name, List<StoreLock> locks) throws IOException {
    try {
      locks.add(beside.lock(name));
    } catch (StoreLockedException e) {
      throw e;
    } catch (IOException e) {
      LOG.debug("{} cannot be locked", beside.location(name), e);
    }
  }
}
