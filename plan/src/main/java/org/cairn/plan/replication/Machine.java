// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.replication;

import java.util.OptionalDouble;
import org.cairn.plan.Checks;

/**
 * A machine and how fast it saves.
 *
 * @param sockets how many there are, all in use
 * @param socketMtbf mean seconds between failures of one socket
 * @param storage what a checkpoint takes
 */
public record Machine(double sockets, double socketMtbf, Storage storage) {
  /** Refuses machines without sockets, and times that are none. */
  public Machine {
    if (!(sockets >= 1)) {
      throw new IllegalArgumentException(
          "the number of sockets is " + sockets + "; there must be at least 1");
    }
    Checks.positive(socketMtbf, "the MTBF of a socket");
  }

  /** The same, with another number of sockets. */
  public Machine withSockets(double count) {
    return new Machine(count, socketMtbf, storage);
  }

  /** How long checkpoints and restarts take. */
  public sealed interface Storage {
    /** Seconds for a checkpoint of a job on so many sockets; replicas write only once. */
    double checkpoint(double processes);

    /** Seconds for a restart. */
    double restart(double processes);

    /** The same time on any machine. */
    record FixedTime(double checkpoint, double restart) implements Storage {
      /** Refuses what is not a time. */
      public FixedTime {
        Checks.positive(checkpoint, "the time of a checkpoint");
        Checks.notNegative(restart, "the time of a restart");
      }

      @Override
      public double checkpoint(double processes) {
        return checkpoint;
      }

      @Override
      public double restart(double processes) {
        return restart;
      }
    }

    /**
     * All memory through one pipe.
     *
     * @param memory bytes that each process saves
     * @param bandwidth bytes a second of the whole machine
     * @param fixedRestart seconds that a restart takes on any machine; as long as a checkpoint
     *     where there are none
     */
    record Bandwidth(double memory, double bandwidth, OptionalDouble fixedRestart)
        implements Storage {
      /** Refuses what is not a size or a rate. */
      public Bandwidth {
        Checks.positive(memory, "the memory of a socket");
        Checks.positive(bandwidth, "the bandwidth");
        fixedRestart.ifPresent(time -> Checks.notNegative(time, "the time of a restart"));
      }

      /** A restart reads what a checkpoint wrote, at the same rate. */
      public Bandwidth(double memory, double bandwidth) {
        this(memory, bandwidth, OptionalDouble.empty());
      }

      @Override
      public double checkpoint(double processes) {
        return processes * memory / bandwidth;
      }

      @Override
      public double restart(double processes) {
        return fixedRestart.orElse(checkpoint(processes));
      }
    }
  }
}
