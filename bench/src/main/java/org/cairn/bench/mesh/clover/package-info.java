// SPDX-License-Identifier: Apache-2.0
/**
 * CloverLeaf 2D written by hand over plain arrays: what the mesh language is measured against, and
 * what its results are compared with.
 *
 * <p>The gas is compressible; density, energy and pressure are at the centres of cells, velocities
 * at their corners. A step follows the gas (half a step ahead to find the forces, then all of it)
 * and maps it back to the cells, along one axis after the other. The arithmetic is that of the
 * published program in every bit, its quirks included.
 *
 * <p>{@link org.cairn.bench.mesh.clover.Clover} is the order of a step; the loops are in {@link
 * org.cairn.bench.mesh.clover.Gas}, {@link org.cairn.bench.mesh.clover.Motion}, {@link
 * org.cairn.bench.mesh.clover.CellSweep}, {@link org.cairn.bench.mesh.clover.NodeSweep} and {@link
 * org.cairn.bench.mesh.clover.Walls}. Each is a method over some rows, so that threads can share
 * them.
 */
@NullMarked
package org.cairn.bench.mesh.clover;

import org.jspecify.annotations.NullMarked;
