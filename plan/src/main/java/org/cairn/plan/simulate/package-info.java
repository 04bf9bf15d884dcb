// SPDX-License-Identifier: Apache-2.0
/**
 * A simulator of one long job under coordinated checkpoint/restart, trial by trial: what no formula
 * covers (sockets that fail early in life, recorded failures, replicas in part, costs that vary),
 * and a second opinion on what formulas do.
 *
 * <p>A {@link org.cairn.plan.simulate.Scenario} says what is simulated, {@link
 * org.cairn.plan.simulate.Simulator} does it, a {@link org.cairn.plan.simulate.Simulation} tells
 * how it went. Times are seconds.
 */
@NullMarked
package org.cairn.plan.simulate;

import org.jspecify.annotations.NullMarked;
