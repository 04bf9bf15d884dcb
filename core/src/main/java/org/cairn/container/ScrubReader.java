// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.cairn.CorruptContainerException;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.supply.Mutex;
import org.cairn.supply.Supply;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * Reads the file of a container past the system's cache, if the store can do that, compares it with
 * what should be there, and makes known to the container what is bad. What is good in the cache
 * only is rescued for it. For one thread.
 */
final class ScrubReader implements AutoCloseable {
  /** What is read at a time, and so what is held. */
  static final int PIECE_BYTES = 1 << 20;

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

  ScrubReader(Container container, Store store) throws IOException {
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

  Container container() {
    return container;
  }

  Holdings holdings() {
    return holdings;
  }

  /** Whether the medium itself is read. */
  boolean isUncached() {
    return medium.isPresent();
  }

  /** Something is bad. */
  void found(String what) {
    found.add(what);
  }

  private void tell(boolean isNew, String what) {
    if (isNew) {
      found.add(what);
    }
  }

  /** What was found to be bad since this was asked last, and was not known before. */
  List<String> takeFound() {
    List<String> taken = found;
    found = new ArrayList<>();
    return taken;
  }

  // ---------------------------------------------------------------- records

  /** Verifies a map record or a catalog. */
  void checkRecord(Pointer place, String what) throws IOException {
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

  /** Both superblocks, and the root of the newest: under the lock nobody writes them meanwhile. */
  void checkAnchors() throws IOException {
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
  record Candidate(
      BlockCheck.Expected expected, String dataset, int block, int slot, VersionId version) {}

  /** Verifies blocks that are held. */
  void verify(List<Candidate> blocks) throws IOException {
    List<Candidate> piece = new ArrayList<>(blocks);
    piece.sort(Comparator.comparingLong(one -> one.expected.place()));
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

  /** Holds a record; empty if no root refers to it any more. */
  Optional<ExtentList> holdRecord(Pointer place) throws IOException {
    try (Mutex.Held _ = container.hold()) {
      container.ensureReadable();
      if (!holdings.root().places().contains(place)) {
        return Optional.empty();
      }
      ExtentList held = new ExtentList();
      held.extent(place.offset(), place.length());
      holdings.ledger().hold(held);
      return Optional.of(held);
    }
  }

  void letGo(ExtentList held) {
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
