// SPDX-License-Identifier: Apache-2.0
/**
 * How often hashes miss a change, and how fast they are: algorithm 1 and table I of Keller and
 * Bautista-Gomez 2019, figures 7.5 to 7.9 of Ferreira 2011.
 */
@NullMarked
package org.cairn.plan.hash;

import org.jspecify.annotations.NullMarked;
