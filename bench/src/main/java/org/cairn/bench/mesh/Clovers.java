// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh;

import org.cairn.apps.cloverleaf.CloverLeaf;
import org.cairn.bench.mesh.clover.Clover;
import org.cairn.mesh.Mesh;

/** CloverLeaf 2D as a program to be measured. */
final class Clovers {
  private Clovers() {}

  static Program byHand(int cells, int threads) {
    Clover clover = new Clover(cells, cells, threads);
    return new Program() {
      @Override
      public void step() {
        clover.step();
      }

      @Override
      public double value() {
        return clover.time();
      }

      @Override
      public void close() {
        clover.close();
      }
    };
  }

  /** As loops of a mesh, which belongs to it. */
  static Program ofMesh(Mesh mesh, int cells) {
    CloverLeaf clover = new CloverLeaf(mesh, cells, cells);
    return new Program() {
      @Override
      public void step() {
        clover.step();
      }

      @Override
      public double value() {
        return clover.time();
      }

      @Override
      public void close() {
        mesh.close();
      }
    };
  }
}
