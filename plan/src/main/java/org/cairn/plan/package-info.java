// SPDX-License-Identifier: Apache-2.0
/**
 * Answers before and after a run: how often to checkpoint, to which tier, what it will cost, and
 * whether replication is worth it. Times are in seconds, as {@code double}, unless a name says
 * otherwise.
 */
@NullMarked
package org.cairn.plan;

import org.jspecify.annotations.NullMarked;
