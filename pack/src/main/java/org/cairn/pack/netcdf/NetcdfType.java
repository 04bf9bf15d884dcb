// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.netcdf;

import java.nio.ByteOrder;
import java.util.Optional;
import org.cairn.pack.locate.NumpyType;
import org.cairn.transform.Elements;

/** What a value is; the numbers from 1 on are those of the format. */
enum NetcdfType {
  BYTE(1, 'i'),
  CHAR(1, 'S'),
  SHORT(2, 'i'),
  INT(4, 'i'),
  FLOAT(4, 'f'),
  DOUBLE(8, 'f'),
  UBYTE(1, 'u'),
  USHORT(2, 'u'),
  UINT(4, 'u'),
  INT64(8, 'i'),
  UINT64(8, 'u');

  private final int width;
  private final char kind;

  /** The kind is what NumPy calls it. */
  NetcdfType(int width, char kind) {
    this.width = width;
    this.kind = kind;
  }

  static Optional<NetcdfType> of(int number) {
    return number < 1 || number > values().length
        ? Optional.empty()
        : Optional.of(values()[number - 1]);
  }

  Elements elements() {
    return width == 1 ? Elements.BYTES : new Elements(width, ByteOrder.BIG_ENDIAN, kind == 'f');
  }

  NumpyType numpy() {
    return NumpyType.number(kind, elements());
  }

  int width() {
    return width;
  }
}
