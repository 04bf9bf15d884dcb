// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.cairn.Dataset;
import org.cairn.Tracking;
import org.cairn.supply.UnseenWrites;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Tracks the datasets of a program: which of them, is decided here. Calls come from the program's
 * thread, one at a time, but for those that say otherwise.
 */
public final class Trackers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Trackers.class);

  /** Of many datasets that cannot be tracked some are named. */
  private static final int MOST_TOLD = 5;

  /** What the first scans take says more of code that is new to the process than of the kernel. */
  private static final int COLD_SCANS = 3;

  /** Of so many that follow the quickest counts: one alone may have met a machine that is busy. */
  private static final int TRIED_SCANS = 3;

  /** Tracking pays for less than this, whatever hashing costs. */
  private static final double MUCH_WRITTEN = 0.1;

  private final Tracking choice;
  private final int verifyEvery;
  private final Map<Dataset, Tracked> all = new IdentityHashMap<>();

  /** Where datasets were when they were looked at last, tracked or not. */
  private final Map<Dataset, Place> places = new IdentityHashMap<>();

  /** By the reason, of which there are few, where datasets may be many. */
  private final Map<String, Seen> unseen = new HashMap<>();

  /** Where tracking is required: those of which was told that they are not. */
  private final Set<Dataset> untracked = Collections.newSetFromMap(new IdentityHashMap<>());

  private long checkpoints;
  private PageWatch.@Nullable Ground ground;
  private int refused;

  /** What the checkpoint that was durable last became. */
  private volatile @Nullable Base published;

  /** Why nothing is tracked any more; null as long as it is. */
  private volatile @Nullable String distrusted;

  /**
   * What a checkpoint knows of a dataset before it has looked at it.
   *
   * @param suspects the blocks that may differ from what it is compared with
   * @param writtenBytes how much the program wrote to since, as far as pages tell; -1 if they do
   *     not
   * @param words whether it is tracked, and why or why not, for people
   */
  public record Seen(Suspects suspects, long writtenBytes, String words, Cost cost) {
    private static Seen nothing(String why) {
      return new Seen(Suspects.all(), -1, "not tracked: " + why, Cost.UNTOLD);
    }
  }

  /** Is told what it has cost to look at a dataset; by any thread. */
  public interface Cost {
    /** For nobody. */
    Cost UNTOLD = (hashedBytes, hashNanos) -> {};

    /**
     * A checkpoint is durable.
     *
     * @param hashedBytes how much of the dataset was hashed
     * @param hashNanos how long that took, with all threads
     */
    void was(long hashedBytes, double hashNanos);
  }

  private record Place(long from, long to) {}

  private record Told(long hashedBytes, double hashNanos) {}

  /** A dataset, and what is known of it. */
  private static final class Tracked {
    /** What the last checkpoint has cost; null if nobody has said. */
    volatile @Nullable Told told;

    final DirtyTracker tracker;
    final Worth worth = new Worth();
    final HashRate rate = new HashRate();

    /** Why this memory cannot be watched; empty if it can. */
    String refusal = "";

    long refusedAddress;
    long refusedLength;
    DirtyTracker.Look look = DirtyTracker.Look.BLIND;

    /** Whether the next checkpoint hashes all of it, to learn what that costs. */
    boolean measures;

    /**
     * Whether the last one did, for that reason or another: it says nothing of what tracking costs.
     */
    boolean wasWhole;

    private int scans;

    /** The least that one took. */
    private long scanNanos = Long.MAX_VALUE;

    Tracked(DirtyTracker tracker) {
      this.tracker = tracker;
    }

    /** A scan of all of it has told what was written. */
    void scanned(long nanos) {
      scans++;
      if (scans > COLD_SCANS) {
        scanNanos = Math.min(scanNanos, nanos);
      }
    }

    /** Nothing as long as nobody knows. */
    long scanNanos() {
      return scans >= COLD_SCANS + TRIED_SCANS ? scanNanos : 0;
    }

    boolean isRefused(MemorySegment memory) {
      return !refusal.isEmpty()
          && refusedAddress == memory.address()
          && refusedLength == memory.byteSize();
    }

    boolean isRefusedAtAll() {
      return !refusal.isEmpty();
    }

    void refuse(MemorySegment memory, String why) {
      refusal = why;
      refusedAddress = memory.address();
      refusedLength = memory.byteSize();
      tracker.forget();
    }

    /** What part of the pages that are watched was written to. */
    double share() {
      long watched = tracker.watchedBytes();
      return watched == 0 ? 0 : (double) look.writtenBytes() / watched;
    }

    String words() {
      return refusal.isEmpty() ? worth.words() : "not tracked: " + refusal;
    }

    void accept() {
      refusal = "";
    }
  }

  /**
   * Tracks as is chosen.
   *
   * @param verifyEvery at which checkpoints everything is hashed, to see that nothing was missed
   */
  public Trackers(Tracking choice, int verifyEvery) {
    this.choice = choice;
    this.verifyEvery = verifyEvery;
  }

  /** Why what is chosen cannot be had here; null if it can. */
  public static @Nullable IllegalStateException refusal(Tracking choice) {
    if (choice != Tracking.REQUIRED || SharedPages.get().isAvailable()) {
      return null;
    }
    return new IllegalStateException(
        "tracking is required and cannot be had: %s; choose Tracking.AUTO to do without"
            .formatted(SharedPages.get().why()));
  }

  /**
   * A dataset is protected. Refuses memory that cannot be tracked, where that is required; whether
   * a device reaches it is asked later, at each checkpoint, since the program may mark it by then.
   *
   * @throws IllegalArgumentException naming the dataset and the reason
   */
  public void check(Dataset dataset) {
    if (choice != Tracking.REQUIRED || dataset.device().isPresent()) {
      return; // memory of a device is hashed where it is
    }
    long bytes = dataset.byteSize();
    if (bytes < SharedPages.get().pageSize()) {
      return; // hashed, which costs nothing
    }
    String why = dataset.lastingMemory().map(this::refusal).orElse("memory of the Java heap moves");
    if (!why.isEmpty()) {
      throw new IllegalArgumentException(
          "dataset \"%s\" cannot be tracked, which is required: %s; allocate it with Checkpointer.allocate, or choose Tracking.AUTO"
              .formatted(dataset.name(), why));
    }
  }

  private String refusal(MemorySegment memory) {
    try {
      ground = null;
      refuseForeign(memory);
      return "";
    } catch (UnwatchableException e) {
      return e.why();
    }
  }

  private static DirtyTracker.Whole whole(MemorySegment memory, SharedPages shared) {
    return DirtyTracker.Whole.of(memory, shared.pages().map(WatchedPages::pageSize).orElseThrow());
  }

  // ---------------------------------------------------------------- checkpoints

  /** A checkpoint begins. */
  public void begin() {
    checkpoints++;
    ground = null;
    if (distrusted != null) {
      close();
    }
  }

  /** Whether everything is hashed at this one, and a clean page that changed is an error. */
  public boolean verifies() {
    return checkpoints % verifyEvery == 0;
  }

  /**
   * Which blocks of a dataset may differ from what a checkpoint is compared with. Called while the
   * program does not write, before anything is hashed or copied.
   *
   * @param bytes what is hashed
   * @param base what the checkpoint is compared with
   * @param taking the checkpoint
   */
  public Seen look(
      Dataset dataset, MemorySegment bytes, Optional<VersionInfo> base, VersionId taking) {
    String why = whyNot(dataset, bytes);
    if (!why.isEmpty()) {
      drop(dataset); // of what happens from now on nothing is known
      tellIfRequired(dataset, bytes, why);
      return unseen.computeIfAbsent(why, Seen::nothing);
    }
    Tracked tracked = tracked(dataset, SharedPages.get());
    learn(tracked, bytes.byteSize());
    long start = System.nanoTime();
    tracked.look = look(tracked, dataset, bytes, base.map(Base::of), taking);
    if (tracked.look.writtenBytes() >= 0 && !tracked.tracker.isSampling()) {
      tracked.scanned(System.nanoTime() - start);
    }
    stopIfDear(tracked, bytes.byteSize());
    tracked.wasWhole = tracked.measures || verifies();
    return new Seen(
        tracked.measures ? Suspects.all() : tracked.look.suspects(),
        tracked.tracker.isSampling() ? -1 : tracked.look.writtenBytes(),
        tracked.words(),
        (hashedBytes, hashNanos) -> tracked.told = new Told(hashedBytes, hashNanos));
  }

  /** What was refused if it were protected now was put in the place of something else. */
  private void tellIfRequired(Dataset dataset, MemorySegment bytes, String why) {
    boolean small = bytes.byteSize() < SharedPages.get().pageSize();
    if (choice == Tracking.REQUIRED && !bytes.isNative() && !small && untracked.add(dataset)) {
      LOG.warn(
          "dataset \"{}\" is not tracked, which is required, but hashed: {}", dataset.name(), why);
    }
  }

  /**
   * Why memory is not a thought worth; empty if it is. What costs most to find out comes last: the
   * watch of the process is made only where there is something to watch.
   */
  private String whyNot(Dataset dataset, MemorySegment bytes) {
    String known = distrusted;
    if (known != null) {
      return known;
    }
    if (choice == Tracking.OFF) {
      return "as configured";
    }
    if (!bytes.isNative()) {
      return "memory of the Java heap moves";
    }
    if (!isLasting(dataset, bytes)) {
      return "what is hashed is a copy, or memory of a device";
    }
    if (choice == Tracking.AUTO && bytes.byteSize() < SharedPages.least()) {
      return "it is small";
    }
    SharedPages shared = SharedPages.get();
    if (!shared.isAvailable()) {
      return shared.why();
    }
    long least = choice == Tracking.AUTO ? SharedPages.least() : 1;
    return whole(bytes, shared).bytes() < least ? "it is small" : whyNotReached(dataset, bytes);
  }

  /**
   * Memory that this dataset did not have before was others': what the program has marked of it,
   * for them, says nothing of what it will mark.
   */
  private String whyNotReached(Dataset dataset, MemorySegment bytes) {
    Place now = new Place(bytes.address(), bytes.address() + bytes.byteSize());
    if (!now.equals(places.put(dataset, now))) {
      UnseenWrites.unmark(now.from, now.to);
    }
    return DeviceReach.why(bytes);
  }

  /** Not a copy that Cairn makes, nor what the program has put elsewhere by now. */
  private static boolean isLasting(Dataset dataset, MemorySegment bytes) {
    return dataset
        .lastingMemory()
        .filter(
            memory -> memory.address() == bytes.address() && memory.byteSize() == bytes.byteSize())
        .isPresent();
  }

  private Tracked tracked(Dataset dataset, SharedPages shared) {
    return all.computeIfAbsent(
        dataset, _ -> new Tracked(new DirtyTracker(shared.pages().orElseThrow())));
  }

  private DirtyTracker.Look look(
      Tracked tracked,
      Dataset dataset,
      MemorySegment memory,
      Optional<Base> base,
      VersionId taking) {
    if (tracked.isRefused(memory)) {
      return DirtyTracker.Look.BLIND;
    }
    tracked.accept();
    try {
      watchAsPlanned(tracked, memory);
      return tracked.tracker.isWatching()
          ? tracked.tracker.look(base, published, taking)
          : DirtyTracker.Look.BLIND;
    } catch (UnwatchableException e) {
      lost(tracked, dataset, memory, e);
      return DirtyTracker.Look.BLIND;
    }
  }

  private void watchAsPlanned(Tracked tracked, MemorySegment memory) throws UnwatchableException {
    DirtyTracker tracker = tracked.tracker;
    Worth.Plan plan = choice == Tracking.REQUIRED ? Worth.Plan.WATCH : tracked.worth.plan();
    boolean sample = plan == Worth.Plan.SAMPLE;
    boolean asPlanned =
        tracker.isOf(memory)
            && tracker.isWatching() == (plan != Worth.Plan.REST)
            && tracker.isSampling() == sample;
    if (asPlanned) {
      return;
    }
    if (choice == Tracking.AUTO && tracker.isWatching() && !tracker.isOf(memory)) {
      tracked.worth.moved();
      plan = tracked.worth.plan();
    }
    tracker.forget();
    if (plan == Worth.Plan.REST) {
      return;
    }
    refuseForeign(memory);
    if (plan == Worth.Plan.SAMPLE) {
      tracker.sample(memory);
    } else {
      tracker.watch(memory);
    }
  }

  /**
   * What memory is made of is asked once a checkpoint: the program does not change it meanwhile.
   */
  private void refuseForeign(MemorySegment memory) throws UnwatchableException {
    SharedPages shared = SharedPages.get();
    PageWatch.Ground known = ground;
    if (known == null) {
      known = shared.pages().orElseThrow().ground();
      ground = known;
    }
    DirtyTracker.Whole whole = whole(memory, shared);
    Optional<String> why = known.refusal(whole.from(), whole.to());
    if (why.isPresent()) {
      throw new UnwatchableException(why.get());
    }
  }

  /**
   * Memory that was mapped anew is watched anew; what cannot be watched at all is not tried again.
   */
  private void lost(
      Tracked tracked, Dataset dataset, MemorySegment memory, UnwatchableException e) {
    boolean wasWatched = tracked.tracker.isWatching();
    if (wasWatched) {
      tracked.tracker.forget();
      LOG.debug("dataset \"{}\" is hashed as a whole this time: {}", dataset.name(), e.why());
    } else {
      tracked.refuse(memory, e.why());
      refused++;
      Level level = choice == Tracking.REQUIRED ? Level.WARN : Level.INFO;
      LOG.atLevel(refused <= MOST_TOLD ? level : Level.DEBUG)
          .log("dataset \"{}\" is not tracked but hashed: {}", dataset.name(), e.why());
    }
  }

  /** A checkpoint has become durable; called by any thread, before the next one begins. */
  public void published(VersionInfo version) {
    published = Base.of(version);
  }

  /** Decides anew whether it pays, from what the checkpoint before has cost. */
  private void learn(Tracked tracked, long bytes) {
    Told told = tracked.told;
    tracked.told = null;
    if (told == null || choice != Tracking.AUTO || tracked.isRefusedAtAll()) {
      return;
    }
    tracked.rate.observe(told.hashedBytes, told.hashNanos, bytes);
    if (!tracked.tracker.isWatching()) {
      tracked.worth.rested();
    } else if (tracked.look.writtenBytes() >= 0 && tracked.rate.isKnown() && !tracked.wasWhole) {
      // Of a sample it is not known how much would have been hashed: at least what was written.
      boolean sample = tracked.tracker.isSampling();
      decide(tracked, bytes, sample ? tracked.share() * bytes : told.hashedBytes);
      return;
    }
    // After a restart nothing may have been hashed as a whole yet; of what is little it need not
    // be.
    tracked.measures = !tracked.rate.isKnown() && tracked.share() > MUCH_WRITTEN;
  }

  /** Where hashing everything may turn out to be cheaper, it is measured once more before. */
  private static void decide(Tracked tracked, long bytes, double hashedBytes) {
    double cost = share(tracked, bytes, hashedBytes, tracked.rate.nanosPerByte());
    double most = share(tracked, bytes, hashedBytes, tracked.rate.leastNanosPerByte());
    tracked.measures = cost <= 1 && most > 1;
    if (!tracked.measures) {
      tracked.worth.observe(cost);
    }
  }

  /** What was written already costs more than hashing everything: it is not to cost that again. */
  private void stopIfDear(Tracked tracked, long bytes) {
    boolean known = tracked.look.writtenBytes() >= 0 && tracked.rate.isKnown();
    if (choice == Tracking.AUTO && known && !tracked.tracker.isSampling()) {
      double least = share(tracked, bytes, tracked.share() * bytes, tracked.rate.nanosPerByte());
      if (least > 2) {
        tracked.worth.observe(least);
        tracked.tracker.forget();
      }
    }
  }

  /** First writes to pages, the scan, and hashing some of it, against hashing everything. */
  private static double share(
      Tracked tracked, long bytes, double hashedBytes, double nanosPerByte) {
    SharedPages shared = SharedPages.get();
    int page = shared.pages().orElseThrow().pageSize();
    double writing = tracked.share() * bytes / page * shared.price().nanos();
    double tracking = writing + tracked.scanNanos() + hashedBytes * nanosPerByte;
    return tracking / (bytes * nanosPerByte);
  }

  // ---------------------------------------------------------------- restarts and the rest

  /**
   * Datasets have the bytes of the version that they were filled from, and the program has not seen
   * them yet: what it writes from now on is tracked. Of memory that two of them have it is not
   * known whose bytes it got last: that is hashed.
   *
   * @param protectedNow those that were filled, and all that were beside them
   */
  public void restored(Collection<Dataset> protectedNow) {
    ground = null;
    Map<Dataset, Base> filled = new IdentityHashMap<>();
    for (Dataset dataset : protectedNow) {
      dataset.takeOrigin().ifPresent(origin -> filled.put(dataset, Base.of(origin)));
    }
    if (choice != Tracking.OFF && !filled.isEmpty()) {
      filled.keySet().removeAll(Overlaps.among(protectedNow));
      filled.forEach(this::restored);
    }
  }

  private void restored(Dataset dataset, Base base) {
    Optional<MemorySegment> memory =
        dataset.lastingMemory().filter(bytes -> whyNot(dataset, bytes).isEmpty());
    if (memory.isEmpty()) {
      return;
    }
    Tracked tracked = tracked(dataset, SharedPages.get());
    if (tracked.isRefused(memory.get())) {
      return;
    }
    tracked.accept();
    try {
      watchAsPlanned(tracked, memory.get());
      if (tracked.tracker.isWatching()) {
        tracked.tracker.restored(base);
      }
    } catch (UnwatchableException e) {
      lost(tracked, dataset, memory.get(), e);
    }
  }

  /** A dataset is protected no longer. */
  public void forget(Dataset dataset) {
    places.remove(dataset);
    untracked.remove(dataset);
    drop(dataset);
  }

  private void drop(Dataset dataset) {
    Tracked tracked = all.remove(dataset);
    if (tracked != null) {
      tracked.tracker.forget();
    }
  }

  /** A page was called clean and is not: nothing is tracked any more; called by any thread. */
  public void distrust(String why) {
    if (distrusted == null) {
      distrusted = why;
      LOG.error("{}; from now on everything is hashed", why);
    }
  }

  /** Whether nothing is tracked any more. */
  public boolean isDistrusted() {
    return distrusted != null;
  }

  @Override
  public void close() {
    all.values().forEach(tracked -> tracked.tracker.end());
    all.clear();
    places.clear();
  }
}
