// SPDX-License-Identifier: Apache-2.0
/**
 * Poisson's equation by Jacobi's iteration, in the language of {@link org.cairn.mesh.Mesh}: three
 * loops a step, the smallest program worth reading first.
 */
@NullMarked
package org.cairn.apps.poisson;

import org.jspecify.annotations.NullMarked;
