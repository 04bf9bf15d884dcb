// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.cairn.record.Digest;
import org.cairn.store.FullDisk;
import org.cairn.version.BlockMap;
import org.cairn.version.Catalog;
import org.cairn.version.Lineage;
import org.cairn.version.RecentDeltas;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an open container has, as memory knows it: the versions that are retained, the one that is
 * continued, and who still needs which bytes of the file. Follows what became durable, never leads;
 * where it cannot follow, the container breaks down.
 */
final class Holdings {
  private static final Logger LOG = LoggerFactory.getLogger(Holdings.class);

  private final ContainerWriter writer;
  private final Ledger ledger;
  private final Rot rot = new Rot();
  private final RecentDeltas recent = new RecentDeltas();
  private final RecentBytes recentBytes = new RecentBytes();
  private Root root;
  private Base base;
  private SlotSpace slots;
  private long lastDelta;
  private final Tail tail = new Tail();
  private final MoveQuota.History moves = new MoveQuota.History();

  Holdings(ContainerWriter writer, Root root, Base base) {
    this.writer = writer;
    this.ledger = writer.ledger();
    this.root = root;
    this.base = base;
    this.slots = SlotSpace.around(base.catalog());
  }

  /** Counts what all retained versions refer to, from their maps. */
  void account() throws IOException {
    MapWalk walk =
        new MapWalk(records(), root, known(), e -> writer.note(String.valueOf(e.getMessage())));
    Set<VersionId> before = ledger.unreadable();
    ledger.countAnew(
        walk,
        root.versions(),
        root.versions().stream().anyMatch(version -> version.info().label().kept()),
        root.placesWith(rootPlace()),
        Math.min(writer.superblock().end(), writer.file().size()));
    ledger.unreadable().stream()
        .filter(id -> !before.contains(id))
        .sorted()
        .forEach(this::noteUnreadable);
  }

  private MapWalk.@Nullable Known known() {
    Root.Entry version = base.version();
    return version == null
        ? null
        : new MapWalk.Known(version, base.catalog(), base.owners(), base.map());
  }

  private void noteUnreadable(VersionId version) {
    String problem =
        "%s: the block map of version %s cannot be read; nothing written before is overwritten until that version is dropped"
            .formatted(writer.location(), version);
    LOG.warn(problem);
    writer.problems().add(problem);
  }

  private Pointer rootPlace() {
    return writer.superblock().root();
  }

  // ---------------------------------------------------------------- changing

  /** Says that another run writes from now on; whether that is durable. */
  boolean enter(Lineage next) throws IOException {
    if (root.ownership().lineage().equals(next)) {
      return true; // it was made by this run
    }
    Root entered = root.ownedBy(root.ownership().of(next));
    try {
      replaceRoot(entered);
      return true;
    } catch (IOException e) {
      if (writer.isBroken() || !FullDisk.isReason(e)) {
        throw e;
      }
      root = entered;
      return false;
    }
  }

  /** Makes durable that only some versions are retained, and frees what only the others had. */
  void dropAllBut(Set<VersionId> kept) throws IOException {
    List<Root.Entry> left =
        root.versions().stream().filter(version -> kept.contains(version.info().id())).toList();
    if (left.size() == root.versions().size()) {
      return;
    }
    replaceRoot(root.with(root.records(), left));
    try {
      rebase();
      account();
      leaveTail();
      tail.forget();
      tidy();
    } catch (IOException | RuntimeException | Error e) {
      // The file has dropped the versions, memory only half of them.
      writer.breakDown(e);
      throw e;
    }
  }

  /**
   * Moves the root to the free space that there is now further ahead, so that the file can be cut.
   * Twice: the one before stays until then, and lies at the end.
   */
  private void leaveTail() throws IOException {
    replaceRoot(root);
    replaceRoot(root);
  }

  /** The version continued has another place in the new root, or none. */
  private void rebase() throws IOException {
    VersionId continued = base.id();
    for (Root.Entry version : root.versions()) {
      if (version.info().id().equals(continued)) {
        base = base.at(version, !version.equals(root.versions().getLast()));
        return;
      }
    }
    base = Base.none(); // two large maps may be too much
    adopt(Base.newest(records(), root, writer.problems()));
  }

  private void adopt(Base other) {
    base = other;
    slots = SlotSpace.around(other.catalog());
  }

  /** Makes a root durable that says nothing new of blocks. If that fails nothing has changed. */
  private void replaceRoot(Root next) throws IOException {
    Pointer before = rootPlace();
    Space.Mark mark = space().begin();
    try {
      Pointer place = writer.writeRoot(next);
      writer.force();
      writer.writeSuperblock(place);
    } catch (IOException | RuntimeException | Error e) {
      space().abort(mark);
      cutTail();
      throw e;
    }
    ledger.changeRecords(root.placesWith(before), next.placesWith(rootPlace()));
    root = next;
    space().settle();
  }

  /** Makes an older version the one that is continued. */
  void continueFrom(Root.Entry version) throws IOException {
    if (!base.is(version)) {
      adopt(Base.load(records(), root, version, true));
    }
  }

  // ---------------------------------------------------------------- following

  /** The version is durable: now, and only now, memory says so too. */
  void follow(Prepared prepared, Pointer oldRootPlace) throws IOException {
    Pending pending = prepared.pending();
    Root next = prepared.root();
    Set<Pointer> before = root.placesWith(oldRootPlace);
    VersionId parent = base.id();
    boolean abandons = parent != null && !base.is(root.versions().getLast());
    boolean leavesGap = root.leavesGap(next, ledger.remembered());
    // Blocks of zeros are many in few bytes.
    long described = pending.delta().position() / Digest.BYTES;
    ExtentList places = ledger.takeList((int) Math.min(pending.dirtyBlocks(), described));
    Preparation.read(pending, ledger.applying(base.map(), places, !abandons));
    if (parent != null) {
      ledger.replace(parent, places);
    }
    ledger.changeRecords(before, next.placesWith(rootPlace()));
    root = next;
    Root.Entry newest = next.versions().getLast();
    base = new Base(newest, prepared.catalog(), base.map(), prepared.owners(), false);
    if (pending.original().isPresent()) {
      slots = SlotSpace.around(base.catalog());
    } else {
      slots.release(pending.released());
    }
    lastDelta = pending.deltaBytes();
    moves.note(lastDelta);
    space().settle();
    tail.note(space().end(), space().liveBytes());
    Set<VersionId> retained = root.ids();
    // With a version whose map could not be read, what only it may have had goes too.
    boolean unseals = !retained.containsAll(ledger.unreadable());
    // And so it is with one that was kept for ever: older ones may have what it was noted with.
    boolean unkeeps = !retained.containsAll(ledger.remembered());
    if (abandons || leavesGap || unseals || unkeeps) {
      account();
    } else {
      if (newest.info().label().kept()) {
        ledger.keep(newest.info().id(), base.map());
      }
      ledger.dropAllBut(retained);
    }
    tidy();
  }

  /** A root that says where blocks and records are now is durable: memory follows. */
  void follow(Root mended, Pointer oldRootPlace, Mending.Moves moves) throws IOException {
    try {
      VersionId continued = base.id();
      ledger.changeRecords(root.placesWith(oldRootPlace), mended.placesWith(rootPlace()));
      root = mended;
      for (Root.Entry version : mended.versions()) {
        if (version.info().id().equals(continued)) {
          base = base.at(version, base.inThePast());
        }
      }
      moves.apply(base.map());
      recent.clear();
      recentBytes.clear();
      space().settle();
      account();
    } catch (IOException | RuntimeException | Error e) {
      // The file has been mended, memory only half.
      writer.breakDown(e);
      throw e;
    }
  }

  /** Keeps regions in proportion to the state, and the file from keeping too long a tail. */
  private void tidy() {
    writer.trim(base.map().memoryBytes());
    ledger.resizeRegions(base.map(), root.placesWith(rootPlace()));
    space().shrink(lastDelta);
    cutTail();
  }

  /** Cuts off what is free and has not been needed for long. */
  void cutTail() {
    writer.cutTail(length());
  }

  /** Whether the file has nearly twice what was live lately. */
  boolean isTooLong() {
    return space().isTooLong(tail.mostLive());
  }

  /** The length of the file, the tail included that it keeps. */
  long length() {
    long end = space().end();
    return writer.file().isMemory() ? end : tail.keep(end);
  }

  /** A commit came to nothing: what it took is free again. */
  void undo(Space.Mark mark) {
    space().abort(mark);
    slots = SlotSpace.around(base.catalog());
    cutTail();
  }

  // ---------------------------------------------------------------- asking

  ContainerWriter writer() {
    return writer;
  }

  ContainerFile records() {
    return writer.records();
  }

  Ledger ledger() {
    return ledger;
  }

  Space space() {
    return ledger.space();
  }

  Rot rot() {
    return rot;
  }

  RecentBytes recentBytes() {
    return recentBytes;
  }

  RecentDeltas recent() {
    return recent;
  }

  Root root() {
    return root;
  }

  Base base() {
    return base;
  }

  Catalog catalog() {
    return base.catalog();
  }

  BlockMap map() {
    return base.map();
  }

  SlotSpace slots() {
    return slots;
  }

  MoveQuota.History moves() {
    return moves;
  }

  /** How much the next commit will probably write because it changed. */
  long expectedDelta() {
    return lastDelta > 0 ? lastDelta : moves.usualChange();
  }

  /** Memory for maps and what goes with them. */
  long memoryBytes() {
    long memory = base.map().memoryBytes() + writer.memoryBytes() + ledger.memoryBytes();
    return memory + base.owners().memoryBytes() + recent.memoryBytes();
  }
}
