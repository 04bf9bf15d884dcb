// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A file that is in memory.
 *
 * @param name its name, without a directory
 * @param bytes all of it
 */
public record MemorySource(String name, MemorySegment bytes) implements ByteSource {
  @Override
  public long size() {
    return bytes.byteSize();
  }

  @Override
  public void read(long offset, MemorySegment target) {
    Objects.checkFromIndexSize(offset, target.byteSize(), size());
    MemorySegment.copy(bytes, offset, target, 0, target.byteSize());
  }
}
