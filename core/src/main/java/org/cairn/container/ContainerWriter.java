// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.cairn.hash.Xxh3;
import org.cairn.record.RecordWriter;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreLock;
import org.cairn.version.BlockMap;
import org.cairn.version.Catalog;
import org.cairn.version.MapRecord;
import org.jspecify.annotations.Nullable;

/**
 * Writes to the file of an open container: records to free space, forces, and the superblocks that
 * lead to them. Knows what is durable; once nobody does, it refuses.
 */
final class ContainerWriter {
  /** More memory than this for single records is given back; a base now and then is large. */
  private static final long LARGEST_SCRATCH = 16 << 10;

  private final ContainerFile records;
  private final StoreFile file;
  private final StoreLock lock;
  private final List<String> problems;
  private final Ledger ledger = new Ledger();
  private final RecordWriter scratch = new RecordWriter();
  private final RecordWriter deltaBytes = new RecordWriter();
  private Superblock superblock;
  private long nextSequence;

  /** Why nobody knows any more what is durable; null as long as one does. */
  private volatile @Nullable IOException broken;

  private boolean closed;

  /**
   * Writes behind a superblock that was found.
   *
   * @param problems is told what goes wrong and can be done without
   */
  ContainerWriter(
      ContainerFile records, StoreLock lock, Superblock superblock, List<String> problems) {
    this.records = records;
    this.file = records.file();
    this.lock = lock;
    this.superblock = superblock;
    this.problems = problems;
    this.nextSequence = superblock.lastSequence() + 1;
  }

  /**
   * Writes the superblock that was found once more. After a failed force it may be visible without
   * being durable, and no later force changes that; only writing it again does. The other slot may
   * hold the only durable one, and must not be touched before.
   */
  void affirm() throws IOException {
    superblock.write(file);
    file.force();
  }

  /** Makes a new epoch durable before anything can bear it. */
  void startEpoch(long epoch) throws IOException {
    Superblock next =
        new Superblock(
            superblock.otherSlot(),
            superblock.id(),
            superblock.sequence() + 1,
            epoch,
            superblock.lastSequence(),
            superblock.root(),
            superblock.end());
    next.write(file);
    file.force();
    superblock = next;
  }

  /** The sequence number that the next version gets unless somebody else says. */
  long nextSequence() {
    return nextSequence;
  }

  /** A sequence number is not used again, even if its version never becomes durable. */
  void useUp(long sequence) {
    nextSequence = Math.max(nextSequence, sequence + 1);
  }

  Pointer writeCatalog(Catalog catalog) throws IOException {
    scratch.reset();
    catalog.write(scratch);
    return write(
        scratch,
        ContainerFormat.MAX_CATALOG,
        "the list of datasets; protect fewer and larger ones");
  }

  Pointer writeRoot(Root next) throws IOException {
    if (next.versions().size() > ContainerFormat.MAX_VERSIONS) {
      throw new IOException(
          "%s would have %d versions; it can have %d: retain fewer"
              .formatted(location(), next.versions().size(), ContainerFormat.MAX_VERSIONS));
    }
    scratch.reset();
    next.write(scratch);
    refuseBeyond(
        ContainerFormat.MAX_ROOT, scratch, "the list of versions; retain fewer", location());
    long length = scratch.position();
    return length > ContainerFormat.COMMIT_ALIGNMENT
        ? write(scratch, ledger.space().takeApart(length))
        : write(scratch, ledger.space().take(length, length));
  }

  /** Writes all that a map says, as a base record. */
  Pointer writeBase(BlockMap map, Catalog catalog) throws IOException {
    MapRecord.Builder builder = new MapRecord.Builder(scratch);
    builder.start(true);
    // Whenever memory grows or goes the JVM asks all its threads; a record takes about as much
    // as the map.
    scratch.reserve(map.memoryBytes());
    map.describe(catalog, builder);
    return writeMap(builder.finish());
  }

  Pointer writeMap(RecordWriter record) throws IOException {
    return write(record, ContainerFormat.MAX_MAP_RECORD, "a block map; choose a larger block size");
  }

  private Pointer write(RecordWriter record, long limit, String what) throws IOException {
    refuseBeyond(limit, record, what, location());
    long length = record.position();
    return write(record, ledger.space().take(length, length));
  }

  private Pointer write(RecordWriter record, Space.Extent extent) throws IOException {
    file.write(extent.offset(), record.bytes());
    return pointer(record, extent.offset());
  }

  /** What nobody would read must not be written. */
  static void refuseBeyond(long limit, RecordWriter record, String what, String location)
      throws IOException {
    if (record.position() > limit) {
      throw new IOException(
          "%s: %d bytes are more than the %d that a container can have for %s"
              .formatted(location, record.position(), limit, what));
    }
  }

  static Pointer pointer(RecordWriter record, long offset) {
    long[] checksum = new long[2];
    Xxh3.digest(record.bytes(), 0, record.position(), checksum, 0);
    return new Pointer(offset, record.position(), checksum[0], checksum[1]);
  }

  /** Leads to a root that is durable. */
  void writeSuperblock(Pointer rootPlace) throws IOException {
    Superblock next =
        new Superblock(
            superblock.otherSlot(),
            superblock.id(),
            superblock.sequence() + 1,
            superblock.epoch(),
            nextSequence - 1,
            rootPlace,
            ledger.space().end());
    try {
      next.write(file);
      file.force();
    } catch (IOException | RuntimeException | Error e) {
      breakDown(e);
      throw e;
    }
    superblock = next;
  }

  /** Makes durable what was written. */
  void force() throws IOException {
    try {
      file.force();
    } catch (IOException | RuntimeException | Error e) {
      // The system reports a lost page once: the next force could succeed without it.
      breakDown(e);
      throw e;
    }
  }

  /** What nobody can find by its name is not durable, however well it was forced. */
  void requireNamed() throws IOException {
    try {
      if (!file.isNamed()) {
        throw new NoSuchFileException(
            location(),
            null,
            "was deleted or replaced while it was open; what was saved there is lost, the next checkpoint saves everything anew if there is no other file of that name");
      }
      if (!lock.isNamed()) {
        throw new NoSuchFileException(
            location() + ".lock",
            null,
            "was deleted or replaced while it was held: another process may write to the same container; end one of them");
      }
    } catch (IOException | RuntimeException | Error e) {
      breakDown(e);
      throw e;
    }
  }

  /**
   * Gives back what lies behind {@code end}: after a full disk the space of the failed commit
   * should be there for others at once. If that fails, the next commit tries again.
   */
  void cutTail(long end) {
    if (broken != null || closed) {
      return;
    }
    try {
      if (file.size() > end) {
        file.truncate(end);
      }
    } catch (IOException e) {
      problems.add("could not cut the file to " + end + " bytes: " + e.getMessage());
    }
  }

  /** That somebody knows what is durable. */
  void ensureUsable() throws IOException {
    if (broken != null) {
      throw new IOException(
          location() + " must be opened again: what is durable is unknown since a write failed",
          broken);
    }
  }

  /** That the file is open, and memory says what is in it. */
  void ensureReadable() throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    ensureUsable();
  }

  /** From now on nobody knows what is durable, or memory does not say it. */
  void breakDown(Throwable reason) {
    broken = reason instanceof IOException io ? io : new IOException(reason);
  }

  /** Whether nobody knows any more what is durable. */
  boolean isBroken() {
    return broken != null;
  }

  /** Where what goes wrong, and can be done without, is noted. */
  List<String> problems() {
    return problems;
  }

  /** Notes a problem once. */
  void note(String problem) {
    if (!problems.contains(problem)) {
      problems.add(problem);
    }
  }

  String location() {
    return records.location();
  }

  ContainerFile records() {
    return records;
  }

  StoreFile file() {
    return file;
  }

  Ledger ledger() {
    return ledger;
  }

  Space space() {
    return ledger.space();
  }

  Superblock superblock() {
    return superblock;
  }

  /** Memory for one record at a time. */
  RecordWriter scratch() {
    return scratch;
  }

  /** Memory for what a commit says as it is made. */
  RecordWriter deltaBytes() {
    return deltaBytes;
  }

  /**
   * Gives memory back that only a large record needed.
   *
   * @param mapBytes how much the map of the newest version takes
   */
  void trim(long mapBytes) {
    if (deltaBytes.capacity() > mapBytes / 2) {
      // A checkpoint of nearly everything; the next will hardly be one, or can afford it again.
      deltaBytes.trim(mapBytes / 4);
    }
    if (scratch.capacity() > LARGEST_SCRATCH) {
      scratch.trim(LARGEST_SCRATCH);
    }
  }

  long memoryBytes() {
    return deltaBytes.capacity() + scratch.capacity();
  }

  /** Lets go of file and lock, without forcing. Closing twice is fine. */
  void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try (lock;
        file) {
      deltaBytes.close();
      scratch.close();
    }
  }
}
