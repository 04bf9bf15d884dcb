// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collection;
import java.util.Optional;
import org.cairn.CorruptContainerException;
import org.cairn.container.VersionView;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;
import org.cairn.version.RootDigest;
import org.cairn.version.SlotOwners;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionMap;

/**
 * All that is needed to understand and verify the bytes of a member: its version without the bytes,
 * and where they lie.
 *
 * <pre>Whole → head:counted {@link DigestPages Page}*</pre>
 */
final class MemberMap implements MapMessage, VersionMap {
  /** As long as an array can be: 16 bytes a slot. */
  static final int MAX_BYTES = Integer.MAX_VALUE - 8;

  private final MemberHead head;
  private final SlotOwners owners;
  private final DigestPages pages;

  private MemberMap(MemberHead head, SlotOwners owners, DigestPages pages) {
    this.head = head;
    this.owners = owners;
    this.pages = pages;
  }

  static MemberMap of(VersionView view, ByteSpace space) throws IOException {
    SlotOwners owners = SlotOwners.of(view.datasets());
    long bytes = DigestPages.bytes(owners.end());
    if (bytes > MAX_BYTES) {
      throw new IOException(
          "the map of version %s has %d bytes; it can have %d: choose a larger block size"
              .formatted(view.info().id(), bytes, MAX_BYTES));
    }
    DigestPages pages = new DigestPages(MemorySegment.ofArray(Supply.bytes((int) bytes)));
    for (DatasetEntry dataset : view.datasets()) {
      for (int block = 0; block < dataset.blocks(); block++) {
        if (view.isZero(dataset, block)) {
          pages.zero(dataset.slotOf(block));
        } else {
          pages.block(dataset.slotOf(block), view.low(dataset, block), view.high(dataset, block));
        }
      }
    }
    return new MemberMap(MemberHead.of(view, space), owners, pages);
  }

  static MemberMap read(RecordReader in) throws IOException {
    MemberHead head = MemberHead.read(in.getCounted(), in.file());
    return of(head, in.getRest(), in.file());
  }

  /** Puts a map together that was kept in two parts. */
  static MemberMap of(MemberHead head, byte[] pages, String origin) throws IOException {
    SlotOwners owners = SlotOwners.of(head.datasets());
    if (pages.length != DigestPages.bytes(owners.end())) {
      throw new CorruptContainerException(
          origin, -1, "%d bytes of digests for %d slots".formatted(pages.length, owners.end()));
    }
    return new MemberMap(head, owners, new DigestPages(MemorySegment.ofArray(pages)));
  }

  /** Refuses a map that is not that of the version it says it is. */
  MemberMap checked(String origin) throws IOException {
    if (!RootDigest.holds(digest -> digest.add(this), head.root())) {
      throw new CorruptContainerException(
          origin, -1, "the digests are not those of version " + info().id());
    }
    return this;
  }

  @Override
  public MemberHead head() {
    return head;
  }

  ByteSpace space() {
    return head.space();
  }

  SlotOwners owners() {
    return owners;
  }

  DigestPages pages() {
    return pages;
  }

  @Override
  public byte[] write() {
    return RecordWriter.onHeap()
        .putInt(WHOLE)
        .putCounted(head.bytes())
        .putBytes(pages.memory().toArray(ValueLayout.JAVA_BYTE))
        .toArray();
  }

  @Override
  public VersionInfo info() {
    return head.info();
  }

  @Override
  public Collection<DatasetEntry> datasets() {
    return head.datasets();
  }

  @Override
  public Optional<DatasetEntry> find(String name) {
    return datasets().stream().filter(dataset -> dataset.name().equals(name)).findFirst();
  }

  @Override
  public boolean isZero(DatasetEntry dataset, int block) {
    return pages.isZero(dataset.slotOf(block));
  }

  @Override
  public long low(DatasetEntry dataset, int block) {
    return pages.low(dataset.slotOf(block));
  }

  @Override
  public long high(DatasetEntry dataset, int block) {
    return pages.high(dataset.slotOf(block));
  }
}
