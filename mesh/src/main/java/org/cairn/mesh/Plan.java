// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.List;
import org.cairn.mesh.live.Boxes;
import org.cairn.mesh.live.LoopPlace;

/**
 * Where checkpoints are taken, and what is saved there.
 *
 * @param place before this loop, after that one; of {@link Mesh#here} after any
 * @param isHere whether it is that
 * @param isListed whether the program said which fields are saved, and is believed
 * @param save the points of each field that are saved at once
 * @param distance loops from one occurrence to the next, at most
 * @param cost what a checkpoint there is expected to write
 * @param report why, in words
 */
record Plan(
    LoopPlace place,
    boolean isHere,
    boolean isListed,
    List<Boxes> save,
    long distance,
    long cost,
    String report) {

  boolean isSamePlace(Plan other) {
    return isHere == other.isHere && place.equals(other.place);
  }

  boolean isAt(int loop, int before) {
    return !isHere && place.loop() == loop && place.before() == before;
  }
}
