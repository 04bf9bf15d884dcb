// SPDX-License-Identifier: Apache-2.0
/** How often to checkpoint, and what a run then costs: Young, Daly and the exact optimum. */
@NullMarked
package org.cairn.plan.interval;

import org.jspecify.annotations.NullMarked;
