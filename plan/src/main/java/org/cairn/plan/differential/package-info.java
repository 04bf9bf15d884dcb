// SPDX-License-Identifier: Apache-2.0
/** When saving only what changed pays, and how. */
@NullMarked
package org.cairn.plan.differential;

import org.jspecify.annotations.NullMarked;
