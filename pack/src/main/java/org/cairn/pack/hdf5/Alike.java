// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.pack.locate.MalformedException;

/**
 * What the last dataset had. Most of the many datasets of a file have the same type and shape,
 * which are not made anew then. For one thread.
 */
final class Alike {
  private long head;
  private long properties;
  private Optional<Values> values = Optional.empty();

  private long[] lengths = {};
  private List<Long> axes = List.of();
  private List<Long> shape = List.of();

  /** What the elements are; nothing if the values are not where the elements are. */
  Optional<Values> values(Cursor message) throws IOException, MalformedException {
    Cursor again = message.copy();
    long first = upToEightBytes(message);
    long second = upToEightBytes(message);
    if (first == head && second == properties && values.isPresent()) {
      return values;
    }
    Optional<Values> read = Values.read(again);
    if (Values.isNumber(first)) {
      head = first;
      properties = second;
      values = read;
    }
    return read;
  }

  private static long upToEightBytes(Cursor message) throws IOException, MalformedException {
    int bytes = (int) Math.min(Long.BYTES, message.left());
    return bytes == 0 ? 0 : message.number(bytes);
  }

  /** The axes of a dataset, then those of its elements. */
  List<Long> shape(long[] ofDataset, List<Long> ofElements) {
    if (!isLast(ofDataset) || !axes.equals(ofElements)) {
      List<Long> all = new ArrayList<>();
      for (long length : ofDataset) {
        all.add(length);
      }
      all.addAll(ofElements);
      lengths = ofDataset;
      axes = ofElements;
      shape = List.copyOf(all);
    }
    return shape;
  }

  /** Plain code: it runs before it is compiled. */
  private boolean isLast(long[] ofDataset) {
    if (ofDataset.length != lengths.length) {
      return false;
    }
    for (int i = 0; i < lengths.length; i++) {
      if (ofDataset[i] != lengths[i]) {
        return false;
      }
    }
    return true;
  }
}
