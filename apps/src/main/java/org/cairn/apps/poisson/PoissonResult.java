// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.poisson;

/**
 * Where a run ended; the same on all ranks.
 *
 * @param change the largest change of a point in the last step
 * @param error the largest distance from the solution
 * @param sum over all points
 * @param fingerprint of all bits
 */
public record PoissonResult(long steps, double change, double error, double sum, long fingerprint) {

  /** The exact values for comparison, and the usual ones for people. */
  @Override
  public String toString() {
    return """
        steps       %d
        change      %s %s
        error       %s %s
        sum         %s %s
        fingerprint %016x
        """
        .formatted(
            steps,
            Double.toHexString(change),
            change,
            Double.toHexString(error),
            error,
            Double.toHexString(sum),
            sum,
            fingerprint);
  }
}
