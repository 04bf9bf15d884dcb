// SPDX-License-Identifier: Apache-2.0
/** What a job went through, from the events that its ranks logged: what checkpoints really cost. */
@NullMarked
package org.cairn.plan.run;

import org.jspecify.annotations.NullMarked;
