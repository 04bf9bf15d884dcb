// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

/** Matrices over {@link GaloisField}, as rows of elements. */
final class Matrix {

  private Matrix() {}

  /**
   * The coefficients of parity: a Cauchy matrix, scaled so that its first row and column are ones.
   *
   * <p>Every square submatrix of a Cauchy matrix, 1 / (x_i + y_j) with distinct x_i and y_j, is
   * invertible, which is what makes a code that survives the loss of any units. Multiplying a row
   * or a column by a non-zero element multiplies determinants by it, so it stays that way.
   */
  static int[][] parity(int data, int parity) {
    int[][] matrix = new int[parity][data];
    for (int i = 0; i < parity; i++) {
      for (int j = 0; j < data; j++) {
        int scaled = GaloisField.divide(cauchy(data, i, j), cauchy(data, 0, j));
        int first = GaloisField.divide(cauchy(data, i, 0), cauchy(data, 0, 0));
        matrix[i][j] = GaloisField.divide(scaled, first);
      }
    }
    return matrix;
  }

  private static int cauchy(int data, int i, int j) {
    return GaloisField.inverse((data + i) ^ j);
  }

  static int[][] product(int[][] a, int[][] b) {
    int[][] product = new int[a.length][b[0].length];
    for (int i = 0; i < a.length; i++) {
      for (int k = 0; k < b.length; k++) {
        addRow(product[i], a[i][k], b[k]);
      }
    }
    return product;
  }

  /** The inverse, by Gauss and Jordan; a singular matrix would be a bug of the code. */
  static int[][] inverse(int[][] matrix) {
    int n = matrix.length;
    int[][] left = new int[n][];
    int[][] right = new int[n][n];
    for (int i = 0; i < n; i++) {
      left[i] = matrix[i].clone();
      right[i][i] = 1;
    }
    for (int column = 0; column < n; column++) {
      pivot(left, right, column);
      for (int row = 0; row < n; row++) {
        if (row != column) {
          int factor = left[row][column];
          addRow(left[row], factor, left[column]);
          addRow(right[row], factor, right[column]);
        }
      }
    }
    return right;
  }

  /** Brings a row with a one in this column to the diagonal. */
  private static void pivot(int[][] left, int[][] right, int column) {
    int row = column;
    while (left[row][column] == 0) {
      row++;
    }
    swap(left, row, column);
    swap(right, row, column);
    int factor = GaloisField.inverse(left[column][column]);
    scale(left[column], factor);
    scale(right[column], factor);
  }

  private static void swap(int[][] rows, int a, int b) {
    int[] row = rows[a];
    rows[a] = rows[b];
    rows[b] = row;
  }

  private static void scale(int[] row, int factor) {
    for (int i = 0; i < row.length; i++) {
      row[i] = GaloisField.multiply(factor, row[i]);
    }
  }

  private static void addRow(int[] to, int factor, int[] row) {
    for (int i = 0; i < to.length; i++) {
      to[i] ^= GaloisField.multiply(factor, row[i]);
    }
  }
}
