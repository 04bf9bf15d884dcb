// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.multilevel;

/**
 * What a part of a pattern does to the times of a job, as a matrix. It maps the times since the
 * newest checkpoint of each level, the time in all, and a 1 to the same after the part; parts
 * follow each other as matrices are multiplied.
 */
final class Progress {
  private final double[][] rows;

  private Progress(double[][] rows) {
    this.rows = rows;
  }

  /**
   * A segment that ends with a checkpoint.
   *
   * @param constant seconds that it takes if all times since checkpoints were 0
   * @param slopes seconds more for each second since the newest checkpoint of a level
   * @param level of the checkpoint at its end, which is one of all lower levels too
   */
  static Progress ofSegment(double constant, double[] slopes, int level) {
    int total = slopes.length;
    int one = total + 1;
    double[][] rows = new double[total + 2][total + 2];
    for (int i = 0; i <= total; i++) {
      if (i <= level && i < total) {
        continue; // this time begins anew
      }
      System.arraycopy(slopes, 0, rows[i], 0, total);
      rows[i][one] = constant;
      rows[i][i] += 1;
    }
    rows[one][one] = 1;
    return new Progress(rows);
  }

  /** This part and then another one. */
  Progress then(Progress next) {
    int size = rows.length;
    double[][] product = new double[size][size];
    for (int i = 0; i < size; i++) {
      for (int k = 0; k < size; k++) {
        double factor = next.rows[i][k];
        if (factor != 0) { // 0 times infinite would be no number
          for (int j = 0; j < size; j++) {
            product[i][j] += rows[k][j] == 0 ? 0 : factor * rows[k][j];
          }
        }
      }
    }
    return new Progress(product);
  }

  /** This part so many times, by squaring. */
  Progress power(int times) {
    Progress result = nothing(rows.length);
    Progress square = this;
    for (int rest = times; rest > 0; rest >>= 1) {
      if ((rest & 1) != 0) {
        result = result.then(square);
      }
      square = rest > 1 ? square.then(square) : square;
    }
    return result;
  }

  private static Progress nothing(int size) {
    double[][] rows = new double[size][size];
    for (int i = 0; i < size; i++) {
      rows[i][i] = 1;
    }
    return new Progress(rows);
  }

  /** Seconds in all, for a job that begins with a checkpoint of all levels. */
  double totalFromStart() {
    return rows[rows.length - 2][rows.length - 1];
  }
}
