// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.CorruptContainerException;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.supply.Mutex;
import org.cairn.supply.Supply;
import org.cairn.version.BlockMap;
import org.cairn.version.Catalog;
import org.cairn.version.DatasetSpec;
import org.cairn.version.SlotOwners;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * One round over all that the retained versions of an open container have in its file: superblocks,
 * root, map records and catalogs first, then the blocks of the newest version in the order of their
 * slots, then of each older one those that the next newer one does not have in the same place.
 *
 * <p>Assumptions:
 *
 * <ol>
 *   <li>One thread makes steps. Others may commit to the container and close it meanwhile.
 * </ol>
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>What a step reads is held: commits do not give its place away before the step has ended.
 *   <li>What is in use at the same place during the whole round is read, once.
 *   <li>What is bad is made known to the container, which mends it with its next commit; nothing is
 *       written here.
 * </ol>
 */
public final class ContainerScrub implements AutoCloseable {
  /** What is read at a time, and so what is held. */
  private static final int PIECE_BYTES = 1 << 20;

  /** Slots without bytes are passed over, but the lock is not held for long. */
  private static final int PIECE_SLOTS = 1 << 14;

  /** Records that are longer are not kept in memory if only the cache has them well. */
  private static final int MAX_RESCUED_RECORD = 1 << 20;

  private final Container container;
  private final Holdings holdings;
  private final Optional<StoreFile> medium;
  private final ContainerFile file;
  private final Arena arena = Supply.sharedArena();
  private final MemorySegment buffer = arena.allocate(PIECE_BYTES, 64);
  private final BlockCheck check = new BlockCheck();
  private List<String> found = new ArrayList<>();

  private enum Phase {
    RECORDS,
    NEWEST,
    OLDER,
    DONE
  }

  private Phase phase = Phase.RECORDS;
  private @Nullable Deque<Map.Entry<Pointer, String>> records;
  private int slot;

  /** Whose slots {@code owners} tells. */
  private @Nullable Catalog catalog;

  private SlotOwners owners = SlotOwners.NOBODY;
  private Deque<VersionId> olderOnes = new ArrayDeque<>();
  private @Nullable VersionId olderId;
  private @Nullable BlockMap older;

  /** The map of the next newer version; null if it is the container's own. */
  private @Nullable BlockMap newer;

  private long bytes;

  /** A round over a container, read past the system's cache if the store can do that. */
  public ContainerScrub(Container container, Store store) throws IOException {
    this.container = container;
    this.holdings = container.held();
    try {
      this.medium = store.openUncached(container.name());
      this.file =
          medium
              .map(uncached -> new ContainerFile(uncached, container.location()))
              .orElseGet(holdings::records);
    } catch (IOException | RuntimeException | Error e) {
      free();
      throw e;
    }
  }

  /** Whether the medium itself is read, and not what the system's memory has of it. */
  public boolean isUncached() {
    return medium.isPresent();
  }

  /** Whether the round is complete. */
  public boolean isDone() {
    return phase == Phase.DONE;
  }

  /** How many bytes have been verified. */
  public long bytes() {
    return bytes;
  }

  /** What was found to be bad since this was asked last, and was not known before. */
  public List<String> takeFound() {
    List<String> taken = found;
    found = new ArrayList<>();
    return taken;
  }

  /**
   * Verifies the next piece, of a mebibyte at most unless a single record is longer.
   *
   * @return how many bytes were read
   * @throws ClosedChannelException if the container was closed
   */
  public long step() throws IOException {
    long read =
        switch (phase) {
          case RECORDS -> stepRecords();
          case NEWEST, OLDER -> stepBlocks();
          case DONE -> 0;
        };
    bytes += read;
    return read;
  }

  // ---------------------------------------------------------------- records

  private long stepRecords() throws IOException {
    Deque<Map.Entry<Pointer, String>> todo = records;
    if (todo == null) {
      try (Mutex.Held _ = container.hold()) {
        checkAnchors();
        todo = new ArrayDeque<>(named(holdings.root()).entrySet());
      }
      records = todo;
      return 2 * ContainerFormat.SUPERBLOCK_BYTES;
    }
    Map.Entry<Pointer, String> next = todo.poll();
    if (next == null) {
      records = null;
      phase = Phase.NEWEST;
      return 0;
    }
    ExtentList held = hold(next.getKey());
    if (held == null) {
      return 0; // it has gone since
    }
    try {
      checkRecord(next.getKey(), next.getValue());
    } finally {
      letGo(held);
    }
    return next.getKey().length();
  }

  /** Each record with what it is, for people. */
  private static Map<Pointer, String> named(Root root) {
    Map<Pointer, String> named = new LinkedHashMap<>();
    for (Root.Entry version : root.versions().reversed()) {
      String id = version.info().id().toString();
      root.chain(version)
          .forEach(
              record ->
                  named.merge(
                      record.place(), "the block map of version " + id, (a, b) -> a + ", " + id));
      named.merge(version.catalog(), "the catalog of version " + id, (a, b) -> a + ", " + id);
    }
    return named;
  }

  private void checkRecord(Pointer place, String what) throws IOException {
    try (Arena memory = Supply.confinedArena()) {
      file.record(place, what, ContainerFormat.MAX_MAP_RECORD, memory);
    } catch (CorruptContainerException e) {
      byte[] rescued = rescue(place, what);
      try (Mutex.Held _ = container.hold()) {
        String wrong = String.valueOf(e.getMessage());
        tell(holdings.rot().add(place, wrong, rescued), wrong);
      }
    }
  }

  private byte @Nullable [] rescue(Pointer place, String what) throws IOException {
    if (medium.isEmpty() || place.length() > MAX_RESCUED_RECORD) {
      return null;
    }
    try (Arena memory = Supply.confinedArena()) {
      return holdings
          .records()
          .record(place, what, ContainerFormat.MAX_MAP_RECORD, memory)
          .getMemory(place.length())
          .toArray(ValueLayout.JAVA_BYTE);
    } catch (CorruptContainerException e) {
      return null;
    }
  }

  private void tell(boolean isNew, String what) {
    if (isNew) {
      found.add(what);
    }
  }

  /** Both superblocks, and the root of the newest: under the lock nobody writes them meanwhile. */
  private void checkAnchors() throws IOException {
    String wrong = null;
    try {
      Superblock.Pair pair = Superblock.readBoth(file.file(), file.location());
      if (!pair.problems().isEmpty()) {
        wrong = file.location() + ": " + pair.problems().getFirst();
      } else if (!pair.readable().getFirst().equals(holdings.writer().superblock())) {
        wrong =
            file.location()
                + ": superblock "
                + holdings.writer().superblock().slot()
                + " is an old one";
      } else {
        try (Arena memory = Supply.confinedArena()) {
          file.record(
              holdings.writer().superblock().root(),
              "the list of versions",
              ContainerFormat.MAX_ROOT,
              memory);
        }
      }
    } catch (CorruptContainerException e) {
      wrong = e.getMessage();
    }
    if (wrong != null && holdings.rot().addAnchor(wrong)) {
      found.add(wrong);
    }
  }

  // ---------------------------------------------------------------- blocks

  /** A block to be verified, and whose it is. */
  private record Candidate(
      BlockCheck.Expected expected, String dataset, int block, int slot, VersionId version) {}

  private long stepBlocks() throws IOException {
    if (phase == Phase.OLDER && older == null && !loadOlder()) {
      phase = Phase.DONE;
      return 0;
    }
    List<Candidate> piece;
    ExtentList held = new ExtentList();
    try (Mutex.Held _ = container.hold()) {
      container.ensureReadable();
      piece = collect();
      piece.forEach(one -> held.extent(one.expected.place(), one.expected.storedLength()));
      holdings.ledger().hold(held);
    }
    try {
      piece.sort(Comparator.comparingLong(one -> one.expected.place()));
      verify(piece);
    } finally {
      letGo(held);
    }
    return piece.stream().mapToLong(one -> one.expected.storedLength()).sum();
  }

  /** The blocks of the next piece; moves on to the next version behind the last one. */
  private List<Candidate> collect() {
    List<Candidate> piece = new ArrayList<>();
    Root.Entry newest = holdings.base().version();
    VersionId version =
        phase == Phase.NEWEST ? newest == null ? null : newest.info().id() : olderId;
    BlockMap map = phase == Phase.NEWEST ? holdings.map() : older;
    if (phase == Phase.NEWEST && catalog != holdings.catalog()) {
      useCatalog(holdings.catalog());
    }
    if (version == null || map == null || !isRetained(version)) {
      nextVersion();
      return piece;
    }
    BlockMap above = phase == Phase.NEWEST ? null : newer == null ? holdings.map() : newer;
    int seen = 0;
    int room = PIECE_BYTES;
    while (seen++ < PIECE_SLOTS) {
      int next = owners.next(slot);
      if (next < 0) {
        nextVersion();
        return piece;
      }
      long place = map.place(next);
      int stored = map.stored(next);
      if (place >= 0 && (above == null || above.place(next) != place)) {
        if (BlockMap.storedLength(stored) > room) {
          return piece;
        }
        room -= BlockMap.storedLength(stored);
        piece.add(candidate(map, next, place, stored, version));
      }
      slot = next + 1;
    }
    return piece;
  }

  private Candidate candidate(BlockMap map, int at, long place, int stored, VersionId version) {
    owners.find(at);
    DatasetSpec spec = owners.spec();
    int block = owners.block(at);
    long start = (long) block * spec.blockSize();
    int length = (int) Math.min(spec.blockSize(), spec.byteLength() - start);
    return new Candidate(
        new BlockCheck.Expected(place, stored, length, spec.algorithm(), map.low(at), map.high(at)),
        spec.name(),
        block,
        at,
        version);
  }

  private boolean isRetained(VersionId version) {
    return holdings.root().versions().stream().anyMatch(one -> one.info().id().equals(version));
  }

  private void useCatalog(Catalog next) {
    catalog = next;
    owners = SlotOwners.of(next);
  }

  private void nextVersion() {
    slot = 0;
    if (phase == Phase.NEWEST) {
      phase = Phase.OLDER;
      olderOnes = new ArrayDeque<>();
      for (Root.Entry version : holdings.root().versions().reversed()) {
        if (!version.equals(holdings.base().version())) {
          olderOnes.add(version.info().id());
        }
      }
    } else {
      newer = older;
      older = null;
    }
  }

  /** Loads the map of the next version that is still retained; false if there is none. */
  private boolean loadOlder() throws IOException {
    VersionId id = olderOnes.poll();
    while (id != null) {
      VersionId wanted = id;
      Root root;
      Root.Entry entry;
      ExtentList held = new ExtentList();
      try (Mutex.Held _ = container.hold()) {
        container.ensureReadable();
        root = holdings.root();
        entry =
            root.versions().stream()
                .filter(version -> version.info().id().equals(wanted))
                .findFirst()
                .orElse(null);
        if (entry != null) {
          root.chain(entry).forEach(one -> held.extent(one.place().offset(), one.place().length()));
          held.extent(entry.catalog().offset(), entry.catalog().length());
          holdings.ledger().hold(held);
        }
      }
      try {
        if (entry != null) {
          Catalog loaded = holdings.records().catalog(entry);
          older = holdings.records().map(root, entry, loaded);
          olderId = wanted;
          useCatalog(loaded);
          return true;
        }
      } catch (CorruptContainerException e) {
        // Its records were found to be bad before, or are from now on.
        found.add(String.valueOf(e.getMessage()));
      } finally {
        letGo(held);
      }
      id = olderOnes.poll();
    }
    return false;
  }

  // ---------------------------------------------------------------- verifying

  private void verify(List<Candidate> piece) throws IOException {
    int first = 0;
    while (first < piece.size()) {
      int end = first + 1;
      while (end < piece.size()
          && piece.get(end).expected.place() == piece.get(end - 1).expected.end()) {
        end++;
      }
      verifySideBySide(piece.subList(first, end));
      first = end;
    }
  }

  /** Reads blocks that lie side by side at once; each by itself if that does not work. */
  private void verifySideBySide(List<Candidate> run) throws IOException {
    long start = run.getFirst().expected.place();
    MemorySegment target = buffer.asSlice(0, run.getLast().expected.end() - start);
    boolean whole = readAll(start, target);
    for (Candidate one : run) {
      String wrong =
          whole
              ? check.verify(
                  target.asSlice(one.expected.place() - start, one.expected.storedLength()),
                  one.expected)
              : check.read(file, one.expected);
      if (wrong != null) {
        report(one, wrong);
      }
    }
  }

  private boolean readAll(long start, MemorySegment target) throws IOException {
    try {
      return file.file().read(start, target) == target.byteSize();
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      return false; // a bad sector; which one shows when each is read
    }
  }

  private void report(Candidate one, String wrong) throws IOException {
    BlockCheck.Expected expected = one.expected;
    byte[] rescued = null;
    if (medium.isPresent() && check.read(holdings.records(), expected) == null) {
      rescued = check.plain().asSlice(0, expected.length()).toArray(ValueLayout.JAVA_BYTE);
    }
    BadBlock bad =
        BadBlock.of(
            one.dataset, one.block, one.slot, one.version, expected, container.location(), wrong);
    try (Mutex.Held _ = container.hold()) {
      tell(holdings.rot().add(bad, rescued), bad.what());
    }
  }

  // ---------------------------------------------------------------- holding

  /** Holds a record; null if no root refers to it any more. */
  private @Nullable ExtentList hold(Pointer place) throws IOException {
    try (Mutex.Held _ = container.hold()) {
      container.ensureReadable();
      if (!holdings.root().places().contains(place)) {
        return null;
      }
      ExtentList held = new ExtentList();
      held.extent(place.offset(), place.length());
      holdings.ledger().hold(held);
      return held;
    }
  }

  private void letGo(ExtentList held) {
    try (Mutex.Held _ = container.hold()) {
      holdings.ledger().letGo(held);
    }
  }

  private void free() {
    check.close();
    arena.close();
  }

  @Override
  public void close() throws IOException {
    free();
    if (medium.isPresent()) {
      medium.get().close();
    }
  }
}
