// SPDX-License-Identifier: Apache-2.0
/**
 * Runs a whole job, all threads of all ranks, one thread at a time in an order that a seed decides,
 * with a time of its own. See docs/design/simulation.md.
 */
@NullMarked
package org.cairn.testkit.schedule;

import org.jspecify.annotations.NullMarked;
