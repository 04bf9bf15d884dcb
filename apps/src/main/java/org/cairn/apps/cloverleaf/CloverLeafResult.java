// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.cloverleaf;

/**
 * Where a run ended; the same on all ranks.
 *
 * @param fingerprint of all bits of the state
 */
public record CloverLeafResult(long steps, double time, CloverTotals totals, long fingerprint) {

  /** The exact values for comparison, and the usual ones for people. */
  @Override
  public String toString() {
    return "steps       %d\n".formatted(steps)
        + line("time", time)
        + line("volume", totals.volume())
        + line("mass", totals.mass())
        + line("pressure", totals.pressure())
        + line("internal", totals.internal())
        + line("kinetic", totals.kinetic())
        + "fingerprint %016x\n".formatted(fingerprint);
  }

  private static String line(String name, double value) {
    return "%-11s %s %s\n".formatted(name, Double.toHexString(value), value);
  }
}
