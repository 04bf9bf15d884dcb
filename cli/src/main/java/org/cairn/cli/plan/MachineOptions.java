// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.OptionalDouble;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Units;
import org.cairn.cli.answer.Words;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.replication.Machine;
import org.cairn.plan.replication.Replication;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The machine, the job and how long checkpoints take. */
final class MachineOptions {
  @Option(
      names = "--mtbf",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description = "Mean time between failures of one socket, e.g. 5y.")
  private @Nullable Double mtbf;

  @Option(
      names = "--sockets",
      paramLabel = "N",
      converter = Units.Count.class,
      description =
          "How many sockets the job uses, e.g. 200000; 1 unless given, so that --mtbf is"
              + " that of the whole machine.")
  private @Nullable Long sockets;

  @Option(
      names = "--work",
      paramLabel = "TIME",
      converter = Units.Time.class,
      defaultValue = "168h",
      description =
          "How long the job computes if nothing fails and nothing is saved; 168h unless given.")
  private double work;

  @Option(
      names = "--checkpoint",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description = "How long a checkpoint takes, e.g. 15min.")
  private @Nullable Double checkpoint;

  @Option(
      names = "--restart",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description = "How long a restart takes; as long as a checkpoint unless given.")
  private @Nullable Double restart;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      converter = Units.Size.class,
      description = "In place of --checkpoint: what each process saves, e.g. 16GB.")
  private @Nullable Double memory;

  @Option(
      names = "--bandwidth",
      paramLabel = "RATE",
      converter = Units.Rate.class,
      description =
          "With --memory: what the storage takes from all processes together, e.g. 1TB/s.")
  private @Nullable Double bandwidth;

  long sockets() {
    if (sockets == null) {
      return 1;
    }
    if (sockets < 1) {
      throw new IllegalArgumentException(
          "--sockets is " + sockets + "; a job needs at least one socket");
    }
    return sockets;
  }

  boolean hasSockets() {
    return sockets != null;
  }

  boolean hasMtbf() {
    return mtbf != null;
  }

  double mtbf() {
    if (mtbf == null) {
      throw new IllegalArgumentException(
          "say how often a socket fails: --mtbf TIME, e.g. --mtbf 5y --sockets 10000");
    }
    return positive(mtbf, "--mtbf");
  }

  double work() {
    return positive(work, "--work");
  }

  double memory(double otherwise) {
    return memory == null ? otherwise : positive(memory, "--memory");
  }

  boolean hasStorage() {
    return checkpoint != null || memory != null || bandwidth != null;
  }

  Machine.Storage storage() {
    if (checkpoint != null) {
      if (memory != null || bandwidth != null) {
        throw new IllegalArgumentException(
            "--checkpoint is a time for all, and --memory with --bandwidth another way to say it;"
                + " use one of the two");
      }
      double cost = positive(checkpoint, "--checkpoint");
      return new Machine.Storage.FixedTime(cost, restart == null ? cost : notNegative(restart));
    }
    if (memory == null || bandwidth == null) {
      throw new IllegalArgumentException(
          "say how long a checkpoint takes: --checkpoint TIME, or --memory SIZE and --bandwidth RATE");
    }
    return new Machine.Storage.Bandwidth(
        positive(memory, "--memory"),
        positive(bandwidth, "--bandwidth"),
        restart == null ? OptionalDouble.empty() : OptionalDouble.of(notNegative(restart)));
  }

  private static double notNegative(double time) {
    if (time < 0) {
      throw new IllegalArgumentException("--restart is negative; a time cannot be less than 0");
    }
    return time;
  }

  Machine machine() {
    return new Machine(sockets(), mtbf(), storage());
  }

  /** What checkpoints meet without replicas. */
  Conditions conditions() {
    Machine.Storage storage = storage();
    double processes = Replication.NONE.processes(sockets());
    return new Conditions(
        storage.checkpoint(processes), storage.restart(processes), mtbf() / sockets());
  }

  static double share(double value, String option) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(
          option + " is " + Words.percent(value) + "; a part is between 0 and 100 %");
    }
    return value;
  }

  static double positive(double value, String option) {
    if (!(value > 0)) {
      throw new IllegalArgumentException(
          option + " is " + (value < 0 ? "negative" : "0") + "; it must be more than 0");
    }
    return value;
  }

  void describe(Answer answer) {
    answer.given("sockets", sockets()).given("workSeconds", work());
    if (mtbf != null) {
      answer.given("socketMtbfSeconds", mtbf()).given("machineMtbfSeconds", mtbf() / sockets());
    }
    if (hasStorage()) {
      Machine.Storage storage = storage();
      answer
          .given("checkpointSeconds", storage.checkpoint(sockets()))
          .given("restartSeconds", storage.restart(sockets()));
    }
  }
}
