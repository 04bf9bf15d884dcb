// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.ArrayList;
import java.util.List;
import org.cairn.CheckpointBuilder;
import org.cairn.mesh.live.Verification;
import org.jspecify.annotations.Nullable;

/** A checkpoint that was taken at its place and waits until it is known that nothing is missing. */
final class Region {
  private final CheckpointBuilder builder;
  private final Verification verification;
  private final long endsAt;
  private final List<Datasets.Late> late = new ArrayList<>();
  private @Nullable RuntimeException failure;

  /** Until so many calls were made at the latest. */
  Region(CheckpointBuilder builder, Verification verification, long endsAt) {
    this.builder = builder;
    this.verification = verification;
    this.endsAt = endsAt;
  }

  /** Saves what a loop is about to need or change that was not saved at the place. */
  void before(KnownLoop loop, Fields fields) {
    keep(verification.before(loop.access()), fields);
  }

  /** Saves what nobody has decided on; it is as it was at the place. */
  void keepRest(Fields fields) {
    keep(verification.rest(), fields);
  }

  private void keep(List<Verification.Late> points, Fields fields) {
    try {
      for (Verification.Late one : failure == null ? points : List.<Verification.Late>of()) {
        late.add(Datasets.Late.of(fields.get(one.field()), one.points()));
      }
    } catch (OutOfMemoryError e) {
      failed(notEnoughMemory(e));
    }
  }

  boolean isOver(long calls) {
    return verification.isDecided() || calls >= endsAt;
  }

  CheckpointBuilder builder() {
    return builder;
  }

  List<Datasets.Late> late() {
    return late;
  }

  /** As any other failure of a checkpoint: the program has its memory, and goes on. */
  static RuntimeException notEnoughMemory(OutOfMemoryError e) {
    return new IllegalStateException("there is not enough memory: " + e.getMessage(), e);
  }

  /** It could not be saved; others learn of it when all commit. */
  void failed(RuntimeException why) {
    failure = why;
  }

  @Nullable RuntimeException failure() {
    return failure;
  }
}
