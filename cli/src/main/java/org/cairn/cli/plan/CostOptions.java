// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.cairn.cli.answer.Units;
import org.cairn.plan.run.RunHistory;
import org.cairn.plan.run.Spread;
import org.cairn.plan.simulate.CheckpointCost;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What simulated checkpoints cost, where it is not the same for all of them. */
final class CostOptions {
  @Option(
      names = "--costs-from",
      paramLabel = "DIR",
      description =
          "Draw the costs of checkpoints from the events of a run; with --checkpoint only what part"
              + " has changed.")
  private @Nullable Path costsFrom;

  @Option(
      names = "--dirty",
      paramLabel = "PART",
      split = ",",
      converter = Units.Share.class,
      description =
          "Differential checkpoints: what part has changed, one number or several to draw from.")
  private List<Double> dirty = new ArrayList<>();

  @Option(
      names = "--hash-time",
      paramLabel = "TIME",
      converter = Units.Time.class,
      defaultValue = "0s",
      description =
          "Differential checkpoints: how long it takes to find what has changed; 0 unless given.")
  private double hashTime;

  private @Nullable RunHistory read;

  void check() {
    dirty.forEach(part -> MachineOptions.share(part, "--dirty"));
    if (hashTime < 0) {
      throw new IllegalArgumentException("--hash-time is negative; a time cannot be less than 0");
    }
    if (hashTime > 0 && !isGiven()) {
      throw new IllegalArgumentException(
          "--hash-time is for differential checkpoints; say with --dirty how much changes");
    }
    if (costsFrom != null && !dirty.isEmpty()) {
      throw new IllegalArgumentException(
          "--costs-from knows what part has changed; leave out --dirty");
    }
  }

  boolean isGiven() {
    return costsFrom != null || !dirty.isEmpty();
  }

  /** The cost of checkpoints of so many processes. */
  CheckpointCost cost(MachineOptions machine, double processes) {
    if (costsFrom != null && !machine.hasStorage()) {
      return new CheckpointCost.Drawn(some(history(costsFrom).waits(), "checkpoint"));
    }
    double full = machine.storage().checkpoint(processes);
    if (!isGiven()) {
      return new CheckpointCost.Fixed(full);
    }
    return new CheckpointCost.Differential(full, hashTime, dirtyParts());
  }

  private double[] dirtyParts() {
    return costsFrom == null
        ? dirty.stream().mapToDouble(Double::doubleValue).toArray()
        : some(history(costsFrom).dirtyFractions(), "differential checkpoint");
  }

  private double[] some(double[] samples, String what) {
    if (samples.length == 0) {
      throw new IllegalArgumentException(
          "the run of " + costsFrom + " took no " + what + ", so there is nothing to draw from");
    }
    return samples;
  }

  /** Seconds that a restart of so many processes takes. */
  double restart(MachineOptions machine, double processes) {
    if (costsFrom == null || machine.hasStorage()) {
      return machine.storage().restart(processes);
    }
    return history(costsFrom)
        .restarts()
        .map(Spread::mean)
        .orElseGet(() -> mean(cost(machine, processes)));
  }

  private RunHistory history(Path directory) {
    if (read == null) {
      read = RunHistory.read(directory);
    }
    return read;
  }

  /** The mean, by which closed forms are asked. */
  static double mean(CheckpointCost cost) {
    return switch (cost) {
      case CheckpointCost.Fixed fixed -> fixed.seconds();
      case CheckpointCost.Drawn drawn -> Arrays.stream(drawn.samples()).average().orElseThrow();
      case CheckpointCost.Differential differential ->
          differential.hashSeconds()
              + differential.fullSeconds()
                  * Arrays.stream(differential.dirtyFractions()).average().orElseThrow();
    };
  }
}
