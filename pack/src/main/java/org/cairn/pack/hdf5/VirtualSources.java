// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.MalformedException;

/**
 * What a virtual dataset is made of: a list in a global heap.
 *
 * <pre>
 * Heap   → "GCOL", 1, 0:24, Size:length, Object*
 * Object → Index:16, References:16, 0:32, Size:length, bytes, up to a multiple of 8
 * List   → Version:8, Count:length, (File, 0, Dataset, 0, selections)*
 * </pre>
 */
final class VirtualSources {
  private VirtualSources() {}

  /** The first of them, for people; what follows it is not as easy to skip as to name. */
  static String first(Metadata file, Layout.Virtual layout) throws IOException, MalformedException {
    Cursor list = object(file, layout.heap(), layout.object());
    list.skip(1L + file.superblock().lengthBytes());
    String from = list.textToZero(Link.LONGEST_NAME);
    String dataset = list.textToZero(Link.LONGEST_NAME);
    return dataset + (from.equals(".") ? " in this file" : " in the file " + from);
  }

  private static Cursor object(Metadata file, long at, long wanted)
      throws IOException, MalformedException {
    Cursor header = file.from(at).expect("GCOL", 1).skip(3);
    Cursor objects = file.within(header.at(), at + header.length()).skip(lengthBytes(file));
    while (objects.left() >= 8L + lengthBytes(file)) {
      file.step();
      int index = objects.u16();
      long size = objects.skip(6).length();
      if (index == wanted) {
        return file.bytes(objects.at(), size);
      }
      // The free space at the end counts its own header.
      objects.skip(index == 0 ? objects.left() : Math.ceilDiv(size, 8) * 8);
    }
    throw new MalformedException(at, "lists what it is made of nowhere");
  }

  private static int lengthBytes(Metadata file) {
    return file.superblock().lengthBytes();
  }
}
