// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.container.Retention;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.tier.FileNames;
import org.cairn.tier.Home;

/**
 * What all phases of a recovery need.
 *
 * @param running the container that is open already, if the job has been running
 * @param problems what was found damaged so far, for the report
 */
record Site(
    Communicator comm,
    Directories directories,
    Home home,
    FragmentTable table,
    Retention retention,
    Tiers tiers,
    Optional<LocalContainer> running,
    List<String> problems) {

  int rank() {
    return comm.rank();
  }

  /** A directory by the name that fragments give. */
  Store store(String directory) throws IOException {
    return directory.equals(FileNames.directory(rank()))
        ? home.store()
        : directories.open(directory);
  }

  /** What a state is called while it is rebuilt. */
  String rebuiltName(int member) {
    return FileNames.rebuilt(member, table.jobName());
  }

  /** What blocks of a state that is only read are called for a moment. */
  String spoolName(int member) {
    return FileNames.spool(member, table.jobName());
  }

  /** The container of a name in the own directory; who opens one that does not run closes it. */
  LocalContainer open(String file) throws IOException {
    Optional<LocalContainer> open = running.filter(one -> one.name().equals(file));
    return open.isPresent() ? open.get() : LocalContainer.open(home, file, retention);
  }

  boolean isRunning(LocalContainer local) {
    return running.filter(one -> one == local).isPresent();
  }
}
