// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh;

/** A program that is measured step by step, in one form or another. */
interface Program extends AutoCloseable {
  void step();

  /** Something that is the same in all its forms. */
  double value();

  @Override
  void close();
}
