// SPDX-License-Identifier: Apache-2.0
/**
 * Which points of which fields must be saved at a place between two loops, and which place is the
 * cheapest; points are kept as boxes in global indices.
 *
 * <p>Fields and loops are numbers here, so that whatever knows what it reads and writes can be
 * analysed: loops of a mesh, or regions of a plain program.
 *
 * <p>The way: each loop says what it does ({@link org.cairn.mesh.live.LoopAccess}). A ring of the
 * last loops is analysed backward ({@link org.cairn.mesh.live.Liveness}), a place is chosen ({@link
 * org.cairn.mesh.live.Choice}) and what is to be saved there is predicted ({@link
 * org.cairn.mesh.live.Prediction}). After the points were saved, the loops that follow are looked
 * at before each of them runs ({@link org.cairn.mesh.live.Verification}): whatever the prediction
 * said, nothing that is needed is lost.
 */
@NullMarked
package org.cairn.mesh.live;

import org.jspecify.annotations.NullMarked;
