// SPDX-License-Identifier: Apache-2.0
/**
 * How a kernel becomes a loop.
 *
 * <p>A loop that calls a lambda for every point is as fast as one written by hand only where the
 * compiler puts the lambda's body into the loop, and it does so neither for large bodies nor in a
 * driver that many kernels share. So the body is put there beforehand: {@link
 * org.cairn.mesh.weave.Loops} copies the instructions of the lambda into a copy of a template, the
 * loops over rows and points. Where that cannot be done, the copy calls the lambda: its twin, which
 * gives the same bits.
 *
 * <p>Woven loops are classes of the package that the lambda is written in. That is why this package
 * is exported; programs have no other use for it.
 */
@NullMarked
package org.cairn.mesh.weave;

import org.jspecify.annotations.NullMarked;
