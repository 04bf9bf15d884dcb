// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import java.lang.foreign.SymbolLookup;

/**
 * What the two binary interfaces do not have in common. Handles are 64-bit integers everywhere:
 * Open MPI reads them as the pointers that they are, MPICH looks at the lower half only.
 *
 * @param flavour whose interface it is
 * @param world the communicator of all ranks
 * @param self the communicator of this rank
 * @param bytes the datatype of bytes
 * @param errorsReturn the error handler that returns codes
 * @param anySource the wildcard for ranks
 * @param statusSource where in a status the sender is
 * @param statusTag where in a status the tag is
 */
record MpiConstants(
    Flavour flavour,
    long world,
    long self,
    long bytes,
    long errorsReturn,
    int anySource,
    int statusSource,
    int statusTag) {

  /** The wildcard for tags, in both. */
  static final int ANY_TAG = -1;

  /** Enough for the status of either. */
  static final int STATUS_BYTES = 24;

  /** The families of MPIs by their binary interface. */
  enum Flavour {
    OPEN_MPI("Open MPI"),
    MPICH("MPICH");

    private final String description;

    Flavour(String description) {
      this.description = description;
    }

    @Override
    public String toString() {
      return description;
    }

    /** Open MPI's handles are addresses of symbols, which others do not have. */
    static Flavour of(SymbolLookup library) {
      return library.find("ompi_mpi_comm_world").isPresent() ? OPEN_MPI : MPICH;
    }
  }

  static MpiConstants of(SymbolLookup library) {
    return switch (Flavour.of(library)) {
      case OPEN_MPI ->
          new MpiConstants(
              Flavour.OPEN_MPI,
              library.findOrThrow("ompi_mpi_comm_world").address(),
              library.findOrThrow("ompi_mpi_comm_self").address(),
              library.findOrThrow("ompi_mpi_byte").address(),
              library.findOrThrow("ompi_mpi_errors_return").address(),
              -1,
              0,
              4);
      case MPICH ->
          new MpiConstants(
              Flavour.MPICH, 0x44000000, 0x44000001, 0x4c00010d, 0x54000001, -2, 8, 12);
    };
  }
}
