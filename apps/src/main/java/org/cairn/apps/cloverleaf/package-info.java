// SPDX-License-Identifier: Apache-2.0
/**
 * CloverLeaf 2D in the language of {@link org.cairn.mesh.Mesh}: a compressible gas in a box, with a
 * dense hot corner that expands.
 *
 * <p>Density, energy and pressure are at the centres of cells, velocities at their corners. A step
 * follows the gas (half a step ahead to find the forces, then all of it) and maps it back to the
 * cells, along one axis after the other. The arithmetic is that of the published program in every
 * bit, its quirks included.
 *
 * <p>There is not a word about checkpoints in {@link org.cairn.apps.cloverleaf.CloverLeaf}: loops
 * say what they read and write, and {@link org.cairn.apps.cloverleaf.CloverLeafProgram} opens the
 * mesh.
 */
@NullMarked
package org.cairn.apps.cloverleaf;

import org.jspecify.annotations.NullMarked;
