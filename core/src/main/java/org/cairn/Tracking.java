// SPDX-License-Identifier: Apache-2.0
package org.cairn;

/**
 * Whether the pages of memory that a program has written to are tracked, so that a checkpoint need
 * not look at the others. Only memory outside of the Java heap can be: arrays move.
 */
public enum Tracking {
  /**
   * Where the machine can and where it pays, dataset by dataset. Memory that is not private to the
   * process, or that somebody else tracks, is hashed as a whole.
   */
  AUTO,

  /** Everything is hashed at every checkpoint. */
  OFF,

  /**
   * Whether it pays or not: opening fails where the machine cannot, and {@code protect} refuses
   * memory of a page and more that cannot be tracked. Such memory that is put in the place of other
   * memory later is hashed, and the log warns of it: a checkpoint is worth more than its price.
   */
  REQUIRED
}
