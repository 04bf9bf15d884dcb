// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.version.Catalog;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DigestUpdate;
import org.cairn.version.MapRecord;
import org.cairn.version.RootDigest;
import org.cairn.version.SlotOwners;
import org.cairn.version.VersionInfo;

/**
 * Writes the records of a version and forces them, so that only the superblock is left: the middle
 * of a commit, between its blocks and its publication. For one version.
 */
final class Preparation {
  /**
   * A longer log, of a base and map deltas, is replaced by a base: one in 64 checkpoints writes a
   * whole map. So is one this many times the base. Records do not move, and each may keep a region
   * from becoming free: so there must not be many, and none that keeps the tail of the file where
   * there is room for a base further ahead.
   */
  private static final int MAX_LOG_RECORDS = 65;

  private static final int MIN_LOG_RECORDS = 4;
  private static final long SMALL_BASE_BYTES = 1 << 10;

  private static final int MAX_LOG_RATIO = 2;
  private static final long MIN_LOG_BYTES = 64 << 10;

  private final ContainerWriter writer;
  private final Root root;
  private final Base base;
  private final NextRoot next;

  Preparation(Holdings held, Retention retention) {
    this.writer = held.writer();
    this.root = held.root();
    this.base = held.base();
    this.next = new NextRoot(root, retention);
  }

  /** Writes the records of a version, and forces them and all that the commit stored before. */
  Prepared run(Pending pending) throws IOException {
    writer.ensureUsable();
    List<Root.MapRef> newRecords = new ArrayList<>(root.records());
    long written = pending.bytesWritten();
    Root.Entry parent = base.version();
    if (parent != null
        && needsBase(root, base, writer.space(), parent, pending.delta().position())) {
      Pointer basePlace = writer.writeBase(base.map(), base.catalog());
      newRecords.add(new Root.MapRef(true, basePlace));
      parent = new Root.Entry(parent.info(), newRecords.size() - 1, parent.catalog());
      written += basePlace.length();
    }
    boolean alike = parent != null && pending.catalog().equals(base.catalog());
    Catalog catalog = alike ? base.catalog() : pending.catalog();
    boolean stays = parent != null && alike && !writer.space().isStranded(parent.catalog());
    Pointer catalogPlace =
        parent != null && stays ? parent.catalog() : writer.writeCatalog(catalog);
    Pointer deltaPlace = writer.writeMap(pending.delta());
    newRecords.add(new Root.MapRef(false, deltaPlace));
    written += deltaPlace.length();
    if (!stays) {
      written += catalogPlace.length();
    }
    SlotOwners owners = alike ? base.owners() : SlotOwners.of(catalog);
    VersionInfo info = describe(pending, written, owners);
    refuseUnexpected(info, pending.original());
    Root nextRoot = next.with(newRecords, parent, info, catalogPlace).naming(catalog);
    Pointer rootPlace = writer.writeRoot(nextRoot);
    // Force before publishing: a crash in between must lose the version, not the data.
    writer.force();
    return new Prepared(pending, info, nextRoot, rootPlace, catalog, owners);
  }

  /** How long a whole map is that the next version will be preceded by; 0 if none is due yet. */
  static long dueBaseBytes(Holdings held) {
    Root root = held.root();
    Root.Entry parent = held.base().version();
    return parent != null && needsBase(root, held.base(), held.space(), parent, 0)
        ? baseLength(root.chain(parent))
        : 0;
  }

  private static long baseLength(List<Root.MapRef> log) {
    return log.getFirst().place().length();
  }

  private static boolean needsBase(
      Root root, Base base, Space space, Root.Entry parent, long deltaLength) {
    if (base.inThePast()) {
      return true;
    }
    List<Root.MapRef> log = root.chain(parent);
    long baseLength = baseLength(log);
    long logLength = deltaLength;
    for (Root.MapRef record : log.subList(1, log.size())) {
      logLength += record.place().length();
    }
    return log.stream().anyMatch(record -> space.isStranded(record.place(), baseLength))
        || log.size() >= mostRecords(baseLength)
        || logLength > Math.max(MIN_LOG_BYTES, MAX_LOG_RATIO * baseLength);
  }

  /** A record takes a page; where the base is as small, it is cheaper to write than to avoid. */
  private static long mostRecords(long baseLength) {
    return Math.clamp(baseLength / SMALL_BASE_BYTES, MIN_LOG_RECORDS, MAX_LOG_RECORDS);
  }

  private VersionInfo describe(Pending pending, long written, SlotOwners owners)
      throws IOException {
    VersionInfo before = base.info();
    RootDigest digest = before == null ? new RootDigest() : new RootDigest(before);
    DigestUpdate.datasets(digest, base.catalog(), pending.catalog());
    read(pending, new DigestUpdate(digest, base.map(), base.owners(), owners));
    long protectedBytes = 0;
    for (DatasetEntry dataset : pending.catalog().datasets()) {
      protectedBytes += dataset.spec().byteLength();
    }
    return new VersionInfo(
        pending.id(),
        pending.tiers(),
        pending.takenAt(),
        protectedBytes,
        pending.blocks(),
        pending.dirtyBlocks(),
        written,
        digest.low(),
        digest.high(),
        pending.unknown());
  }

  /** Tells what the delta of a commit says. */
  static void read(Pending pending, MapRecord.Visitor visitor) throws CorruptContainerException {
    MapRecord.read(new RecordReader(pending.delta().bytes(), "memory", 0), false, visitor);
  }

  /** A copy that does not come out like the original must not become durable. */
  private void refuseUnexpected(VersionInfo info, Optional<Commit.Expected> original)
      throws CorruptContainerException {
    if (original.isPresent() && !original.get().isOf(info)) {
      throw new CorruptContainerException(
          writer.location(),
          -1,
          "the copy of version %s would have root digest %016x%016x, expected %s"
              .formatted(info.id(), info.digestHigh(), info.digestLow(), original.get()));
    }
  }
}
