// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

/**
 * A failure of one node.
 *
 * @param time seconds since the record began
 * @param node which one, counted from 0
 * @param repair seconds until the node was back; NaN where the record does not say it
 * @param cause why
 */
public record Failure(double time, int node, double repair, Cause cause) {
  /** One of which no more is known. */
  public Failure(double time, int node) {
    this(time, node, Double.NaN, Cause.UNDETERMINED);
  }
}
