// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.cairn.store.Store;
import org.jspecify.annotations.Nullable;

/**
 * Where versions are kept beside the local container, and how often. Immutable: every method with
 * an argument gives a changed copy, {@code Tiers.none().partner(1).erasure(4)}.
 *
 * <p>{@code every} counts checkpoints: 1 gives the tier each of them, 4 every fourth, 0 none. The
 * first goes to all tiers.
 */
public final class Tiers {
  private static final Tiers NONE = new Tiers();

  private int partnerEvery;
  private int partnerDistance;
  private int erasureEvery;
  private int groupSize = 8;
  private int parity;
  private int sharedEvery;
  private @Nullable Store shared;
  private int sharedRetain = 2;
  private int sharedGroup = 8;
  private Compression compression = Compression.none();
  private int frame = 4 << 20;
  private Duration leaseRest = Duration.ofSeconds(60);
  private Duration visibility = Duration.ofSeconds(60);
  private Duration patience = Duration.ofSeconds(1);
  private boolean apart;

  /** Tiers of other kinds. */
  private Map<TierKind, Other> others = Map.of();

  private record Other(int every, Object settings) {}

  /** What was said of how tiers are, by the names of the methods. */
  private Set<String> said = Set.of();

  private Tiers() {}

  /** The local container alone. */
  public static Tiers none() {
    return NONE;
  }

  private Tiers with(Consumer<Tiers> change) {
    Tiers copy = new Tiers();
    copy.partnerEvery = partnerEvery;
    copy.partnerDistance = partnerDistance;
    copy.erasureEvery = erasureEvery;
    copy.groupSize = groupSize;
    copy.parity = parity;
    copy.sharedEvery = sharedEvery;
    copy.shared = shared;
    copy.sharedRetain = sharedRetain;
    copy.sharedGroup = sharedGroup;
    copy.compression = compression;
    copy.frame = frame;
    copy.leaseRest = leaseRest;
    copy.visibility = visibility;
    copy.patience = patience;
    copy.apart = apart;
    copy.others = others;
    copy.said = said;
    change.accept(copy);
    return copy;
  }

  /** The same, remembering that it was said. */
  private Tiers saying(String setting, Consumer<Tiers> change) {
    Tiers copy = with(change);
    Set<String> all = new TreeSet<>(said);
    all.add(setting);
    copy.said = all;
    return copy;
  }

  /**
   * Refuses what means nothing, on however many ranks: how a tier is to be that was not asked for.
   *
   * @throws IllegalArgumentException naming the setting, and what to say with it
   */
  public void refuseIdle() {
    refuseIdle("partnerDistance", partnerEvery > 0, "partner(every)");
    refuseIdle("group", erasureEvery > 0, "erasure(every)");
    for (String setting :
        List.of("sharedRetain", "sharedGroup", "compression", "frame", "leaseRest", "visibility")) {
      refuseIdle(setting, shared != null, "shared(directory, every)");
    }
    refuseIdle(
        "requireDomains", partnerEvery + erasureEvery > 0, "partner(every) or erasure(every)");
  }

  private void refuseIdle(String setting, boolean used, String remedy) {
    require(
        used || !said.contains(setting),
        "Tiers."
            + setting
            + " means nothing without the tier that it is about; say "
            + remedy
            + " too, or leave it out");
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException(what);
    }
  }

  private static void requireEvery(int every) {
    require(every >= 0, "a tier cannot get every " + every + "th checkpoint; use 0 for none");
  }

  /** Keeps a copy of each rank's container with a rank of another failure domain. */
  public Tiers partner(int every) {
    requireEvery(every);
    return with(copy -> copy.partnerEvery = every);
  }

  /**
   * Makes rank {@code r + distance} the partner of rank {@code r}; 0 chooses by domains, and so
   * does, with a warning, a job that has not so many ranks.
   */
  public Tiers partnerDistance(int distance) {
    require(distance >= 0, "a distance of " + distance + " ranks; use 0 to choose by domains");
    return distance == 0
        ? with(copy -> copy.partnerDistance = 0)
        : saying("partnerDistance", copy -> copy.partnerDistance = distance);
  }

  /** Keeps Reed-Solomon parity over groups of ranks. */
  public Tiers erasure(int every) {
    requireEvery(every);
    return with(copy -> copy.erasureEvery = every);
  }

  /**
   * Sets the size of groups and how many of a group may be lost; smaller jobs have smaller groups,
   * which bear, with a warning, as much as they can.
   *
   * @param lost how many losses a group bears; 0 chooses 2, or 1 in groups of fewer than 4
   */
  public Tiers group(int ranks, int lost) {
    require(ranks >= 2 && ranks <= 128, "groups of " + ranks + " ranks; use 2 to 128");
    require(lost >= 0 && lost < ranks, "a group of " + ranks + " cannot lose " + lost + " ranks");
    return saying(
        "group",
        copy -> {
          copy.groupSize = ranks;
          copy.parity = lost;
        });
  }

  /** Flushes versions to a directory that all ranks see. */
  public Tiers shared(Store directory, int every) {
    requireEvery(every);
    return with(
        copy -> {
          copy.shared = directory;
          copy.sharedEvery = every;
        });
  }

  /** Keeps this many versions in the shared directory. */
  public Tiers sharedRetain(int versions) {
    require(versions >= 1, "cannot retain " + versions + " versions; keep at least 1");
    return saying("sharedRetain", copy -> copy.sharedRetain = versions);
  }

  /** Lets this many ranks write a segment together. */
  public Tiers sharedGroup(int ranks) {
    require(ranks >= 1, "segments of " + ranks + " ranks; use at least 1");
    return saying("sharedGroup", copy -> copy.sharedGroup = ranks);
  }

  /**
   * Makes what goes to the shared directory small: blocks of all ranks that write a segment
   * together are put into frames, alike beside alike, and identical ones are stored once. Without
   * it blocks are stored as they are.
   */
  public Tiers compression(Compression wanted) {
    return saying("compression", copy -> copy.compression = wanted);
  }

  /**
   * Compresses this many bytes together, 4 MiB unless told: larger frames are smaller in sum, and a
   * reader of one block has to expand all of its frame.
   */
  public Tiers frame(int bytes) {
    require(
        bytes >= 4 << 10 && bytes <= 64 << 20,
        "frames of " + bytes + " bytes; use 4 KiB to 64 MiB");
    return saying("frame", copy -> copy.frame = bytes);
  }

  /**
   * Sets how long the lease of a job in the shared directory has to rest, while one watches, before
   * it is taken over from a run that is gone; a holder renews it twelve times as often. 60 seconds
   * unless given: more for a store that stands still for longer.
   */
  public Tiers leaseRest(Duration time) {
    require(time.toMillis() > 0, "a lease that rests for " + time);
    return saying("leaseRest", copy -> copy.leaseRest = time);
  }

  /**
   * Sets how long ranks look for what another one has written to the shared directory, because
   * network file systems remember that a file was not there; 60 seconds unless given.
   */
  public Tiers visibility(Duration time) {
    require(!time.isNegative(), "a visibility of " + time);
    return saying("visibility", copy -> copy.visibility = time);
  }

  /**
   * Bounds how long a checkpoint waits for tiers that still work on an older version; then it does
   * not go to them, and the next one tries again.
   */
  public Tiers patience(Duration time) {
    require(!time.isNegative(), "a patience of " + time);
    return with(copy -> copy.patience = time);
  }

  /**
   * Keeps versions in a tier of another kind, see {@link org.cairn.tier.TierType}.
   *
   * @param settings what it needs to know; as text it must be the same on all ranks
   */
  public Tiers other(TierKind kind, int every, Object settings) {
    requireEvery(every);
    require(kind.number() > TierKind.SHARED.number(), "the " + kind + " tier has its own method");
    Map<TierKind, Other> more = new TreeMap<>(others);
    more.put(kind, new Other(every, settings));
    return with(copy -> copy.others = Collections.unmodifiableMap(more));
  }

  /** Refuses to start where one failure domain could lose what a tier is meant to keep. */
  public Tiers requireDomains() {
    return saying("requireDomains", copy -> copy.apart = true);
  }

  /** How many checkpoints lie between two that go to this tier; 0 if none does. */
  public int every(TierKind kind) {
    if (kind.equals(TierKind.LOCAL)) {
      return 1;
    } else if (kind.equals(TierKind.PARTNER)) {
      return partnerEvery;
    } else if (kind.equals(TierKind.ERASURE)) {
      return erasureEvery;
    } else if (kind.equals(TierKind.SHARED)) {
      return sharedEvery;
    }
    Other other = others.get(kind);
    return other == null ? 0 : other.every;
  }

  /** The kinds that are not Cairn's own. */
  public Set<TierKind> others() {
    return others.keySet();
  }

  /** What a tier that is not one of Cairn's own was given. */
  public Optional<Object> settings(TierKind kind) {
    return Optional.ofNullable(others.get(kind)).map(Other::settings);
  }

  /** How far away partners are; 0 if domains decide. */
  public int partnerDistance() {
    return partnerDistance;
  }

  /** The largest size of an erasure group. */
  public int groupSize() {
    return groupSize;
  }

  /** How many losses a group bears; 0 if its size decides. */
  public int parity() {
    return parity;
  }

  /** The shared directory. */
  public @Nullable Store shared() {
    return shared;
  }

  /** How many versions the shared directory keeps. */
  public int sharedRetain() {
    return sharedRetain;
  }

  /** How many ranks write a segment together. */
  public int sharedGroup() {
    return sharedGroup;
  }

  /** How small segments in the shared directory are made. */
  public Compression compression() {
    return compression;
  }

  /** How many bytes are compressed together. */
  public int frame() {
    return frame;
  }

  /** How long a lease has to rest before it is taken over. */
  public Duration leaseRest() {
    return leaseRest;
  }

  /** How long ranks look for what another one has written. */
  public Duration visibility() {
    return visibility;
  }

  /** How long a checkpoint waits for busy tiers. */
  public Duration patience() {
    return patience;
  }

  /** Whether failure domains must be apart. */
  public boolean domainsRequired() {
    return apart;
  }

  /** Whether there is any tier beside the local container. */
  public boolean isEmpty() {
    return partnerEvery == 0 && erasureEvery == 0 && sharedEvery == 0 && others.isEmpty();
  }

  /** What all ranks must agree on, in words. */
  @Override
  public String toString() {
    // Not by a format: ranks compare it whenever they start, and formats are slow to start with.
    return "partner every "
        + partnerEvery
        + " at distance "
        + partnerDistance
        + ", erasure every "
        + erasureEvery
        + " in groups of "
        + groupSize
        + " bearing "
        + parity
        + ", shared every "
        + sharedEvery
        + " keeping "
        + sharedRetain
        + " in groups of "
        + sharedGroup
        + (compression.goal() == Compression.Goal.NONE
            ? ""
            : ", " + compression + " in frames of " + frame)
        + ", patience "
        + patience
        + (apart ? ", domains apart" : "")
        + (others.isEmpty() ? "" : ", " + others);
  }
}
