// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.HashMap;
import java.util.Map;
import org.cairn.Checkpoint;
import org.cairn.CheckpointStats;
import org.cairn.DatasetStats;
import org.jspecify.annotations.Nullable;

/**
 * How much of each field differs from one checkpoint to the next, in the mean of those that this
 * rank has taken and that are durable. A field that was not saved twice may differ everywhere.
 */
final class DirtyFractions {
  private final Map<String, Mean> means = new HashMap<>();
  private @Nullable Checkpoint learned;

  private static final class Mean {
    private double sum;
    private int count;
  }

  /** Learns from a checkpoint, once, if it is known what it did. */
  void learn(Checkpoint taken) {
    if (taken != learned && taken.stats().isPresent()) {
      learned = taken;
      learn(taken.stats().get());
    }
  }

  private void learn(CheckpointStats stats) {
    for (DatasetStats dataset : stats.datasets()) {
      dataset.changedPart().ifPresent(part -> learn(dataset.name(), part));
    }
  }

  private void learn(String path, double part) {
    Mean mean = means.computeIfAbsent(path, _ -> new Mean());
    mean.sum += part;
    mean.count++;
  }

  /** The part of a field that differs, 0 to 1. */
  double of(String path) {
    Mean mean = means.get(path);
    return mean == null ? 1 : mean.sum / mean.count;
  }
}
