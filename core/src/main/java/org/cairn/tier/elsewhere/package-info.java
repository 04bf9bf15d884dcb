// SPDX-License-Identifier: Apache-2.0
/**
 * Blocks that are damaged in one place, from another one: any tier may have them. For whoever looks
 * at files of a job without its ranks, to read them or to heal them.
 */
@NullMarked
package org.cairn.tier.elsewhere;

import org.jspecify.annotations.NullMarked;
