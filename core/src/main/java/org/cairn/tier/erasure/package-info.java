// SPDX-License-Identifier: Apache-2.0
/**
 * Parity over a group of ranks: any {@code m} of {@code g} may be lost.
 *
 * <p>{@link org.cairn.tier.erasure.ErasureTier} has both directions. {@link
 * org.cairn.tier.erasure.Stripes} says which bytes belong together, {@link
 * org.cairn.tier.erasure.ByteSpace} where a rank's datasets lie in them. See {@code
 * docs/design/parity.md}.
 */
@NullMarked
package org.cairn.tier.erasure;

import org.jspecify.annotations.NullMarked;
