// SPDX-License-Identifier: Apache-2.0

/**
 * Where typed data lie in files of other programs: hints, on which nothing but the ratio depends.
 *
 * <p>A {@link org.cairn.pack.locate.Locator} reads what a format says of its data, and no data.
 * Whatever it says wrongly, because a file is damaged or made to deceive, is dropped or costs a
 * little space: a file is stored as bytes that tile it exactly.
 */
@NullMarked
package org.cairn.pack.locate;

import org.jspecify.annotations.NullMarked;
