// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

/** How far a job has come: what was found at the start, until it is decided which job it is. */
sealed interface Standing permits AtStart, Run {
  /** The largest sequence number that this process has used so far. */
  long newestSequence();
}
