// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.multilevel;

import java.util.List;

/**
 * The plain twin of {@link PatternModel}: a state for each segment and each recovery after it, and
 * the expected times to the end of the pattern from Gauss's elimination.
 */
final class MarkovChain {
  private MarkovChain() {}

  static double expectedTime(List<Level> levels, Pattern pattern) {
    int segments = pattern.length();
    int count = levels.size();
    int states = segments * (1 + count);
    double[][] matrix = new double[states][states + 1];
    for (int k = 0; k < segments; k++) {
      double length = pattern.interval() + levels.get(pattern.level(k)).cost();
      Segment segment = Segment.of(length, levels);
      matrix[k][k] += 1;
      matrix[k][states] = segment.time();
      if (k + 1 < segments) {
        matrix[k][k + 1] -= segment.success();
      }
      for (int i = 0; i < count; i++) {
        matrix[k][recovery(segments, count, k, i)] -= segment.failure()[i];
        recoveryRow(matrix, levels, pattern, k, i);
      }
    }
    return solve(matrix)[0];
  }

  private static void recoveryRow(
      double[][] matrix, List<Level> levels, Pattern pattern, int k, int i) {
    int segments = pattern.length();
    int count = levels.size();
    int row = recovery(segments, count, k, i);
    Segment segment = Segment.of(levels.get(i).restart(), levels);
    matrix[row][row] += 1;
    matrix[row][matrix.length] = segment.time();
    int back = k;
    while (back > 0 && pattern.level(back - 1) < i) {
      back--;
    }
    matrix[row][back] -= segment.success();
    for (int j = 0; j < count; j++) {
      matrix[row][recovery(segments, count, k, Math.max(i, j))] -= segment.failure()[j];
    }
  }

  private static int recovery(int segments, int levels, int k, int i) {
    return segments + k * levels + i;
  }

  private static double[] solve(double[][] m) {
    int n = m.length;
    for (int c = 0; c < n; c++) {
      int pivot = c;
      for (int r = c + 1; r < n; r++) {
        pivot = Math.abs(m[r][c]) > Math.abs(m[pivot][c]) ? r : pivot;
      }
      double[] swap = m[c];
      m[c] = m[pivot];
      m[pivot] = swap;
      for (int r = 0; r < n; r++) {
        double factor = m[r][c] / m[c][c];
        if (r != c && factor != 0) {
          for (int k = c; k <= n; k++) {
            m[r][k] -= factor * m[c][k];
          }
        }
      }
    }
    double[] solution = new double[n];
    for (int i = 0; i < n; i++) {
      solution[i] = m[i][n] / m[i][i];
    }
    return solution;
  }
}
