// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.netcdf;

import java.nio.ByteOrder;
import java.util.Optional;
import org.cairn.transform.Elements;

/** What a value is; the numbers from 1 on are those of the format. */
enum NetcdfType {
  BYTE(1, false),
  CHAR(1, false),
  SHORT(2, false),
  INT(4, false),
  FLOAT(4, true),
  DOUBLE(8, true),
  UBYTE(1, false),
  USHORT(2, false),
  UINT(4, false),
  INT64(8, false),
  UINT64(8, false);

  private final int width;
  private final boolean floating;

  NetcdfType(int width, boolean floating) {
    this.width = width;
    this.floating = floating;
  }

  static Optional<NetcdfType> of(int number) {
    return number < 1 || number > values().length
        ? Optional.empty()
        : Optional.of(values()[number - 1]);
  }

  Elements elements() {
    return width == 1 ? Elements.BYTES : new Elements(width, ByteOrder.BIG_ENDIAN, floating);
  }

  int width() {
    return width;
  }
}
