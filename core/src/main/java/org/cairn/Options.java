// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.cairn.checkpoint.Staging;
import org.cairn.clock.Clock;
import org.cairn.hash.DefaultHash;
import org.cairn.hash.WeakHash;
import org.cairn.supply.Entropy;
import org.cairn.tier.FileNames;
import org.cairn.tier.TierTypes;
import org.cairn.work.HeadStart;
import org.jspecify.annotations.Nullable;

/**
 * How checkpoints are taken. Immutable: every method with an argument gives a changed copy, {@code
 * Options.defaults().asynchronous(true).every(Duration.ofMinutes(10))}.
 */
public final class Options {
  private static final int READERS_PER_CORE = 4;

  static {
    HeadStart.begin(); // the first class that a program which restarts comes to
  }

  private static final Options DEFAULTS = new Options();

  private int blockSize = 16 << 10;

  /** Null if nobody has chosen one. */
  private @Nullable HashAlgorithm hash;

  /** What the table by processors names, here or where somebody decided for all ranks. */
  private @Nullable HashAlgorithm named;

  private int retain = 2;

  /** What nobody has chosen is 0, and follows from the machine and the ranks that share it. */
  private int threads;

  private long staging;
  private int buffer;
  private int ranksOnHost = 1;
  private boolean asynchronous;
  private boolean offload;
  private WhenBusy whenBusy = WhenBusy.WAIT;
  private Interval interval = new Interval.Daly(Duration.ofHours(24));
  private Strategy strategy = Strategy.AUTO;
  private Tracking tracking = Tracking.AUTO;
  private int verifyEvery = 16;
  private Tiers tiers = Tiers.none();
  private boolean inMemory;
  private Clock clock = Clock.system();
  private @Nullable String job;
  private Duration pruneOthersAfter = Duration.ZERO;
  private boolean warnsOfDifferences;
  private Duration flushOnClose = Duration.ofMinutes(1);
  private Scrubbing scrub = Scrubbing.every(Duration.ofHours(24));
  private @Nullable Duration waitAtMost;
  private LongSupplier random = new Entropy();

  private Options() {}

  /**
   * XXH3-128 or SpookyHash, as the processor has it, over blocks of 16 KiB, two versions retained,
   * all cores for the ranks of a host together and an eighth of the state as staging memory,
   * synchronous, differential where that pays, what is on disk verified once a day, and {@code
   * checkpointIfDue} as often as suits a failure a day.
   */
  public static Options defaults() {
    return DEFAULTS;
  }

  private Options with(Consumer<Options> change) {
    Options copy = new Options();
    copy.blockSize = blockSize;
    copy.hash = hash;
    copy.named = named;
    copy.retain = retain;
    copy.threads = threads;
    copy.staging = staging;
    copy.buffer = buffer;
    copy.ranksOnHost = ranksOnHost;
    copy.asynchronous = asynchronous;
    copy.offload = offload;
    copy.whenBusy = whenBusy;
    copy.interval = interval;
    copy.strategy = strategy;
    copy.tracking = tracking;
    copy.verifyEvery = verifyEvery;
    copy.tiers = tiers;
    copy.inMemory = inMemory;
    copy.clock = clock;
    copy.job = job;
    copy.pruneOthersAfter = pruneOthersAfter;
    copy.warnsOfDifferences = warnsOfDifferences;
    copy.flushOnClose = flushOnClose;
    copy.scrub = scrub;
    copy.waitAtMost = waitAtMost;
    copy.random = random;
    change.accept(copy);
    return copy;
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException(what);
    }
  }

  /** Cuts datasets into blocks of this size, 128 bytes to 1 MiB; datasets may have their own. */
  public Options blockSize(int bytes) {
    require(
        bytes >= 128 && bytes <= 1 << 20,
        "a block size of " + bytes + " bytes is not between 128 and 1048576");
    return with(copy -> copy.blockSize = bytes);
  }

  /**
   * Hashes blocks with this algorithm. Unless told, new datasets take the one that a table names
   * for the processor of rank 0, and those that a restart brings back keep theirs.
   */
  public Options hash(HashAlgorithm algorithm) {
    WeakHash.warnIfWeak(algorithm, "Options.hash");
    return with(copy -> copy.hash = algorithm);
  }

  /** Keeps this many versions, at least one. */
  public Options retain(int versions) {
    require(versions >= 1, "cannot retain " + versions + " versions; keep at least 1");
    return with(copy -> copy.retain = versions);
  }

  /**
   * Hashes and copies with this many threads, on each rank; a restart reads with four times as
   * many. Unless told, the ranks of a host share its cores.
   */
  public Options threads(int count) {
    require(count >= 1, count + " threads; use at least 1");
    return with(copy -> copy.threads = count);
  }

  /**
   * Bounds the memory for blocks on their way to the file, on each rank. Less than a few staging
   * buffers are rounded up: every thread needs one, and the writer another. Unless told it is an
   * eighth of the state, at least 8 MiB, and 256 MiB at most for the ranks of a host together. An
   * asynchronous checkpoint with more changed bytes than that waits for the disk.
   */
  public Options staging(long bytes) {
    require(bytes > 0, "staging memory of " + bytes + " bytes; it must be positive");
    return with(copy -> copy.staging = bytes);
  }

  /**
   * Sets the size of one staging buffer, and so of the largest write; at least 2 MiB. Unless told
   * it is 4 MiB, or less where there is little staging memory.
   */
  public Options buffer(int bytes) {
    require(
        bytes >= Staging.LEAST_BUFFER,
        "staging buffers of " + bytes + " bytes; use at least 2 MiB");
    return with(copy -> copy.buffer = bytes);
  }

  /**
   * Divides what nobody has chosen (threads, readers and staging memory) among so many ranks of a
   * host. A checkpointer of many ranks does that by itself.
   */
  Options sharedBy(int ranks) {
    return with(copy -> copy.ranksOnHost = ranks);
  }

  /** Lets {@code checkpoint()} return as soon as dirty blocks are copied aside. */
  public Options asynchronous(boolean choice) {
    return with(copy -> copy.asynchronous = choice);
  }

  /**
   * Lets devices (GPUs) hash memory of the host that the program has registered with them, where
   * measurements say that they are faster than the processor, copies included. Needs a kind of
   * device on the class path, {@code cairn-gpu} for example. Off unless told: a driver has to be
   * started for it, and few programs register memory.
   */
  public Options offload(boolean choice) {
    return with(copy -> copy.offload = choice);
  }

  /** Says what a checkpoint does while the one before is not durable. */
  public Options whenBusy(WhenBusy choice) {
    return with(copy -> copy.whenBusy = choice);
  }

  /** Lets {@code checkpointIfDue} take a checkpoint each time this long has passed. */
  public Options every(Duration time) {
    Interval fixed = new Interval.Fixed(time);
    return with(copy -> copy.interval = fixed);
  }

  /** Lets {@code checkpointIfDue} follow Daly's optimum for this mean time between failures. */
  public Options mtbf(Duration time) {
    Interval optimum = new Interval.Daly(time);
    return with(copy -> copy.interval = optimum);
  }

  /** Chooses differential or full checkpoints, or what measurements advise. */
  public Options strategy(Strategy choice) {
    return with(copy -> copy.strategy = choice);
  }

  /**
   * Chooses whether pages that the program writes to are tracked, so that others are not hashed.
   */
  public Options tracking(Tracking choice) {
    return with(copy -> copy.tracking = choice);
  }

  /**
   * Hashes everything at every n-th checkpoint, also what was not written to as far as pages tell:
   * so bits that flip in memory, and writes past the page tables, are found.
   */
  public Options verifyEvery(int checkpoints) {
    require(checkpoints >= 1, "verifyEvery must be at least 1, is " + checkpoints);
    return with(copy -> copy.verifyEvery = checkpoints);
  }

  /**
   * Keeps versions in more places than the container of each rank.
   *
   * @throws IllegalArgumentException if a kind of tier is not on the class path
   */
  public Options tiers(Tiers choice) {
    for (TierKind kind : choice.others()) {
      if (TierTypes.find(kind.number()).isEmpty()) {
        throw new IllegalArgumentException(
            "no tier of the kind %s is on the class path".formatted(kind));
      }
    }
    return with(copy -> copy.tiers = choice);
  }

  /**
   * Keeps containers and the copies of partners in memory, and writes them to the directory when
   * the program closes or the process is told to end (SIGTERM, SIGINT): for ranks that keep copies
   * for each other, so that the survivors of a failure have everything. A job of one rank has
   * nobody who could keep a copy: it uses the directory, and warns.
   */
  public Options inMemory(boolean choice) {
    return with(copy -> copy.inMemory = choice);
  }

  /**
   * Gives the job a name, by which it finds its checkpoints again: jobs of different names may
   * share directories and never meet. Unless given it is {@code CAIRN_JOB}, or the index of a task
   * of a job array, or none.
   */
  public Options job(String name) {
    FileNames.checkJob(name);
    return with(copy -> copy.job = name);
  }

  /**
   * Lets the job delete files of other lives of its name that lie in its ranks' directories, once
   * they are past or have no version taken within this time. Without it nothing of others is ever
   * deleted.
   */
  public Options pruneOthersAfter(Duration age) {
    require(!age.isNegative() && !age.isZero(), "files of other lives after " + age + "; use more");
    return with(copy -> copy.pruneOthersAfter = age);
  }

  /**
   * A checkpoint whose datasets are said to be the {@linkplain Dataset#everywhere same everywhere}
   * and are not becomes durable nevertheless, with a warning that names dataset, rank and block.
   * Which of them comes back on another number of ranks is then left to chance. Otherwise it fails.
   */
  public Options warnOfDifferences(boolean only) {
    return with(copy -> copy.warnsOfDifferences = only);
  }

  /**
   * Bounds how long {@code close()} takes to bring the newest version to all tiers; zero to leave
   * it where it is.
   */
  public Options flushOnClose(Duration limit) {
    require(!limit.isNegative(), "a limit of " + limit);
    return with(copy -> copy.flushOnClose = limit);
  }

  /**
   * Reads and verifies what lies on disk while the program runs, everything once in a time or in a
   * number of checkpoints: a bad sector below blocks that never change would take every version,
   * though the good bytes are in memory. What is bad is written to a new place by the next
   * checkpoint. Unless told otherwise everything once a day, with at most 2 % of a core; {@link
   * Scrubbing#OFF} for never.
   */
  public Options scrub(Scrubbing choice) {
    return with(copy -> copy.scrub = choice);
  }

  /**
   * Bounds how long ranks wait for each other while none of them computes and no message comes:
   * then each prints where it waits, and who is gone or silent, and after as long again the job
   * ends with the status {@link org.cairn.watch.Watch#STATUS}. Zero to wait for ever. Unless given
   * it is {@code CAIRN_WAIT_AT_MOST}, or an hour.
   */
  public Options waitAtMost(Duration limit) {
    require(!limit.isNegative(), "a limit of " + limit);
    return with(copy -> copy.waitAtMost = limit);
  }

  /**
   * Takes the random bits of identities from here: 64 at a time, never the same twice, from any
   * thread.
   */
  public Options random(LongSupplier bits) {
    return with(copy -> copy.random = bits);
  }

  /** Takes the time from here. */
  public Options clock(Clock source) {
    return with(copy -> copy.clock = source);
  }

  /**
   * Refuses what means nothing, on however many ranks.
   *
   * @throws IllegalArgumentException with what to say instead
   */
  Options checked() {
    tiers.refuseIdle();
    require(
        !inMemory || tiers.every(TierKind.PARTNER) > 0,
        "state in memory is lost with its process; give it a partner: Tiers.none().partner(1)");
    return this;
  }

  /** Bytes a block. */
  public int blockSize() {
    return blockSize;
  }

  /** The hash algorithm of new datasets. */
  public HashAlgorithm hash() {
    HashAlgorithm chosen = hash;
    // What devices are to hash must be something that they compute.
    return chosen != null ? chosen : offload ? HashAlgorithm.XXH3_128 : named();
  }

  /** Whether a dataset that exists keeps its algorithm: nobody wants another. */
  boolean keepsHashes() {
    return hash == null && !offload;
  }

  /** What the table by processors names for new datasets. */
  HashAlgorithm named() {
    HashAlgorithm decided = named;
    return decided == null ? DefaultHash.here() : decided;
  }

  /** Takes this for what the table names: rank 0 decides for all. */
  Options naming(HashAlgorithm algorithm) {
    return with(copy -> copy.named = algorithm);
  }

  /** How many versions are kept. */
  public int retain() {
    return retain;
  }

  /** How many threads hash and copy. */
  public int threads() {
    return threads > 0 ? threads : Math.max(1, cores() / ranksOnHost);
  }

  /** How many threads read at a restart: more than hash, as they wait for the disk. */
  public int readers() {
    return threads > 0
        ? READERS_PER_CORE * threads
        : Math.max(1, READERS_PER_CORE * cores() / ranksOnHost);
  }

  private static int cores() {
    return Runtime.getRuntime().availableProcessors();
  }

  /** Memory for blocks on their way to the file. */
  Staging staging() {
    return new Staging(staging, buffer, threads(), ranksOnHost);
  }

  /** Whether {@code checkpoint()} returns before the version is durable. */
  public boolean asynchronous() {
    return asynchronous;
  }

  /** Whether devices may hash memory of the host. */
  public boolean offload() {
    return offload;
  }

  /** What a checkpoint does while the one before is not durable. */
  public WhenBusy whenBusy() {
    return whenBusy;
  }

  /** When {@code checkpointIfDue} takes a checkpoint. */
  public Interval interval() {
    return interval;
  }

  /** Differential, full, or as measured. */
  public Strategy strategy() {
    return strategy;
  }

  /** Whether pages that the program writes to are tracked. */
  public Tracking tracking() {
    return tracking;
  }

  /** At every how many checkpoints everything is hashed. */
  public int verifyEvery() {
    return verifyEvery;
  }

  /** Where versions are kept beside the local container. */
  public Tiers tiers() {
    return tiers;
  }

  /** Whether containers are kept in memory. */
  public boolean inMemory() {
    return inMemory;
  }

  /** The time. */
  public Clock clock() {
    return clock;
  }

  /** The name of the job; empty if it has none. */
  public String job() {
    String given = job;
    return given == null ? JobName.ofSurroundings() : given;
  }

  /** How old files of other lives must be to be deleted; zero if they never are. */
  public Duration pruneOthersAfter() {
    return pruneOthersAfter;
  }

  /** Whether what is not the {@linkplain Dataset#everywhere same everywhere} is only told. */
  public boolean warnsOfDifferences() {
    return warnsOfDifferences;
  }

  /** How long {@code close()} may take to bring the newest version to all tiers. */
  public Duration flushOnClose() {
    return flushOnClose;
  }

  /** How often what lies on disk is verified. */
  public Scrubbing scrub() {
    return scrub;
  }

  /** How long ranks wait for each other in vain; zero if for ever. */
  public Duration waitAtMost() {
    Duration given = waitAtMost;
    return given == null ? WaitLimit.ofSurroundings() : given;
  }

  /** Where the random bits of identities come from. */
  public LongSupplier random() {
    return random;
  }
}
