// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.invoke.MethodHandles;

/**
 * What a copy of a kernel is made for: constants to C2, though not to the source. Each copy finds
 * it as its class data, see {@link KernelCopies}.
 *
 * @param kind the only kind of memory that the copy will see
 * @param bits the width of its vectors, if it has any
 */
record Specialization(MemoryKind kind, int bits) {

  /** The specialization of the class that looks; {@code otherwise} if it is no copy. */
  static Specialization of(MethodHandles.Lookup lookup, Specialization otherwise) {
    try {
      Specialization own = MethodHandles.classData(lookup, "_", Specialization.class);
      return own == null ? otherwise : own;
    } catch (IllegalAccessException e) {
      throw new LinkageError("A class may read its own class data", e);
    }
  }
}
