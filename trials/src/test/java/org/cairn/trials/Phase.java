// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

/** What a rank was doing when it was killed. */
enum Phase {
  /** The JVM, MPI or the job was starting. */
  START,
  /** It was restoring its state, with nothing lost. */
  RESTART,
  /** Ranks were being rebuilt, or redundancy restored. */
  REBUILD,
  /** A checkpoint was being written, but was not durable on all ranks. */
  CHECKPOINT,
  /** A tier was receiving a version in the background. */
  TRANSFER,
  /** None of these. */
  COMPUTATION
}
