// SPDX-License-Identifier: Apache-2.0
/**
 * How things fail: lifetimes as distributions, and failures that were recorded on real machines.
 */
@NullMarked
package org.cairn.plan.failure;

import org.jspecify.annotations.NullMarked;
