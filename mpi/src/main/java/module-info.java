// SPDX-License-Identifier: Apache-2.0
/** Ranks that Open MPI or MPICH connects. Programs find them with Communicators.world(). */
module org.cairn.mpi {
  requires java.logging;
  requires org.cairn.doors;
  requires static org.jspecify;

  provides org.cairn.comm.CommunicatorProvider with
      org.cairn.mpi.MpiProvider;
}
