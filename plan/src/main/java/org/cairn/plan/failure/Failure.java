// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

/**
 * A failure of one node.
 *
 * @param time seconds since the record began
 * @param node which one, counted from 0
 */
public record Failure(double time, int node) {}
