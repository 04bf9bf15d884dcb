// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

/** How much of what was never forced is found on the disk after a crash. */
public enum Survival {
  /** Nothing: the disk is as of the last force. */
  LOSE_ALL,
  /** Everything, as if the last moment before the crash had been forced. */
  KEEP_ALL,
  /** Each operation by itself is lost, kept or torn. */
  RANDOM
}
