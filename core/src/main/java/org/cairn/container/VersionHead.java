// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import org.cairn.record.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What a version consists of, without its digests, as bytes that mean the same in every container.
 *
 * <pre>Head → tag:u32 reserved:u32 VersionInfo Catalog</pre>
 */
public final class VersionHead {
  private static final int TAG = 0x44414548; // "HEAD"

  private final VersionInfo info;
  private final Catalog catalog;

  private VersionHead(VersionInfo info, Catalog catalog) {
    this.info = info;
    this.catalog = catalog;
  }

  /** The head of a version, in memory of {@code arena}. */
  public static MemorySegment write(VersionView view, Arena arena) {
    try (RecordWriter out = new RecordWriter()) {
      out.putInt(TAG);
      out.putInt(0);
      view.info().write(out);
      MemorySegment info = arena.allocate(out.position(), 8).copyFrom(out.bytes());
      out.reset();
      view.catalog().write(out);
      MemorySegment head = arena.allocate(info.byteSize() + out.position(), 8).copyFrom(info);
      MemorySegment.copy(out.bytes(), 0, head, info.byteSize(), out.position());
      return head;
    }
  }

  /**
   * Reads a head.
   *
   * @param origin where the bytes come from, for messages
   */
  public static VersionHead read(MemorySegment bytes, String origin)
      throws CorruptContainerException {
    RecordReader in = new RecordReader(bytes, origin, 0);
    in.expectTag(TAG, "the head of a version");
    in.getInt();
    VersionInfo info = VersionInfo.read(in);
    long start = bytes.byteSize() - in.remaining();
    return new VersionHead(
        info, Catalog.read(new RecordReader(bytes.asSlice(start), origin, start)));
  }

  /** What the container it comes from says of the version. */
  public VersionInfo info() {
    return info;
  }

  /** Its datasets, in the order in which they were saved. */
  public Collection<DatasetEntry> datasets() {
    return catalog.datasets();
  }

  Catalog catalog() {
    return catalog;
  }
}
