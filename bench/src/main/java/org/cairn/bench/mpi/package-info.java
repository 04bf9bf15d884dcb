// SPDX-License-Identifier: Apache-2.0
/** Messages through MPI, against the same program in C. */
@org.jspecify.annotations.NullMarked
package org.cairn.bench.mpi;
