// SPDX-License-Identifier: Apache-2.0

/**
 * Ranks that Open MPI or MPICH connects. Programs do not name anything of it: on the module path,
 * {@code Communicators.world()} finds it.
 *
 * @provides org.cairn.comm.CommunicatorProvider
 */
module org.cairn.mpi {
  requires org.cairn.doors;
  requires java.logging;
  requires static org.jspecify;

  provides org.cairn.comm.CommunicatorProvider with
      org.cairn.mpi.MpiProvider;
}
