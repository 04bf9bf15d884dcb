// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What a version consists of, without its digests, as bytes that mean the same in every container.
 *
 * <pre>
 * Head        → "HEAD" 0:u32 VersionInfo {@link VersionFormat Catalog}
 * VersionInfo → length:u32 Fields      those of a VersionEntry, without 5 and 6
 * </pre>
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
  public static MemorySegment write(VersionMap version, Arena arena) {
    try (RecordWriter out = RecordWriter.onHeap()) {
      write(version.info(), version.datasets(), out);
      return arena.allocate(out.position(), 8).copyFrom(out.bytes());
    }
  }

  /** Puts the head of a version into a record that is empty so far. */
  public static void write(VersionInfo info, Collection<DatasetEntry> datasets, RecordWriter out) {
    out.putInt(TAG).putInt(0);
    info.write(out);
    Catalog.of(datasets).write(out);
  }

  /**
   * Reads a head.
   *
   * @param origin where the bytes come from, for messages
   * @throws CorruptContainerException if they are none
   * @throws UnsupportedFormatException if only a later release understands them
   */
  public static VersionHead read(MemorySegment bytes, String origin) throws IOException {
    RecordReader in = new RecordReader(bytes, origin, 0);
    in.expectTag(TAG, "the head of a version");
    in.getInt();
    VersionInfo info = VersionInfo.read(Fields.read(in.getCountedRecord()));
    return new VersionHead(info, Catalog.read(in.getRecord(in.remaining())));
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
