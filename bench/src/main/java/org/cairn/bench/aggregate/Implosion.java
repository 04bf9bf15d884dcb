// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.util.List;

/**
 * A shock that converges between walls (Liska and Wendroff), the Implosion of mcrEngine: Euler's
 * equations with Rusanov's fluxes, saved as floats. At first all cells have one of two states.
 */
final class Implosion implements Simulation {
  private static final int STEPS = 60;
  private static final double GAMMA = 1.4;
  private static final double COURANT = 0.4;
  private static final int FIELDS = 4;

  private final Domain domain;
  private final int height;
  private final int width;
  private double[][] state;
  private double[][] next;

  Implosion(Size size) {
    int side = Domain.side(size.bytes() / (double) (FIELDS * Float.BYTES), 2);
    domain = Domain.of(size.ranks(), side, side);
    height = domain.shape()[0];
    width = domain.shape()[1];
    state = new double[FIELDS][height * width];
    next = new double[FIELDS][height * width];
    for (int at = 0; at < height * width; at++) {
      int row = at / width;
      double x = (at % width + 0.5) / width;
      double y = (row + 0.5) / height;
      boolean inside = x + y < 0.5;
      state[0][at] = inside ? 0.125 : 1;
      state[3][at] = (inside ? 0.14 : 1) / (GAMMA - 1);
    }
  }

  @Override
  public void advance() {
    for (int step = 0; step < STEPS; step++) {
      double fastest = 0;
      for (int at = 0; at < height * width; at++) {
        fastest = Math.max(fastest, speed(at));
      }
      step(COURANT / fastest, fastest);
    }
  }

  private double pressure(int at) {
    double kinetic =
        (state[1][at] * state[1][at] + state[2][at] * state[2][at]) / (2 * state[0][at]);
    return (GAMMA - 1) * (state[3][at] - kinetic);
  }

  private double speed(int at) {
    double sound = Math.sqrt(GAMMA * pressure(at) / state[0][at]);
    return sound + Math.max(Math.abs(state[1][at]), Math.abs(state[2][at])) / state[0][at];
  }

  private void step(double time, double fastest) {
    for (int field = 0; field < FIELDS; field++) {
      System.arraycopy(state[field], 0, next[field], 0, height * width);
    }
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        int at = y * width + x;
        exchange(at, x + 1 < width ? at + 1 : -1, 1, time, fastest);
        exchange(at, y + 1 < height ? at + width : -1, 2, time, fastest);
        if (x == 0) {
          wall(at, 1, 1, time);
        }
        if (y == 0) {
          wall(at, 2, 1, time);
        }
      }
    }
    double[][] old = state;
    state = next;
    next = old;
  }

  /** What flows from a cell to the next along an axis, or against a wall. */
  private void exchange(int left, int right, int axis, double time, double fastest) {
    if (right < 0) {
      wall(left, axis, -1, time);
      return;
    }
    for (int field = 0; field < FIELDS; field++) {
      double flow =
          0.5 * (flux(left, field, axis) + flux(right, field, axis))
              - 0.5 * fastest * (state[field][right] - state[field][left]);
      next[field][left] -= time * flow;
      next[field][right] += time * flow;
    }
  }

  private double flux(int at, int field, int axis) {
    double velocity = state[axis][at] / state[0][at];
    double carried = state[field][at] * velocity;
    return field == axis
        ? carried + pressure(at)
        : field == 3 ? carried + pressure(at) * velocity : carried;
  }

  /** Nothing goes through a wall; it pushes back. */
  private void wall(int at, int axis, int direction, double time) {
    next[axis][at] += direction * time * pressure(at);
  }

  @Override
  public List<StateArray> state(int rank) {
    int[] own = domain.own();
    return List.of(
        StateArray.floats("/Density", domain.part(state[0], rank), own),
        StateArray.floats("/x-momentum", domain.part(state[1], rank), own),
        StateArray.floats("/y-momentum", domain.part(state[2], rank), own),
        StateArray.floats("/TotalEnergy", domain.part(state[3], rank), own));
  }
}
