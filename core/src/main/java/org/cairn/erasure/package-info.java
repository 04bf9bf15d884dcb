// SPDX-License-Identifier: Apache-2.0
/**
 * Reed-Solomon codes: how a group of ranks survives the loss of some without copies of everything.
 *
 * <p>{@link org.cairn.erasure.ReedSolomon} is the code, {@link org.cairn.erasure.Decoder} the way
 * back from what is left, and {@link org.cairn.erasure.Regions} the arithmetic on memory under
 * both. {@link org.cairn.erasure.ErasurePath} says whether that runs on the Vector API or on its
 * plain twin here.
 *
 * <p>See {@code docs/design/erasure.md} for the matrix, the kernels and what was measured.
 */
@NullMarked
package org.cairn.erasure;

import org.jspecify.annotations.NullMarked;
