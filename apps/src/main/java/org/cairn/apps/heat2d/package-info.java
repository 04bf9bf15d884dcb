// SPDX-License-Identifier: Apache-2.0
/**
 * Heat2D: heat spreading over a plate, the smallest program worth checkpointing.
 *
 * <p>{@link org.cairn.apps.heat2d.Heat2D} computes and knows nothing of checkpoints; {@link
 * org.cairn.apps.heat2d.Heat2DProgram} protects its state with Cairn and is the example to copy
 * from.
 */
@NullMarked
package org.cairn.apps.heat2d;

import org.jspecify.annotations.NullMarked;
