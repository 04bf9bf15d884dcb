// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import java.nio.ByteBuffer;
import java.util.List;
import org.cairn.ElementType;
import org.cairn.SavedDataset;
import org.cairn.cli.array.Slice;

/**
 * What becomes a file.
 *
 * @param name after which it is named
 * @param shape in which another program sees it
 * @param content its elements, one after the other
 * @param geometry where they lie
 * @param suffix what comes behind the name in that of its file
 */
record Exportable(
    String name,
    ElementType type,
    List<Long> shape,
    long bytes,
    DatasetFile.Content content,
    Geometry geometry,
    String suffix) {

  Exportable(
      String name, ElementType type, List<Long> shape, long bytes, DatasetFile.Content content) {
    this(name, type, shape, bytes, content, Geometry.NONE, "");
  }

  /** The same elements, of which it is known where they lie. */
  Exportable at(Geometry known) {
    return new Exportable(name, type, shape, bytes, content, known, suffix);
  }

  /** The same elements in a file with more behind its name. */
  Exportable called(String more) {
    return new Exportable(name, type, shape, bytes, content, geometry, more);
  }

  /** Its elements, and what comes behind them in a file. */
  DatasetFile.Content endingWith(byte[] tail) {
    return (channel, from, progress) -> {
      content.writeTo(channel, from, progress);
      ByteBuffer left = ByteBuffer.wrap(tail);
      long at = from + bytes;
      while (left.hasRemaining()) {
        at += channel.write(left, at);
      }
    };
  }

  /** A dataset of one rank. */
  static Exportable of(SavedDataset dataset) {
    return new Exportable(
        dataset.name(), dataset.type(), dataset.shape(), dataset.byteSize(), dataset::writeTo);
  }

  /** An array that ranks had together, or a slice of it. */
  static Exportable of(Slice.Of slice) {
    return new Exportable(
        slice.array().name(),
        slice.array().type(),
        slice.shape(),
        slice.array().byteSize(),
        slice.array()::writeTo);
  }
}
