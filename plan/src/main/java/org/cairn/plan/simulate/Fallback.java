// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

/** Which level the checkpoints of a job are of, and which of them each severity falls back to. */
final class Fallback {
  /** {@code every[i]}: each checkpoint whose number is a multiple of it is of level i or more. */
  private final long[] every;

  /** Number of the newest checkpoint that survives a failure of a severity; 0 is the start. */
  private final long[] saved;

  Fallback(int[] counts) {
    every = new long[counts.length + 1];
    saved = new long[counts.length + 1];
    every[0] = 1;
    for (int i = 0; i < counts.length; i++) {
      // Rather never than at the wrong time: no job has so many checkpoints.
      every[i + 1] = every[i] > Long.MAX_VALUE / counts[i] ? Long.MAX_VALUE : every[i] * counts[i];
    }
  }

  /** The job starts. */
  void begin() {
    for (int i = 0; i < saved.length; i++) {
      saved[i] = 0;
    }
  }

  /** The level of a checkpoint; the first is number 1. */
  int level(long number) {
    int level = 0;
    while (level + 1 < every.length && number % every[level + 1] == 0) {
      level++;
    }
    return level;
  }

  /** A checkpoint is complete. It serves the failures of lower levels as well. */
  void completed(long number, int level) {
    for (int i = 0; i <= level; i++) {
      saved[i] = number;
    }
  }

  /** Falls back after a failure, which destroys all newer checkpoints of lower levels. */
  long rollback(int severity) {
    completed(saved[severity], severity);
    return saved[severity];
  }
}
