// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import java.util.Arrays;

/**
 * A binary heap of sockets by the time of their next failure, in two arrays and without garbage.
 */
final class Timers {
  private double[] times = new double[64];
  private int[] sockets = new int[64];
  private int size;

  void clear() {
    size = 0;
  }

  /** The earliest time. */
  double first() {
    return size == 0 ? FailureSource.NEVER : times[0];
  }

  int firstSocket() {
    return sockets[0];
  }

  void add(double time, int socket) {
    if (size == times.length) {
      times = Arrays.copyOf(times, 2 * size);
      sockets = Arrays.copyOf(sockets, 2 * size);
    }
    rise(size++, time, socket);
  }

  /** Gives the first socket another time. */
  void replaceFirst(double time) {
    sink(time, sockets[0]);
  }

  private void rise(int at, double time, int socket) {
    while (at > 0) {
      int parent = (at - 1) >>> 1;
      if (times[parent] <= time) {
        break;
      }
      put(at, times[parent], sockets[parent]);
      at = parent;
    }
    put(at, time, socket);
  }

  private void sink(double time, int socket) {
    int at = 0;
    while (2 * at + 1 < size) {
      int child = 2 * at + 1;
      if (child + 1 < size && times[child + 1] < times[child]) {
        child++;
      }
      if (time <= times[child]) {
        break;
      }
      put(at, times[child], sockets[child]);
      at = child;
    }
    put(at, time, socket);
  }

  private void put(int at, double time, int socket) {
    times[at] = time;
    sockets[at] = socket;
  }
}
