// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.util.List;
import org.cairn.Codec;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.pack.locate.NumpyType;
import org.cairn.record.Field;
import org.cairn.transform.Elements;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.SlotRuns;

/**
 * What a file has of one variable, or of the rest, while it is packed.
 *
 * @param key its class
 * @param elements what it consists of
 * @param type what elements of the variable are called; bytes, if they are coded
 * @param shape of the array that pieces of it are parts of
 * @param coded whether it went through a compressor before
 * @param whole the shape of the variable; that of pieces, unless it is stored in several
 */
record Stream(
    String name,
    String key,
    Elements elements,
    NumpyType type,
    List<Long> shape,
    List<Long> whole,
    boolean coded,
    Places places) {
  /**
   * A block of the smallest variables is a variable; large ones have a digest for so many bytes.
   */
  static final int BLOCK = 64 << 10;

  /** None if the file says what no array can be. */
  private List<Field> fields() {
    if (!ArrayType.isShape(whole)) {
      return List.of();
    }
    ArrayType array = new ArrayType(elements, whole, coded, !shape.equals(whole));
    return elements.floating()
        ? List.of(array.toField())
        : List.of(array.toField(), ArrayType.toField(type));
  }

  DatasetEntry entry(int firstSlot) {
    long length = places.length();
    DatasetSpec spec =
        new DatasetSpec(
            name,
            ElementType.OPAQUE,
            List.of(length),
            length,
            BLOCK,
            HashAlgorithm.XXH3_128,
            Codec.NONE);
    SlotRuns slots = SlotRuns.NONE.plus(firstSlot, Math.toIntExact(spec.blocks()));
    return new DatasetEntry(spec, slots, fields());
  }
}
