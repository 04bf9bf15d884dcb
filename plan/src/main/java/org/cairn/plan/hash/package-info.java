// SPDX-License-Identifier: Apache-2.0
/**
 * How often hashes miss a change, and how fast they are: algorithm 1 and table I of the paper on
 * differential checkpoints, figures 7.5 to 7.9 of the dissertation.
 */
@NullMarked
package org.cairn.plan.hash;

import org.jspecify.annotations.NullMarked;
