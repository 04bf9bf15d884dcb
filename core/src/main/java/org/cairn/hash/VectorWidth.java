// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The vectors of this machine. Touch this class, and the vector kernels, only where the module
 * {@code jdk.incubator.vector} is present; {@link HashPath} sees to that.
 */
final class VectorWidth {

  private VectorWidth() {}

  /** The widest vectors that are fast here, in bits, but at most 512: a stripe has no more. */
  static int preferredBits() {
    return Math.min(512, LongVector.SPECIES_PREFERRED.vectorBitSize());
  }

  static VectorSpecies<Long> species(int bits) {
    return switch (bits) {
      case 512 -> LongVector.SPECIES_512;
      case 256 -> LongVector.SPECIES_256;
      case 128 -> LongVector.SPECIES_128;
      default -> throw new IllegalArgumentException("No kernel for vectors of " + bits + " bits");
    };
  }

  /**
   * The species as which C2 can load vectors from memory of this kind: it has no instruction for
   * {@code long} vectors from a {@code double[]}, but {@code double} vectors may be reinterpreted.
   */
  static VectorSpecies<?> loadable(VectorSpecies<Long> species, MemoryKind kind) {
    return switch (kind) {
      case BYTES -> species.withLanes(byte.class);
      case SHORTS, CHARS -> species.withLanes(short.class);
      case INTS -> species.withLanes(int.class);
      case FLOATS -> species.withLanes(float.class);
      case DOUBLES -> species.withLanes(double.class);
      case LONGS, NATIVE, MAPPED, HIDDEN -> species;
    };
  }
}
