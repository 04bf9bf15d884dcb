// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.util.function.DoubleSupplier;

/** A binary heap of all sockets by the time of their next failure, in arrays that are kept. */
final class SocketHeap {
  private final double[] times;
  private final int[] sockets;

  SocketHeap(int size) {
    times = new double[size];
    sockets = new int[size];
  }

  /** Gives every socket a time, and puts them in order: linear in their number. */
  void fill(DoubleSupplier time) {
    for (int i = 0; i < times.length; i++) {
      times[i] = time.getAsDouble();
      sockets[i] = i;
    }
    for (int i = times.length / 2 - 1; i >= 0; i--) {
      sink(i, times[i], sockets[i]);
    }
  }

  double firstTime() {
    return times[0];
  }

  int firstSocket() {
    return sockets[0];
  }

  /** Gives the first socket another time. */
  void replaceFirst(double time) {
    sink(0, time, sockets[0]);
  }

  private void sink(int place, double time, int socket) {
    int at = place;
    int child = 2 * at + 1;
    while (child < times.length) {
      if (child + 1 < times.length && times[child + 1] < times[child]) {
        child++;
      }
      if (times[child] >= time) {
        break;
      }
      times[at] = times[child];
      sockets[at] = sockets[child];
      at = child;
      child = 2 * at + 1;
    }
    times[at] = time;
    sockets[at] = socket;
  }
}
