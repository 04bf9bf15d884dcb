// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import java.util.Optional;
import org.cairn.comm.Communicator;
import org.cairn.comm.CommunicatorProvider;
import org.cairn.comm.Launch;

/** Ranks of {@code mpirun}, {@code mpiexec} and {@code srun}. */
public final class MpiProvider implements CommunicatorProvider {

  @Override
  public String name() {
    return "mpi";
  }

  @Override
  public boolean serves(Launch launch) {
    return true; // all launchers that are known start programs of MPI
  }

  @Override
  public Optional<String> problem() {
    return MpiLibrary.LOADED.problem();
  }

  @Override
  public Communicator world() {
    return MpiCommunicator.world();
  }
}
