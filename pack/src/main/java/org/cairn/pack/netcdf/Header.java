// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.netcdf;

import java.util.List;

/**
 * What the header of a file tells.
 *
 * @param records how many there are, or {@link #STREAMING}
 * @param entries the variables
 * @param complete whether these are all; if not, nobody knows how long a record is
 */
record Header(long records, List<Entry> entries, boolean complete) {
  /** What the number of records is while a file is written, or after its writer died. */
  static final long STREAMING = -1;

  /**
   * A variable, as the header has it.
   *
   * @param dimensions the lengths of its axes, the slowest first; that of the records is 0
   * @param type the number of its type
   * @param begin where its first bytes are
   * @param place where the header tells of it
   */
  record Entry(String name, List<Long> dimensions, int type, long begin, long place) {
    /** Whether it has something in each record. */
    boolean isInRecords() {
      return !dimensions.isEmpty() && dimensions.getFirst() == 0;
    }

    /** Its axes, that of the records left out. */
    List<Long> fixedAxes() {
      return isInRecords() ? dimensions.subList(1, dimensions.size()) : dimensions;
    }
  }
}
