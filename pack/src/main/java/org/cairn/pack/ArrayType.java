// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.pack.locate.NumpyType;
import org.cairn.record.Field;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.transform.Elements;
import org.cairn.version.DatasetEntry;

/**
 * What the bytes of a stream are, for who wants to read them as an array.
 *
 * <pre>
 * ArrayType → width:v flags:u8 extent:v*      1 big-endian, 2 floating-point, 4 coded, 8 in pieces
 * NumpyType → text                            a field of its own, unless they are floating-point
 * </pre>
 *
 * @param shape of the variable, the slowest axis first
 * @param coded whether filters of its format are to be undone first
 * @param inPieces whether elements are not in the order of the array, as where there are chunks
 */
public record ArrayType(Elements elements, List<Long> shape, boolean coded, boolean inPieces) {
  /** The tag under which it is told with the dataset. */
  static final int TAG = 16;

  /** The tag of what NumPy calls elements; readers that do not know it pass it over. */
  static final int NUMPY_TAG = 17;

  private static final int BIG = 1;
  private static final int FLOATING = 2;
  private static final int CODED = 4;
  private static final int IN_PIECES = 8;
  private static final int MOST_AXES = 255;

  /** Takes a copy. */
  public ArrayType {
    shape = List.copyOf(shape);
  }

  /** Whether an array may have this shape. */
  static boolean isShape(List<Long> shape) {
    return shape.size() <= MOST_AXES && shape.stream().allMatch(extent -> extent >= 0);
  }

  Field toField() {
    RecordWriter out = RecordWriter.onHeap().putVarint(elements.width());
    out.putByte(
        (elements.order() == ByteOrder.BIG_ENDIAN ? BIG : 0)
            | (elements.floating() ? FLOATING : 0)
            | (coded ? CODED : 0)
            | (inPieces ? IN_PIECES : 0));
    shape.forEach(out::putVarint);
    return new Field(TAG, out.toArray());
  }

  static Field toField(NumpyType type) {
    return new Field(NUMPY_TAG, RecordWriter.onHeap().putText(type.name()).toArray());
  }

  /**
   * What NumPy calls elements of a dataset; empty if that is not told, as of integers in packs that
   * were made before it was.
   */
  static Optional<NumpyType> numpyType(DatasetEntry dataset, String origin) throws IOException {
    ArrayType array = of(dataset, origin).orElse(null);
    if (array == null) {
      return Optional.empty();
    }
    for (Field field : dataset.unknown()) {
      if (field.tag() == NUMPY_TAG) {
        return Optional.of(array.numpyType(RecordReader.of(field.bytes(), origin)));
      }
    }
    boolean known = array.elements.floating() || !array.elements.isNumeric();
    return known ? Optional.of(NumpyType.usual(array.elements)) : Optional.empty();
  }

  private NumpyType numpyType(RecordReader in) throws IOException {
    try {
      NumpyType type = new NumpyType(in.getText());
      if (type.width() == elements.width()) {
        return type;
      }
      throw in.corrupt("%s has not %d bytes".formatted(type, elements.width()));
    } catch (IllegalArgumentException e) {
      throw in.corrupt("the type of an array: " + e.getMessage());
    }
  }

  /** What is told of a dataset; empty if nothing is. */
  static Optional<ArrayType> of(DatasetEntry dataset, String origin) throws IOException {
    for (Field field : dataset.unknown()) {
      if (field.tag() == TAG) {
        return Optional.of(read(RecordReader.of(field.bytes(), origin)));
      }
    }
    return Optional.empty();
  }

  private static ArrayType read(RecordReader in) throws IOException {
    int width = in.getSmallVarint("width of elements");
    int flags = in.getByte();
    List<Long> shape = new ArrayList<>();
    while (in.remaining() > 0) {
      if (shape.size() == MOST_AXES) {
        throw in.corrupt("more than " + MOST_AXES + " axes");
      }
      shape.add(in.getVarint());
    }
    try {
      ByteOrder order = (flags & BIG) != 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
      return new ArrayType(
          new Elements(width, order, (flags & FLOATING) != 0),
          shape,
          (flags & CODED) != 0,
          (flags & IN_PIECES) != 0);
    } catch (IllegalArgumentException e) {
      throw in.corrupt("the type of an array: " + e.getMessage());
    }
  }
}
