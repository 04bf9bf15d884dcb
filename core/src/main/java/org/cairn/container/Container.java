// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.cairn.CorruptContainerException;
import org.cairn.hash.Xxh3;
import org.cairn.record.Digest;
import org.cairn.record.Feature;
import org.cairn.record.Field;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.store.FullDisk;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreLock;
import org.cairn.supply.Mutex;
import org.cairn.version.BlockMap;
import org.cairn.version.Catalog;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Delta;
import org.cairn.version.DigestUpdate;
import org.cairn.version.Lineage;
import org.cairn.version.MapRecord;
import org.cairn.version.Ownership;
import org.cairn.version.RecentDeltas;
import org.cairn.version.RootDigest;
import org.cairn.version.SlotOwners;
import org.cairn.version.SlotRuns;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
  private static final Logger LOG = LoggerFactory.getLogger(Container.class);

  /**
   * A longer log, of a base and map deltas, is replaced by a base: one in 64 checkpoints writes a
   * whole map. So is one this many times the base. Records do not move, and each may keep a region
   * from becoming free: so there must not be many.
   */
  private static final int MAX_LOG_RECORDS = 65;

  private static final int MIN_LOG_RECORDS = 4;
  private static final long SMALL_BASE_BYTES = 1 << 10;

  private static final int MAX_LOG_RATIO = 2;
  private static final long MIN_LOG_BYTES = 64 << 10;

  /** More memory than this for single records is given back; a base now and then is large. */
  private static final long LARGEST_SCRATCH = 16 << 10;

  private final Mutex mutex = new Mutex();
  private final String name;
  private final Retention retention;
  private final StoreLock lock;
  private final StoreFile file;
  private final ContainerFile records;
  private final List<String> problems = new ArrayList<>();
  private final RecordWriter deltaBytes = new RecordWriter();
  private final RecordWriter scratch = new RecordWriter();

  private Superblock superblock;
  private Root root;
  private final Ledger ledger = new Ledger();
  private SlotSpace slots = new SlotSpace();

  /** The version the next one is a delta to; null before the first. */
  private Root.@Nullable Entry base;

  private Catalog baseCatalog = Catalog.EMPTY;
  private BlockMap map = new BlockMap();
  private SlotOwners owners = SlotOwners.NOBODY;

  private volatile @Nullable NamedCatalog lastNamed;
  private long nextSequence;
  private long lastDelta;
  private boolean mustRebase;
  private final Rot rot = new Rot();
  private final RecentDeltas recent = new RecentDeltas();
  private @Nullable Commit open;
  private volatile @Nullable IOException broken;
  private boolean closed;

  private Container(Store store, String name, Retention retention, StoreLock lock, StoreFile file)
      throws IOException {
    this.name = name;
    this.retention = retention;
    this.lock = lock;
    this.file = file;
    this.records = new ContainerFile(file, store.location(name));
    // The lock file can be deleted under us, and another be made.
    file.lock();
    // After a kill, what is visible may not be durable yet, neither the bytes nor the name of the
    // file: trust nothing that a crash could undo.
    file.force();
    store.forceDirectory();
    ContainerFile.Anchor anchor = records.anchor();
    problems.addAll(anchor.problems());
    superblock = anchor.superblock();
    root = anchor.root();
    Feature.refuseToWrite(root.features(), ContainerFormat.FEATURES, location());
    nextSequence = superblock.lastSequence() + 1;
    chooseBase();
    affirm();
    startEpoch(anchor.newestEpoch() + 1);
    account();
    if (problems.isEmpty()) {
      // What a commit that died has left behind the end is nobody's.
      cutTail(ledger.space().end());
    }
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
    return open(store, name, retention, () -> openOrCreate(store, name, owner, random));
  }

  /**
   * Opens a container for writing that is there.
   *
   * @throws NoSuchFileException if there is none
   */
  public static Container open(Store store, String name, Retention retention) throws IOException {
    return open(store, name, retention, () -> store.open(name, Store.Access.WRITE));
  }

  private interface FileOpener {
    StoreFile open() throws IOException;
  }

  private static Container open(Store store, String name, Retention retention, FileOpener opener)
      throws IOException {
    StoreLock lock = store.lock(name + ".lock");
    StoreFile file = null;
    try {
      file = opener.open();
      return new Container(store, name, retention, lock, file);
    } catch (Throwable e) {
      closeAfter(e, file);
      closeAfter(e, lock);
      throw e;
    }
  }

  private static void closeAfter(Throwable failure, @Nullable AutoCloseable resource) {
    try {
      if (resource != null) {
        resource.close();
      }
    } catch (Exception e) {
      failure.addSuppressed(e);
    }
  }

  private static StoreFile openOrCreate(
      Store store, String name, Ownership owner, LongSupplier random) throws IOException {
    String unfinished = name + ".new";
    store.delete(unfinished);
    try {
      return store.open(name, Store.Access.WRITE);
    } catch (NoSuchFileException e) {
      create(store, name, unfinished, owner, random);
      return store.open(name, Store.Access.WRITE);
    }
  }

  /** Under another name first: a file that bears the name of a container always is one. */
  private static void create(
      Store store, String name, String unfinished, Ownership owner, LongSupplier random)
      throws IOException {
    prepare(store, name, unfinished, owner, random);
    store.rename(unfinished, name);
    try {
      store.forceDirectory();
    } catch (IOException e) {
      // No later force makes up for one that failed; only a new name does.
      store.delete(name);
      throw e;
    }
  }

  /** A file that nobody has heard of, and that is gone by then, helps nobody to find the disk. */
  private static IOException notMade(
      Store store, String name, String unfinished, IOException failure) {
    IOException named =
        new IOException(
            store.location(name) + " could not be made: " + failure.getMessage(), failure);
    try {
      store.delete(unfinished);
    } catch (IOException e) {
      named.addSuppressed(e);
    }
    return FullDisk.isReason(failure) ? named : failure;
  }

  /**
   * Writes a container without versions, which gets its real name later, by a rename. If that
   * fails, nothing is left.
   */
  public static void prepare(
      Store store, String name, String unfinished, Ownership owner, LongSupplier random)
      throws IOException {
    try {
      prepare(store, unfinished, owner, random);
    } catch (IOException e) {
      throw notMade(store, name, unfinished, e);
    }
  }

  private static void prepare(Store store, String unfinished, Ownership owner, LongSupplier random)
      throws IOException {
    UUID id = new UUID(random.getAsLong(), random.getAsLong());
    try (StoreFile file = store.open(unfinished, Store.Access.CREATE);
        RecordWriter record = RecordWriter.onHeap()) {
      Root.empty(owner).write(record);
      refuseBeyond(
          ContainerFormat.MAX_ROOT, record, "the list of versions", store.location(unfinished));
      file.write(ContainerFormat.FIRST_EXTENT, record.bytes());
      Pointer place = pointer(record, ContainerFormat.FIRST_EXTENT);
      for (int slot = 0; slot < 2; slot++) {
        new Superblock(slot, id, slot, 0, 0, place, place.end()).write(file);
      }
      file.force();
    }
  }

  // ---------------------------------------------------------------- opening

  /** The newest version whose map can be read is what the next one is compared with. */
  private void chooseBase() throws IOException {
    CorruptContainerException first = null;
    for (Root.Entry version : root.versions().reversed()) {
      try {
        adopt(version);
        mustRebase = !version.equals(root.versions().getLast());
        return;
      } catch (CorruptContainerException e) {
        problems.add(e.getMessage());
        first = first == null ? e : first;
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private void adopt(Root.Entry version) throws IOException {
    Catalog catalog = records.catalog(version);
    BlockMap loaded = records.map(root, version, catalog);
    base = version;
    baseCatalog = catalog;
    map = loaded;
    owners = SlotOwners.of(catalog);
    slots = SlotSpace.around(catalog);
  }

  /**
   * Writes the superblock that was found once more. After a failed force it may be visible without
   * being durable, and no later force changes that; only writing it again does. The other slot may
   * hold the only durable one, and must not be touched before.
   */
  private void affirm() throws IOException {
    superblock.write(file);
    file.force();
  }

  /** The epoch that versions begun now belong to. */
  public long epoch() {
    return superblock.epoch();
  }

  /**
   * Makes an epoch that many ranks have agreed on durable, if it is newer than the container's own:
   * whoever finds this container later knows that the epoch has been used.
   */
  public void raiseEpoch(long epoch) throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
      ensureUsable();
      if (epoch > superblock.epoch()) {
        startEpoch(epoch);
      }
    }
  }

  /** Makes a new epoch durable before anything can bear it. */
  private void startEpoch(long epoch) throws IOException {
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

  /** Counts what all retained versions refer to, from their maps. */
  private void account() throws IOException {
    MapWalk.Known known = base == null ? null : new MapWalk.Known(base, baseCatalog, owners, map);
    MapWalk walk = new MapWalk(records, root, known, this::note);
    Set<VersionId> before = ledger.unreadable();
    ledger.countAnew(
        walk,
        root.versions(),
        root.versions().stream().anyMatch(version -> version.info().label().kept()),
        recordsOf(superblock.root(), root),
        Math.min(superblock.end(), file.size()));
    ledger.unreadable().stream()
        .filter(id -> !before.contains(id))
        .sorted()
        .forEach(this::noteUnreadable);
  }

  private void noteUnreadable(VersionId version) {
    String problem =
        "%s: the block map of version %s cannot be read; nothing written before is overwritten until that version is dropped"
            .formatted(location(), version);
    LOG.warn(problem);
    problems.add(problem);
  }

  private void note(CorruptContainerException e) {
    if (!problems.contains(e.getMessage())) {
      problems.add(e.getMessage());
    }
  }

  private static Set<Pointer> recordsOf(Pointer rootPlace, Root root) {
    Set<Pointer> places = root.places();
    if (!rootPlace.isNone()) {
      places.add(rootPlace);
    }
    return places;
  }

  // ---------------------------------------------------------------- asking

  /** What was found damaged when the container was opened. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /** The retained versions, newest first. */
  public List<VersionInfo> versions() {
    return root.versions().reversed().stream().map(Root.Entry::info).toList();
  }

  /** Where the file lies. */
  public String location() {
    return records.location();
  }

  /** The name of its file. */
  public String name() {
    return name;
  }

  /** Names the container for its whole life. */
  public UUID id() {
    return superblock.id();
  }

  /** What the container says about itself. */
  public Ownership ownership() {
    return root.ownership();
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
      if (root.ownership().lineage().equals(next)) {
        return true; // it was made by this run
      }
      Root entered = root.ownedBy(root.ownership().of(next));
      try {
        replaceRoot(entered);
        return true;
      } catch (IOException e) {
        if (broken != null || !FullDisk.isReason(e)) {
          throw e;
        }
        root = entered;
        return false;
      }
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
        tidy();
      } catch (IOException | RuntimeException | Error e) {
        // The file has dropped the versions, memory only half of them.
        breakDown(e);
        throw e;
      }
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
    VersionId continued = base == null ? null : base.info().id();
    base = null;
    for (Root.Entry version : root.versions()) {
      if (version.info().id().equals(continued)) {
        base = version;
        mustRebase = !version.equals(root.versions().getLast());
        return;
      }
    }
    baseCatalog = Catalog.EMPTY;
    map = new BlockMap();
    owners = SlotOwners.NOBODY;
    slots = new SlotSpace();
    mustRebase = false;
    chooseBase();
  }

  /** Makes a root durable that says nothing new of blocks. If that fails nothing has changed. */
  private void replaceRoot(Root next) throws IOException {
    Pointer before = superblock.root();
    Space.Mark mark = ledger.space().begin();
    try {
      Pointer place = writeRoot(next);
      force();
      writeSuperblock(place);
    } catch (IOException | RuntimeException | Error e) {
      ledger.space().abort(mark);
      cutTail(mark.end());
      throw e;
    }
    ledger.changeRecords(recordsOf(before, root), recordsOf(superblock.root(), next));
    root = next;
    ledger.space().settle();
  }

  /** A view of a retained version, for reading while the container stays open. */
  public VersionView view(VersionInfo version) throws IOException {
    ensureUsable();
    Root.Entry entry = entry(version.id());
    if (entry.equals(base)) {
      return new VersionView(records, version, baseCatalog, map);
    }
    Catalog catalog = records.catalog(entry);
    return new VersionView(records, version, catalog, records.map(root, entry, catalog));
  }

  /** The names of the datasets of a retained version. */
  public Set<String> datasetNames(VersionInfo version) throws IOException {
    ensureUsable();
    Root.Entry entry = entry(version.id());
    NamedCatalog last = lastNamed;
    if (last == null || !last.place.equals(entry.catalog())) {
      Set<String> names = new HashSet<>();
      records.catalog(entry).datasets().forEach(dataset -> names.add(dataset.name()));
      last = new NamedCatalog(entry.catalog(), names);
      lastNamed = last;
    }
    return last.names;
  }

  /** Many versions have the same catalog; whoever asks for one mostly asks for all. */
  private record NamedCatalog(Pointer place, Set<String> names) {}

  private Root.Entry entry(VersionId id) {
    List<Root.Entry> versions = root.versions();
    int low = 0;
    int high = versions.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = versions.get(middle).info().id().compareTo(id);
      if (order == 0) {
        return versions.get(middle);
      }
      low = order < 0 ? middle + 1 : low;
      high = order < 0 ? high : middle - 1;
    }
    throw new IllegalArgumentException("version " + id + " is not in " + location());
  }

  /** Figures for reports: the length of the file, what of it is live, and memory for maps. */
  public Usage usage() {
    Space space = ledger.space();
    long memory = map.memoryBytes() + deltaBytes.capacity() + scratch.capacity();
    memory += ledger.memoryBytes() + owners.memoryBytes() + recent.memoryBytes();
    return new Usage(space.end(), space.liveBytes(), space.freeBytes(), memory);
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
      Root.Entry entry = entry(version.id());
      if (!entry.equals(base)) {
        adopt(entry);
        mustRebase = true;
      }
    }
  }

  /** The version that the next commit continues; empty before the first. */
  public Optional<VersionInfo> base() {
    return Optional.ofNullable(base).map(Root.Entry::info);
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
      Ownership mine = root.ownership();
      return begin(
          new VersionId(
              mine.lineage().job(),
              mine.lineage().run().id(),
              superblock.epoch(),
              nextSequence,
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
      refuseIfNotNewer(id, root.versions().isEmpty() ? null : root.versions().getLast());
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
      refuseIfNotNewer(id, base);
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
    nextSequence = Math.max(nextSequence, id.sequence() + 1);
    open = new Commit(this, id, takenAt);
    return open;
  }

  private void ensureUsable() throws IOException {
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

  private void ensureIdle() throws IOException {
    ensureUsable();
    if (open != null) {
      throw new IllegalStateException("a commit is open: version " + open.id());
    }
  }

  private void breakDown(Throwable reason) {
    broken = reason instanceof IOException io ? io : new IOException(reason);
  }

  /** Whether a failed force made this container unusable. */
  public boolean isBroken() {
    return broken != null;
  }

  Space space() {
    return ledger.space();
  }

  SlotSpace slots() {
    return slots;
  }

  Catalog baseCatalog() {
    return baseCatalog;
  }

  BlockMap map() {
    return map;
  }

  StoreFile file() {
    return file;
  }

  RecordWriter deltaBytes() {
    return deltaBytes;
  }

  RecordWriter scratch() {
    return scratch;
  }

  Root root() {
    return root;
  }

  ContainerFile records() {
    return records;
  }

  Ledger ledger() {
    return ledger;
  }

  Rot rot() {
    return rot;
  }

  Superblock superblock() {
    return superblock;
  }

  Root.@Nullable Entry baseEntry() {
    return base;
  }

  long lastDelta() {
    return lastDelta;
  }

  /** What a commit wants to become durable. */
  record Pending(
      VersionId id,
      int tiers,
      Instant takenAt,
      Catalog catalog,
      SlotRuns released,
      boolean copied,
      Commit.@Nullable Expected expected,
      List<Field> unknown,
      RecordWriter delta,
      long blocks,
      long dirtyBlocks,
      long bytesWritten,
      long deltaBytes) {}

  /**
   * A version all of which is durable but the superblock that leads to it.
   *
   * @param rootPlace where its root lies
   * @param catalog its datasets, in the order in which the file has them
   * @param owners whose its slots are
   */
  record Prepared(
      Pending pending,
      VersionInfo info,
      Root root,
      Pointer rootPlace,
      Catalog catalog,
      SlotOwners owners) {}

  /** Writes the records of a version, and forces them and all that the commit stored before. */
  Prepared prepare(Pending pending) throws IOException {
    ensureUsable();
    List<Root.MapRef> newRecords = new ArrayList<>(root.records());
    long written = pending.bytesWritten;
    Root.Entry parent = base;
    if (parent != null && needsBase(pending.delta.position())) {
      Pointer basePlace = writeBase();
      newRecords.add(new Root.MapRef(true, basePlace));
      parent = new Root.Entry(parent.info(), newRecords.size() - 1, parent.catalog());
      written += basePlace.length();
    }
    Pointer catalogPlace = catalogPlace(pending.catalog);
    Pointer deltaPlace = writeMap(pending.delta);
    newRecords.add(new Root.MapRef(false, deltaPlace));
    written += deltaPlace.length();
    if (parent == null || !catalogPlace.equals(parent.catalog())) {
      written += catalogPlace.length();
    }
    boolean alike = base != null && pending.catalog.equals(baseCatalog);
    Catalog catalog = alike ? baseCatalog : pending.catalog;
    SlotOwners next = alike ? owners : SlotOwners.of(catalog);
    VersionInfo info = describe(pending, written, next);
    refuseUnexpected(info, pending.expected);
    Root nextRoot = nextRoot(newRecords, parent, info, catalogPlace);
    Pointer rootPlace = writeRoot(nextRoot);
    // Force before publishing: a crash in between must lose the version, not the data.
    force();
    return new Prepared(pending, info, nextRoot, rootPlace, catalog, next);
  }

  /** Makes a prepared version the newest: superblock, force; then memory follows. */
  void publish(Prepared prepared) throws IOException {
    ensureUsable();
    Pointer oldRootPlace = superblock.root();
    boolean first = superblock.lastSequence() == 0 && root.versions().isEmpty();
    writeSuperblock(prepared.rootPlace);
    if (first) {
      // In both: so one that cannot be read beside one that tells of no version was torn while the
      // first was written, and hides nothing.
      writeSuperblock(prepared.rootPlace);
    }
    requireNamed();
    try {
      follow(prepared, oldRootPlace);
    } catch (IOException | RuntimeException | Error e) {
      // The file has the version, memory only half of it.
      breakDown(e);
      throw e;
    }
  }

  /** What nobody can find by its name is not durable, however well it was forced. */
  private void requireNamed() throws IOException {
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
      if (!rot.isEmpty()) {
        new Mending(this, elsewhere, true).run();
      }
      return rot.take();
    }
  }

  /** Lets nobody else change it or look at what changes, until what it gets is closed. */
  Mutex.Held hold() {
    return mutex.hold();
  }

  /** A commit came upon a block of the version it continues that is not as it was written. */
  void foundBad(DatasetEntry dataset, int block, BlockCheck.Expected expected, String wrong) {
    try (Mutex.Held _ = mutex.hold()) {
      VersionId version = base == null ? null : base.info().id();
      int slot = dataset.slotOf(block);
      rot.addFound(BadBlock.of(dataset.name(), block, slot, version, expected, location(), wrong));
    }
  }

  /** How many bytes of the file retained versions refer to, maps included. */
  public long liveBytes() {
    try (Mutex.Held _ = mutex.hold()) {
      return ledger.space().liveBytes();
    }
  }

  /** Whether a map record, a catalog or what leads to them was found to be bad. */
  public boolean hasBadRecords() {
    try (Mutex.Held _ = mutex.hold()) {
      return !rot.records().isEmpty() || rot.anchor() != null;
    }
  }

  /** What became of bad places with the commits since this was asked last. */
  public Mended takeMended() {
    try (Mutex.Held _ = mutex.hold()) {
      return rot.take();
    }
  }

  /** The slots in which the newest version has something bad: whoever can should store it anew. */
  public int[] badSlots() {
    try (Mutex.Held _ = mutex.hold()) {
      return rot.blocks().stream()
          .filter(bad -> map.place(bad.slot()) == bad.place())
          .mapToInt(BadBlock::slot)
          .toArray();
    }
  }

  /**
   * A version has just become durable, and has blocks in new places that older ones have in bad
   * ones. It stays durable whatever happens here; what fails is tried again by the next commit.
   */
  void mendAfterCommit() {
    if (rot.isEmpty() || broken != null) {
      return;
    }
    try {
      new Mending(this, BlockSource.NONE, false).run();
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.warn("{} has bad places and could not be mended now: {}", location(), e.toString());
    }
  }

  /** A root that says where blocks and records are now is durable: memory follows. */
  void follow(Root mended, Pointer oldRootPlace, Mending.Moves moves) throws IOException {
    try {
      VersionId continued = base == null ? null : base.info().id();
      ledger.changeRecords(recordsOf(oldRootPlace, root), recordsOf(superblock.root(), mended));
      root = mended;
      for (Root.Entry version : mended.versions()) {
        if (version.info().id().equals(continued)) {
          base = version;
        }
      }
      moves.apply(map);
      recent.clear();
      ledger.space().settle();
      account();
    } catch (IOException | RuntimeException | Error e) {
      // The file has been mended, memory only half.
      breakDown(e);
      throw e;
    }
  }

  /** A copy that does not come out like the original must not become durable. */
  private void refuseUnexpected(VersionInfo info, Commit.@Nullable Expected expected)
      throws CorruptContainerException {
    if (expected != null
        && (info.digestLow() != expected.low() || info.digestHigh() != expected.high())) {
      throw new CorruptContainerException(
          location(),
          -1,
          "the copy of version %s would have root digest %016x%016x, expected %016x%016x"
              .formatted(
                  info.id(), info.digestHigh(), info.digestLow(), expected.high(), expected.low()));
    }
  }

  /**
   * Lets the medium begin with what has been written so far, so that less is left for the end. One
   * thread may do that while another goes on writing, but not while one publishes or aborts.
   */
  void forceEarly() throws IOException {
    force();
  }

  void force() throws IOException {
    try {
      file.force();
    } catch (IOException | RuntimeException | Error e) {
      // The system reports a lost page once: the next force could succeed without it.
      breakDown(e);
      throw e;
    }
  }

  private boolean needsBase(long deltaLength) {
    if (mustRebase) {
      return true;
    }
    Root.Entry parent = base;
    if (parent == null) {
      return false;
    }
    List<Root.MapRef> log = root.chain(parent);
    long baseLength = log.getFirst().place().length();
    long logLength = deltaLength;
    for (Root.MapRef record : log.subList(1, log.size())) {
      logLength += record.place().length();
    }
    return log.size() >= mostRecords(baseLength)
        || logLength > Math.max(MIN_LOG_BYTES, MAX_LOG_RATIO * baseLength);
  }

  /** A record takes a page; where the base is as small, it is cheaper to write than to avoid. */
  private static long mostRecords(long baseLength) {
    return Math.clamp(baseLength / SMALL_BASE_BYTES, MIN_LOG_RECORDS, MAX_LOG_RECORDS);
  }

  private Pointer writeBase() throws IOException {
    MapRecord.Builder builder = new MapRecord.Builder(scratch);
    builder.start(true);
    map.describe(baseCatalog, builder);
    return writeMap(builder.finish());
  }

  private Pointer catalogPlace(Catalog catalog) throws IOException {
    if (base != null && catalog.equals(baseCatalog)) {
      return base.catalog();
    }
    return writeCatalog(catalog);
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
  private static void refuseBeyond(long limit, RecordWriter record, String what, String location)
      throws IOException {
    if (record.position() > limit) {
      throw new IOException(
          "%s: %d bytes are more than the %d that a container can have for %s"
              .formatted(location, record.position(), limit, what));
    }
  }

  private static Pointer pointer(RecordWriter record, long offset) {
    long[] checksum = new long[2];
    Xxh3.digest(record.bytes(), 0, record.position(), checksum, 0);
    return new Pointer(offset, record.position(), checksum[0], checksum[1]);
  }

  private VersionInfo describe(Pending pending, long written, SlotOwners next) throws IOException {
    RootDigest digest = base == null ? new RootDigest() : new RootDigest(base.info());
    DigestUpdate.datasets(digest, baseCatalog, pending.catalog);
    readDelta(pending.delta, new DigestUpdate(digest, map, owners, next));
    long protectedBytes = 0;
    for (DatasetEntry dataset : pending.catalog.datasets()) {
      protectedBytes += dataset.spec().byteLength();
    }
    return new VersionInfo(
        pending.id,
        pending.tiers,
        pending.takenAt,
        protectedBytes,
        pending.blocks,
        pending.dirtyBlocks,
        written,
        digest.low(),
        digest.high(),
        pending.unknown);
  }

  private void readDelta(RecordWriter delta, MapRecord.Visitor visitor)
      throws CorruptContainerException {
    MapRecord.read(new RecordReader(delta.bytes(), "memory", 0), false, visitor);
  }

  /** The retained versions: the new one, and those it descends from. */
  private Root nextRoot(
      List<Root.MapRef> newRecords,
      Root.@Nullable Entry parent,
      VersionInfo info,
      Pointer catalog) {
    List<Root.Entry> kept = new ArrayList<>(past(parent));
    // Only in copies: they may go back to an older version, even if they do not have its past.
    kept.removeIf(version -> version.info().id().compareTo(info.id()) >= 0);
    kept.add(new Root.Entry(info, newRecords.size() - 1, catalog));
    // What is kept for ever does not count: it must not take the place of another.
    List<VersionId> counting =
        kept.stream()
            .map(Root.Entry::info)
            .filter(one -> !one.label().kept() || one.id().equals(info.id()))
            .map(VersionInfo::id)
            .toList();
    Set<VersionId> wanted = retention.keep(counting);
    // Whatever the rule says: a commit that dropped its own version would lose everything.
    kept.removeIf(version -> !version.info().id().equals(info.id()) && !isWanted(version, wanted));
    return root.with(newRecords, kept);
  }

  private static boolean isWanted(Root.Entry version, Set<VersionId> wanted) {
    return wanted.contains(version.info().id()) || version.info().label().kept();
  }

  /**
   * What the next version descends from, its parent last; and behind it what is kept for ever of a
   * past that was given up. Records stay in their order: then it is not the parent's new base that
   * leads to the parent, but what led to it before.
   */
  private List<Root.Entry> past(Root.@Nullable Entry parent) {
    List<Root.Entry> line = new ArrayList<>();
    List<Root.Entry> aside = new ArrayList<>();
    for (Root.Entry version : root.versions()) {
      boolean descends = parent == null || version.info().id().compareTo(parent.info().id()) <= 0;
      if (descends) {
        line.add(version);
      } else if (version.info().label().kept()) {
        aside.add(version);
      }
    }
    if (parent != null && aside.isEmpty()) {
      line.removeLast();
      line.add(parent);
    }
    line.addAll(aside);
    return line;
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

  /** The version is durable: now, and only now, memory says so too. */
  private void follow(Prepared prepared, Pointer oldRootPlace) throws IOException {
    Pending pending = prepared.pending;
    Root next = prepared.root;
    remember(prepared);
    Set<Pointer> before = recordsOf(oldRootPlace, root);
    boolean abandons = base != null && !base.equals(root.versions().getLast());
    boolean leavesGap = leavesGap(root.versions(), next.versions());
    // Blocks of zeros are many in few bytes.
    long described = pending.delta.position() / Digest.BYTES;
    ExtentList places = ledger.takeList((int) Math.min(pending.dirtyBlocks, described));
    readDelta(pending.delta, ledger.applying(map, places, !abandons));
    if (base != null) {
      ledger.replace(base.info().id(), places);
    }
    ledger.changeRecords(before, recordsOf(superblock.root(), next));
    root = next;
    base = next.versions().getLast();
    baseCatalog = prepared.catalog;
    owners = prepared.owners;
    if (pending.copied) {
      slots = SlotSpace.around(baseCatalog);
    } else {
      slots.release(pending.released);
    }
    mustRebase = false;
    lastDelta = pending.deltaBytes;
    ledger.space().settle();
    Set<VersionId> retained = retainedIds();
    // With a version whose map could not be read, what only it may have had goes too.
    boolean unseals = !retained.containsAll(ledger.unreadable());
    if (abandons || leavesGap || unseals) {
      account();
    } else {
      ledger.dropAllBut(retained);
    }
    tidy();
  }

  /** While the map still is that of the base. Nobody needs it so much that a commit may fail. */
  private void remember(Prepared prepared) throws IOException {
    Root.Entry parent = base;
    Pending pending = prepared.pending;
    if (parent == null
        || !recent.areWanted()
        || !RecentDeltas.hasRoomFor(pending.delta.position(), map.memoryBytes())) {
      return;
    }
    try {
      Delta delta =
          Delta.of(
              new Delta.Known(parent.info(), baseCatalog),
              new Delta.Known(prepared.info, prepared.catalog),
              new RecordReader(pending.delta.bytes(), "memory", 0),
              map);
      recent.add(delta, map.memoryBytes());
    } catch (OutOfMemoryError e) {
      LOG.debug("what leads to version {} is not remembered", pending.id, e);
      recent.clear();
    }
  }

  /** From now on it {@linkplain #delta remembers} what changed, in memory. */
  public void rememberDeltas() {
    try (Mutex.Held _ = mutex.hold()) {
      recent.want();
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
      return recent.between(from, root, to);
    }
  }

  /**
   * Whether a version is dropped that has an older one before it. What such a version shares with
   * the older one must stay, and its list of replaced places does not tell; counting anew does.
   */
  private static boolean leavesGap(List<Root.Entry> before, List<Root.Entry> after) {
    Set<VersionId> kept = new HashSet<>();
    after.forEach(version -> kept.add(version.info().id()));
    boolean older = false;
    for (Root.Entry version : before) {
      boolean stays = kept.contains(version.info().id());
      if (older && !stays) {
        return true;
      }
      older |= stays;
    }
    return false;
  }

  private Set<VersionId> retainedIds() {
    Set<VersionId> retained = new HashSet<>();
    root.versions().forEach(version -> retained.add(version.info().id()));
    return retained;
  }

  /** Keeps regions in proportion to the state, and the file from keeping a tail of free ones. */
  private void tidy() {
    if (deltaBytes.capacity() > map.memoryBytes() / 2) {
      // A checkpoint of nearly everything; the next will hardly be one, or can afford it again.
      deltaBytes.trim(map.memoryBytes() / 4);
    }
    if (scratch.capacity() > LARGEST_SCRATCH) {
      scratch.trim(LARGEST_SCRATCH);
    }
    ledger.resizeRegions(map, recordsOf(superblock.root(), root));
    ledger.space().shrink(lastDelta);
    cutTail(ledger.space().end());
  }

  /** A commit has ended, in whatever way. */
  void ended(Space.@Nullable Mark undo) {
    open = null;
    if (undo != null) {
      ledger.space().abort(undo);
      slots = SlotSpace.around(baseCatalog);
      cutTail(undo.end());
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

  /** Lets go of file and lock, without forcing. Closing twice is fine. */
  @Override
  public void close() throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
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
}
