// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

/** What a loop is for. */
public enum Purpose {
  /** Something is done at each point or in each row. */
  EACH,
  /** The values of all points are added to sum 0. */
  SUM,
  /** Minimum 0 becomes the least value of all points. */
  MIN,
  /** Maximum 0 becomes the greatest value of all points. */
  MAX,
  /** Each point adds to several totals. */
  SEVERAL
}
