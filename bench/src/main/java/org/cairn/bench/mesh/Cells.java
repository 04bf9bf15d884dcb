// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh;

/** A field as kernels see it. */
final class Cells {
  final double[] data;

  Cells(int points) {
    data = new double[points];
  }

  double at(int k) {
    return data[k];
  }

  void set(int k, double value) {
    data[k] = value;
  }
}
