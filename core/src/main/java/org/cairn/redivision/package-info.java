// SPDX-License-Identifier: Apache-2.0
/**
 * What ranks have together, divided otherwise: elements of saved parts become those of other parts.
 *
 * <p>{@link org.cairn.redivision.Inventory} says what was saved by whom, {@link
 * org.cairn.redivision.Wish} where elements are wanted, {@link org.cairn.redivision.Delivery}
 * brings them there, and {@link org.cairn.redivision.Redivision} is all of that, step by step.
 */
@NullMarked
package org.cairn.redivision;

import org.jspecify.annotations.NullMarked;
