// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.cairn.ElementType;
import org.cairn.frame.TypedBytes;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.transform.Elements;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;

/**
 * What blocks of a dataset are, for whoever puts them into frames.
 *
 * @param key the class, as {@code T_F64LE_2D}: datasets of all ranks that are alike
 * @param elements what the bytes are
 * @param shape of the whole array
 * @param blockSize where it may be cut
 */
record TypedDataset(String key, Elements elements, List<Long> shape, int blockSize) {
  private static final int MOST_AXES = 64;

  /** Variables of fewer bytes are not worth a class of their own: mcrEngine's threshold. */
  private static final int SMALLEST = 100;

  private static final TypedDataset REST =
      new TypedDataset("rest", Elements.BYTES, List.of(), SMALLEST);

  static TypedDataset of(DatasetEntry dataset) {
    DatasetSpec spec = dataset.spec();
    if (spec.byteLength() < SMALLEST) {
      return REST;
    }
    Elements elements = elements(spec);
    String key = "%s_%s_%dD".formatted(spec.name(), label(elements), spec.shape().size());
    return new TypedDataset(key, elements, spec.shape(), spec.blockSize());
  }

  /** Blocks that end within an element are bytes to whoever gets one of them. */
  private static Elements elements(DatasetSpec spec) {
    ElementType type = spec.type();
    if (spec.blockSize() % type.bytes() != 0 || type.bytes() == 1) {
      return Elements.BYTES;
    }
    return type == ElementType.DOUBLE || type == ElementType.FLOAT
        ? Elements.floats(type.bytes(), ByteOrder.LITTLE_ENDIAN)
        : Elements.integers(type.bytes(), ByteOrder.LITTLE_ENDIAN);
  }

  private static String label(Elements elements) {
    return elements.width() == 1
        ? "U8"
        : (elements.floating() ? "F" : "I") + 8 * elements.width() + "LE";
  }

  /** A run of whole blocks. */
  TypedBytes piece(MemorySegment bytes) {
    return new TypedBytes(key, elements, shape, bytes);
  }

  void write(RecordWriter out) {
    out.putText(key).putByte(elements.width()).putByte(elements.floating() ? 1 : 0);
    out.putVarint(shape.size());
    shape.forEach(out::putVarint);
    out.putVarint(blockSize);
  }

  static TypedDataset read(RecordReader in) throws IOException {
    String key = in.getText();
    int width = in.getByte();
    boolean floating = in.getByte() != 0;
    int axes = in.getSmallVarint("a number of axes");
    if (axes > MOST_AXES) {
      throw in.corrupt("expected at most %d axes, found %d".formatted(MOST_AXES, axes));
    }
    List<Long> shape = new ArrayList<>();
    for (int i = 0; i < axes; i++) {
      shape.add(in.getVarint());
    }
    int blockSize = in.getSmallVarint("a block size");
    return new TypedDataset(
        key, new Elements(width, ByteOrder.LITTLE_ENDIAN, floating), shape, blockSize);
  }
}
