// SPDX-License-Identifier: Apache-2.0
/** Several kinds of checkpoints in turn, each against failures of its own severity. */
@NullMarked
package org.cairn.plan.multilevel;

import org.jspecify.annotations.NullMarked;
