// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.cairn.CorruptContainerException;
import org.cairn.record.Digest;
import org.cairn.store.Store;
import org.cairn.supply.Mutex;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Delta;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * A container open for writing: shadow paging in one file.
 *
 * <p>A {@link Commit} writes only to free space; then the records that describe the new version are
 * written and everything is forced; then the superblock slot that is not in use is written and
 * forced. A crash at any point leaves the previous version readable.
 *
 * <p>Assumptions:
 *
 * <ol>
 *   <li>One thread at a time commits; many may ask {@link DatasetPlan}s meanwhile, and any may give
 *       up a commit that is {@linkplain Commit#ready ready}.
 *   <li>What has been forced stays, unless the medium is damaged, which digests and checksums show.
 * </ol>
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>Nothing that a retained version refers to is overwritten.
 *   <li>The map in memory describes a durable version, always.
 *   <li>A commit that fails or is given up changes nothing. If a force fails nobody knows what is
 *       durable: the container then refuses everything until it is opened again.
 * </ol>
 */
public final class Container implements AutoCloseable {
  private final Mutex mutex = new Mutex();
  private final String name;
  private final Retention retention;
  private final Holdings held;
  private final ContainerWriter writer;
  private final Views views;

  /** The one commit that is under way; null if there is none. */
  private @Nullable Commit open;

  /** Where a commit that was given up began, until there was memory to undo it. */
  private Space.@Nullable Mark undoing;

  private Container(String name, Retention retention, Holdings held) {
    this.name = name;
    this.retention = retention;
    this.held = held;
    this.writer = held.writer();
    this.views = new Views(held);
  }

  /**
   * Opens a container for writing, and creates it if there is none.
   *
   * @param retention says which versions each commit keeps
   * @param owner what a new container says about itself; one that exists keeps what it says
   * @param random where the bits come from by which a new container is named
   * @throws org.cairn.store.StoreLockedException if it is open for writing already
   * @throws CorruptContainerException if there are versions, but not one map can be read
   * @throws org.cairn.UnsupportedFormatException if this release must not write to it
   */
  public static Container open(
      Store store, String name, Retention retention, Ownership owner, LongSupplier random)
      throws IOException {
    return new Container(
        name,
        retention,
        Opening.open(store, name, () -> NewContainer.openOrCreate(store, name, owner, random)));
  }

  /**
   * Opens a container for writing that is there.
   *
   * @throws NoSuchFileException if there is none
   */
  public static Container open(Store store, String name, Retention retention) throws IOException {
    return new Container(
        name, retention, Opening.open(store, name, () -> store.open(name, Store.Access.WRITE)));
  }

  /**
   * Writes a container without versions, which gets its real name later, by a rename. If that
   * fails, nothing is left.
   */
  public static void prepare(
      Store store, String name, String unfinished, Ownership owner, LongSupplier random)
      throws IOException {
    NewContainer.prepare(store, name, unfinished, owner, random);
  }

  /** The epoch that versions begun now belong to. */
  public long epoch() {
    return writer.superblock().epoch();
  }

  /**
   * Makes an epoch that many ranks have agreed on durable, if it is newer than the container's own:
   * whoever finds this container later knows that the epoch has been used.
   */
  public void raiseEpoch(long epoch) throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
      writer.ensureUsable();
      if (epoch > epoch()) {
        writer.startEpoch(epoch);
      }
    }
  }

  // ---------------------------------------------------------------- asking

  /** What was found damaged when the container was opened. */
  public List<String> problems() {
    return List.copyOf(writer.problems());
  }

  /** The retained versions, newest first. */
  public List<VersionInfo> versions() {
    return held.root().versions().reversed().stream().map(Root.Entry::info).toList();
  }

  /** Where the file lies. */
  public String location() {
    return writer.location();
  }

  /** The name of its file. */
  public String name() {
    return name;
  }

  /** Names the container for its whole life. */
  public UUID id() {
    return writer.superblock().id();
  }

  /** What the container says about itself. */
  public Ownership ownership() {
    return held.root().ownership();
  }

  /**
   * Makes durable that another run writes from now on; before it takes its first version.
   *
   * @return whether it is durable; on a full disk it becomes so with the next version: a job must
   *     come back from a full disk too
   * @throws IllegalStateException if a commit is open
   */
  public boolean enter(Lineage next) throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
      ensureIdle();
      return held.enter(next);
    }
  }

  /**
   * Makes durable that only some versions are retained, and frees what only the others had. If the
   * version that the next commit continues is dropped, the newest that is left takes its place.
   *
   * @param kept those that stay; what is not there does not matter
   * @throws IllegalStateException if a commit is open
   */
  public void dropAllBut(Set<VersionId> kept) throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
      ensureIdle();
      held.dropAllBut(kept);
    }
  }

  /** A view of a retained version, for reading while the container stays open. */
  public VersionView view(VersionInfo version) throws IOException {
    writer.ensureUsable();
    return views.view(version);
  }

  /** The names of the datasets of a retained version. */
  public Set<String> datasetNames(VersionInfo version) throws IOException {
    writer.ensureUsable();
    return views.datasetNames(version);
  }

  /** Figures for reports: the length of the file, what of it is live, and memory for maps. */
  public Usage usage() {
    Space space = held.space();
    long length = held.length();
    long free = space.freeBytes() + length - space.end();
    return new Usage(length, space.liveBytes(), free, held.memoryBytes());
  }

  /**
   * How a container uses its file and memory.
   *
   * @param fileBytes the length of the file
   * @param liveBytes what retained versions refer to, maps included
   * @param freeBytes what can be written to without growing the file
   * @param mapMemory memory taken by digests and maps
   */
  public record Usage(long fileBytes, long liveBytes, long freeBytes, long mapMemory) {}

  // ---------------------------------------------------------------- committing

  /**
   * Makes an older version the one that the next commit continues. Newer ones stay until then and
   * are dropped with it: they belong to a past that was given up.
   */
  public void continueFrom(VersionInfo version) throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
      ensureIdle();
      held.continueFrom(views.entry(version.id()));
    }
  }

  /** The version that the next commit continues; empty before the first. */
  public Optional<VersionInfo> base() {
    return Optional.ofNullable(held.base().info());
  }

  /**
   * Starts a copy of a version of another container. Here it may not be the newest, if the ranks
   * went back to an older one: what there is of the same identity or newer gives way to it.
   */
  public Commit beginCopy(VersionId id, Instant takenAt) throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
      return start(id, takenAt);
    }
  }

  /** Starts a new version. Its identity is used up even if it never becomes durable. */
  public Commit begin(Instant takenAt) throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
      Ownership mine = held.root().ownership();
      return begin(
          new VersionId(
              mine.lineage().job(),
              mine.lineage().run().id(),
              epoch(),
              writer.nextSequence(),
              mine.ranks()),
          takenAt);
    }
  }

  /**
   * Starts a version whose identity was agreed on elsewhere.
   *
   * @throws IllegalArgumentException if it is not newer than all versions there are
   */
  public Commit begin(VersionId id, Instant takenAt) throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
      List<Root.Entry> there = held.root().versions();
      refuseIfNotNewer(id, there.isEmpty() ? null : there.getLast());
      return start(id, takenAt);
    }
  }

  /**
   * Starts a version that takes the place of whatever was published since the {@linkplain
   * #continueFrom version continued}, even under the same identity. Only for containers whose
   * content is derived and can tell its makings apart: a state must never be published twice.
   */
  public Commit beginInstead(VersionId id, Instant takenAt) throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
      refuseIfNotNewer(id, held.base().version());
      return start(id, takenAt);
    }
  }

  private void refuseIfNotNewer(VersionId id, Root.@Nullable Entry than) {
    if (than != null && id.compareTo(than.info().id()) <= 0) {
      throw new IllegalArgumentException(
          "version %s is not newer than %s in %s".formatted(id, than.info().id(), location()));
    }
  }

  private Commit start(VersionId id, Instant takenAt) throws IOException {
    ensureIdle();
    writer.useUp(id.sequence());
    open = new Commit(this, id, takenAt);
    return open;
  }

  /** That the file is open, and memory says what is in it. */
  void ensureReadable() throws IOException {
    writer.ensureReadable();
  }

  private void ensureIdle() throws IOException {
    writer.ensureUsable();
    if (open != null) {
      throw new IllegalStateException("a commit is open: version " + open.id());
    }
    finishUndoing();
  }

  /** Whether a failed force made this container unusable. */
  public boolean isBroken() {
    return writer.isBroken();
  }

  /** What it has; for one thread at a time, see {@link #hold}. */
  Holdings held() {
    return held;
  }

  /** Writes the records of a version, and forces them and all that the commit stored before. */
  Prepared prepare(Pending pending) throws IOException {
    return new Preparation(held, retention).run(pending);
  }

  /** A commit has ended, in whatever way. */
  void ended(Space.@Nullable Mark undo) {
    open = null;
    undoing = undo;
    finishUndoing();
  }

  /**
   * Where memory ran out in the middle of it, whoever comes next does it again, before anything
   * else takes space: later the mark would give that away.
   */
  private void finishUndoing() {
    Space.Mark mark = undoing;
    if (mark != null) {
      held.undo(mark);
      undoing = null;
    }
  }

  // ---------------------------------------------------------------- mending

  /**
   * Writes what was found to be bad to new places, from whatever good bytes there are, for every
   * version that has it. If this fails nothing has changed.
   *
   * @param elsewhere asked for what the file itself does not have
   * @return what was healed, and what cannot be
   * @throws IllegalStateException if a commit is open
   */
  public Mended mend(BlockSource elsewhere) throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
      ensureIdle();
      if (!held.rot().isEmpty()) {
        new Mending(held, elsewhere, true).run();
      }
      return held.rot().take();
    }
  }

  /** Lets nobody else change it or look at what changes, until what it gets is closed. */
  Mutex.Held hold() {
    return mutex.hold();
  }

  /** A commit came upon a block of the version it continues that is not as it was written. */
  void foundBad(DatasetEntry dataset, int block, BlockCheck.Expected expected, String wrong) {
    try (Mutex.Held _ = mutex.hold()) {
      int slot = dataset.slotOf(block);
      VersionId version = held.base().id();
      held.rot()
          .addFound(BadBlock.of(dataset.name(), block, slot, version, expected, location(), wrong));
    }
  }

  /** How many bytes of the file retained versions refer to, maps included. */
  public long liveBytes() {
    try (Mutex.Held _ = mutex.hold()) {
      return held.space().liveBytes();
    }
  }

  /** Whether a map record, a catalog or what leads to them was found to be bad. */
  public boolean hasBadRecords() {
    try (Mutex.Held _ = mutex.hold()) {
      return !held.rot().records().isEmpty() || held.rot().anchor() != null;
    }
  }

  /** What became of bad places with the commits since this was asked last. */
  public Mended takeMended() {
    try (Mutex.Held _ = mutex.hold()) {
      return held.rot().take();
    }
  }

  /** The slots in which the newest version has something bad: whoever can should store it anew. */
  public int[] badSlots() {
    try (Mutex.Held _ = mutex.hold()) {
      return held.rot().blocks().stream()
          .filter(bad -> held.map().place(bad.slot()) == bad.place())
          .mapToInt(BadBlock::slot)
          .toArray();
    }
  }

  RecentBytes recentBytes() {
    return held.recentBytes();
  }

  /**
   * From now on it {@linkplain #delta remembers} what changed, in memory, and can tell {@linkplain
   * ContainerReader#fedBy who reads} where the bytes were staged, as long as they are there.
   */
  public void rememberDeltas() {
    try (Mutex.Held _ = mutex.hold()) {
      held.recent().want();
      held.recentBytes().want();
    }
  }

  /**
   * What leads from one version to another, over all that were published between them; empty if
   * that is not remembered. Neither needs to be retained any more.
   *
   * @param root the root digest of the base
   */
  public Optional<Delta> delta(VersionId from, Digest root, VersionId to) {
    try (Mutex.Held _ = mutex.hold()) {
      return held.recent().between(from, root, to);
    }
  }

  /** Lets go of file and lock, without forcing. Closing twice is fine. */
  @Override
  public void close() throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
      held.recentBytes().clear();
      writer.close();
    }
  }
}
