// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import java.util.Arrays;

/**
 * Which replicas are lost, and whether a process has any left.
 *
 * <p>A replica that is lost stays lost until the next interrupt brings all back: its socket is
 * repaired at once, but nobody starts the process there again. What is lost carries the number of
 * the current epoch; to bring all back is to begin another epoch, whatever the number of sockets.
 */
final class Processes {
  private static final int IDLE = -1;

  private final Mapping mapping;
  private final int degree;
  private final int processes;
  private final int replicated;
  private final int used;

  /** Epoch in which the replica on a socket was lost. */
  private final long[] lost;

  /** Epoch in which a process lost its first replica, and how many it has lost since. */
  private final long[] wounded;

  private final int[] losses;

  private final Shuffle shuffle;
  private long epoch;
  private long failures;

  Processes(Replicas replicas, int sockets) {
    mapping = replicas.mapping();
    degree = replicas.degree();
    processes = replicas.processes(sockets);
    replicated = degree == 1 ? 0 : replicas.replicated(processes);
    used = processes + replicated * (degree - 1);
    lost = new long[replicated == 0 ? 0 : sockets];
    wounded = new long[replicated];
    losses = new int[replicated];
    shuffle = new Shuffle(mapping == Mapping.SHUFFLE ? sockets : 0);
  }

  /** A new trial. */
  void begin(Chance chance) {
    shuffle.begin(chance);
    failures = 0;
    revive();
  }

  /** Failures of sockets that were in use, since the trial began. */
  long failures() {
    return failures;
  }

  /** Brings all back. */
  void revive() {
    epoch++;
  }

  /** A socket fails; whether this took the last replica of a process. */
  boolean strike(int socket) {
    int place = shuffle.of(socket);
    int process = processAt(place);
    if (process == IDLE) {
      return false;
    }
    failures++;
    if (process >= replicated) {
      return true;
    }
    if (lost[place] == epoch) {
      return false;
    }
    lost[place] = epoch;
    return lose(process) == degree;
  }

  private int lose(int process) {
    if (wounded[process] != epoch) {
      wounded[process] = epoch;
      losses[process] = 0;
    }
    return ++losses[process];
  }

  /** The process on a socket; processes with replicas have the lowest numbers. */
  int processAt(int place) {
    if (place >= used) {
      return IDLE;
    }
    if (mapping == Mapping.ADJACENT) {
      int pairs = replicated * degree;
      return place < pairs ? place / degree : place - pairs + replicated;
    }
    if (place < processes) {
      return place;
    }
    int process = (place - processes) % replicated;
    return mapping == Mapping.REVERSE ? replicated - 1 - process : process;
  }

  /** A random order of sockets, of which only the part that is asked for is ever drawn. */
  private static final class Shuffle {
    private static final int UNKNOWN = -1;
    private final Lottery lottery;
    private final int[] places;
    private int[] known = new int[16];
    private int count;
    private Chance chance = new Chance(0, 0);

    Shuffle(int sockets) {
      lottery = new Lottery(sockets);
      places = new int[sockets];
      Arrays.fill(places, UNKNOWN);
    }

    void begin(Chance chance) {
      this.chance = chance;
      lottery.begin();
      while (count > 0) {
        places[known[--count]] = UNKNOWN;
      }
    }

    int of(int socket) {
      if (places.length == 0) {
        return socket;
      }
      if (places[socket] == UNKNOWN) {
        places[socket] = lottery.draw(chance);
        remember(socket);
      }
      return places[socket];
    }

    private void remember(int socket) {
      if (count == known.length) {
        known = Arrays.copyOf(known, 2 * count);
      }
      known[count++] = socket;
    }
  }
}
