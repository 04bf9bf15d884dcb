// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What is done to a life.
 *
 * @param place where
 * @param rank which rank is killed first, and decides about the place
 * @param loss which directories are deleted, if that can be borne by then
 */
record Strike(Place place, int rank, Losses.Loss loss) {
  private static final double OF_A_SECOND = 1.0 / 3;

  /**
   * Plans what is done to the lives of a run, one after the other; the life after the last of them
   * is left alone. The same seed plans the same for a program that takes as many checkpoints. Seeds
   * that follow each other take kinds of places in turn.
   */
  static List<Strike> plan(long seed, int checkpoints, Losses losses) {
    Random random = new Random(seed);
    List<Strike> plan = new ArrayList<>();
    Place.Kind[] kinds = Place.Kind.values();
    // Something must be there to be restored: one checkpoint at least is durable before.
    int after = 1 + random.nextInt(Math.max(1, checkpoints - 1));
    Place.Kind kind =
        checkpoints < 2 ? Place.Kind.SHORTLY_AFTER : kinds[Math.floorMod(seed, kinds.length)];
    plan.add(strike(kind, after, losses, random));
    if (random.nextDouble() < OF_A_SECOND && checkpoints - after > 1) {
      kind = kinds[random.nextInt(kinds.length)];
      plan.add(strike(kind, random.nextInt(checkpoints - after - 1), losses, random));
    }
    return plan;
  }

  private static Strike strike(Place.Kind kind, int after, Losses losses, Random random) {
    Place place = new Place(kind, after, random.nextDouble());
    int rank = random.nextInt(losses.ranks());
    // One half of the kills leave all files where they are.
    Losses.Loss loss = random.nextBoolean() ? losses.draw(random) : Losses.Loss.NONE;
    return new Strike(place, loss.ranks().isEmpty() ? rank : loss.ranks().getFirst(), loss);
  }
}
