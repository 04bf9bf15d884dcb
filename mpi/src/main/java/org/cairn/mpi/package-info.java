// SPDX-License-Identifier: Apache-2.0
/**
 * Ranks that an MPI connects: Open MPI or MPICH, whichever started the program, called through
 * foreign functions.
 *
 * <p>{@link org.cairn.mpi.MpiCommunicator} is the transport, {@code MpiFunctions} the binding,
 * {@code MpiLibrary} finds the library, {@code MpiProcess} starts and ends MPI.
 */
@org.jspecify.annotations.NullMarked
package org.cairn.mpi;
