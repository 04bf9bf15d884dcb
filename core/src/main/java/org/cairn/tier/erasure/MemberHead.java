// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collection;
import java.util.List;
import org.cairn.container.VersionView;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionHead;
import org.cairn.version.VersionInfo;

/**
 * What is needed to understand the bytes of a member, but the digests: the datasets of its version,
 * and where they lie. Its length follows from the datasets, not from their blocks.
 *
 * <pre>Head → head:counted Space      a {@link VersionHead}, a {@link ByteSpace}</pre>
 */
record MemberHead(VersionHead version, ByteSpace space, byte[] bytes) {
  /** A catalog of 16 MiB, and where so many datasets lie: a file of zeros could claim more. */
  static final int MAX_BYTES = 128 << 20;

  static MemberHead of(VersionView view, ByteSpace space) throws IOException {
    try (Arena arena = Supply.confinedArena()) {
      RecordWriter out = RecordWriter.onHeap();
      out.putCounted(VersionHead.write(view, arena).toArray(ValueLayout.JAVA_BYTE));
      return read(out.putBytes(space.write()).toArray(), "a head");
    }
  }

  static MemberHead read(byte[] bytes, String origin) throws IOException {
    return RecordReader.parse(
        bytes,
        origin,
        in -> {
          if (bytes.length > MAX_BYTES) {
            throw in.corrupt("%d bytes; it can have %d".formatted(bytes.length, MAX_BYTES));
          }
          MemorySegment head = MemorySegment.ofArray(in.getCounted());
          VersionHead version = VersionHead.read(head, origin);
          ByteSpace space = ByteSpace.read(in);
          in.expectEnd();
          return new MemberHead(version, space, bytes);
        });
  }

  VersionInfo info() {
    return version.info();
  }

  Digest root() {
    return new Digest(info().digestLow(), info().digestHigh());
  }

  Collection<DatasetEntry> datasets() {
    return version.datasets();
  }

  /** Whether it says of a version where its blocks are, slot by slot. */
  boolean hasSlotsOf(VersionView view) {
    return List.copyOf(datasets()).equals(List.copyOf(view.datasets()));
  }
}
