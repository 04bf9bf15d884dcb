// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

/**
 * How far a program says it is.
 *
 * @param isKnown whether it said so
 * @param step how many steps it has done
 * @param time in what it simulates
 */
record Moment(boolean isKnown, long step, double time) {
  static final Moment UNKNOWN = new Moment(false, 0, 0);
}
