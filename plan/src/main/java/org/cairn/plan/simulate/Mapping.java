// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

/** Where the replicas of processes A, B, C, D live among the sockets. */
public enum Mapping {
  /** ABCD A'B'C'D'. */
  FORWARD,
  /** ABCD D'C'B'A'. */
  REVERSE,
  /** Anywhere; another order in each trial. */
  SHUFFLE,
  /** AA' BB' CC' DD'. */
  ADJACENT
}
