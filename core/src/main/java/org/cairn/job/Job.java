// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Label;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.TierKind;
import org.cairn.checkpoint.Gate;
import org.cairn.comm.Communicator;
import org.cairn.division.Description;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.restart.RestartTarget;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.supply.Closing;
import org.cairn.tier.AgreedFailureException;
import org.cairn.tier.FileNames;
import org.cairn.tier.TierListener;
import org.cairn.tier.TierWorker;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.cairn.watch.Activity;
import org.jspecify.annotations.Nullable;

/**
 * The part of one rank in a parallel job: gives out identities that are the same on all ranks,
 * turns local outcomes into agreed ones, and feeds the tiers.
 *
 * <p>Each phase is a class, and gives the next what that begins with:
 *
 * <pre>
 * opening     Place → Channels → JobTiers → AtStart                    (JobOpening)
 * deciding    AtStart or Run → Start (Restart, Beginning) → Run        (Course, Entering)
 * running     Run → VersionId → Ticket (Tickets) → Outcome             (Agreements)
 * closing     Departure, and then all that was opened, in this order
 * </pre>
 *
 * <p>Assumptions:
 *
 * <ol>
 *   <li>All ranks call the methods marked collective, in the same order, from one thread each.
 *   <li>A rank that dies takes the job with it, sooner or later; the job is started again.
 * </ol>
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>No identity is ever used twice: every start agrees on an epoch that no rank and no file has
 *       seen, and every checkpoint, whatever becomes of it, uses up a sequence number.
 *   <li>What one rank reports as durable, all do.
 *   <li>No version is dropped anywhere before all ranks have a newer one.
 * </ol>
 */
public final class Job implements AutoCloseable {
  private final ThisRank me;
  private final Ranks ranks;
  private final Channels channels;
  private final OwnContainer own;
  private final JobTiers tiers;
  private final Course course;
  private final Trigger trigger;
  private final Tickets tickets;
  private final Agreements agreements;
  private final Scrubber scrubber;

  /** All that was opened; see {@link JobOpening}. */
  Job(
      ThisRank me,
      Channels channels,
      OwnContainer own,
      JobTiers tiers,
      Course course,
      TierListener listener,
      ScrubListener scrubListener) {
    this.me = me;
    this.ranks = me.ranks();
    this.channels = channels;
    this.own = own;
    this.tiers = tiers;
    this.course = course;
    this.trigger = new Trigger(channels.control());
    this.tickets = new Tickets(ranks, tiers, listener);
    this.agreements =
        new Agreements(ranks, channels.background(), tiers, me.setup().warnsOfDifferences());
    this.scrubber = Scrubber.of(me, own, tiers, scrubListener);
  }

  /** Joins the job; collective. All ranks must have the same settings. */
  public static Job open(
      Communicator world,
      Directories directories,
      JobSetup setup,
      TierListener listener,
      ScrubListener scrubListener)
      throws IOException {
    return new JobOpening(world, Place.take(world, directories, setup), setup)
        .open(listener, scrubListener);
  }

  /** Whether what this rank does concerns no other: it may throw at any call. */
  public boolean isOnlyRank() {
    return ranks.isOnlyOne();
  }

  /** Who of this rank waits for others. */
  public Activity activity() {
    return ranks.activity();
  }

  /** Where this rank keeps its files. */
  public Store store() {
    return me.store();
  }

  /** The number of this rank. */
  public int rank() {
    return me.number();
  }

  /** How many ranks there are. */
  public int size() {
    return me.size();
  }

  /** The name by which the job is found again; empty if it has none. */
  public String name() {
    return me.name();
  }

  /** The run and what it comes from; empty until it is decided which job this is. */
  public Optional<Lineage> lineage() {
    return course.lineage();
  }

  /** The container of this rank; empty until it is decided which job this is. */
  public Optional<LocalContainer> local() {
    return own.get();
  }

  /**
   * The container of this rank.
   *
   * @throws IllegalStateException if it is not decided yet which job this is
   */
  public LocalContainer decided() {
    return local().orElseThrow(Course::undecided);
  }

  /** Where the state of this rank is, for messages. */
  public String location() {
    return local()
        .map(mine -> mine.get().location())
        .orElseGet(() -> store().location(FileNames.local(rank())));
  }

  /** Whether only the thread that opened the job may call. */
  public boolean servesOneThread() {
    return agreements.serveOneThread();
  }

  /** Whether it is so on any rank; collective. */
  public boolean isAnywhere(boolean here) {
    return ranks.isAnywhere(here);
  }

  /**
   * Refuses on all ranks what one of them must not do, before anything is changed; collective.
   *
   * @param mine why this rank must not; null if it may
   * @throws IllegalStateException if any rank must not
   */
  public void refuseTogether(@Nullable IllegalStateException mine) {
    ranks.refuseTogether(mine);
  }

  /** A number that rank 0 decides for all; collective. */
  public int saidByFirst(int mine) throws IOException {
    byte[] number = RecordWriter.onHeap().putInt(mine).toArray();
    return RecordReader.of(ranks.comm().announce(number, 0), "rank 0").getInt();
  }

  // ---------------------------------------------------------------- whose job it is

  /** What was found damaged when the job was opened, for people. */
  public List<String> problemsAtStart() {
    return course.atStart().map(AtStart::problems).orElse(List.of());
  }

  /** Versions found at the start, newest first. */
  public List<VersionId> foundAtStart() {
    return course.atStart().map(AtStart::versions).orElse(List.of());
  }

  /** What is in the files of this rank's own state before it is decided which job this is. */
  public List<VersionInfo> ownAtStart() {
    return course.atStart().map(found -> found.versionsOf(rank(), store())).orElse(List.of());
  }

  /**
   * Decides which job this is, if nothing has: a program that never restarts and finds nothing
   * begins one; collective.
   *
   * @throws IllegalStateException on all ranks, if there are checkpoints that it could go on with
   */
  public void ensureDecided() throws IOException {
    course.ensureDecided();
  }

  // ---------------------------------------------------------------- restart

  /**
   * Restores what is asked for from any tier, and begins a run that goes on from there; collective.
   * Where there is nothing to restore a job begins. If it throws, everything is as it was.
   *
   * @param target what is filled on this rank
   * @throws CheckpointUnavailableException on all ranks, if something was saved but cannot be
   *     restored, or it is not clear what to restore
   */
  public RestartReport restart(RestartRequest request, RestartTarget target) throws IOException {
    return course.restart(request, target);
  }

  /**
   * Fills some datasets with what a restart would give them, and begins nothing; collective.
   *
   * @return what they were given, and what the version has; nothing restored if there was nothing
   */
  public RestartReport peek(RestartRequest request, RestartTarget target) throws IOException {
    return course.peek(request, target);
  }

  /**
   * The version that was restored, to be read, as long as the run goes on from it.
   *
   * @throws IOException if it does not any more
   */
  public VersionSource restored(VersionId version) throws IOException {
    return decided().base(version);
  }

  // ---------------------------------------------------------------- checkpoints

  /** Whether a checkpoint is due; collective, but rarely with a message. */
  public boolean isDue(Duration computing, Duration cost, UnaryOperator<Duration> interval) {
    return tiers.areNoneForOne()
        ? computing.compareTo(interval.apply(cost)) >= 0
        : ranks.together(() -> trigger.isDue(computing, cost, interval));
  }

  /** The time between checkpoints begins here; called on all ranks at the same point. */
  public void resetTrigger() {
    trigger.reset();
  }

  /**
   * Agrees on the next checkpoint; collective.
   *
   * @param failure why this rank cannot begin; null if it can
   * @param untold whether its program was not told yet that the checkpoint before failed
   * @param label what this rank says of it; only what the first rank says counts
   * @param description what this rank says of datasets that it has together with others
   * @return empty if there is such a rank, and its program has to be told first
   * @throws AgreedFailureException if any rank cannot begin
   */
  public Optional<Ticket> next(
      @Nullable Throwable failure, boolean untold, Label label, Description description)
      throws AgreedFailureException {
    return ranks.together(
        () -> {
          trigger.reset();
          return tickets.agree(course.nextVersion(), failure, untold, label, description);
        });
  }

  /** Before ranks agree on the next checkpoint; fails where memory has run out. */
  public void prepare() {
    agreements.prepare();
  }

  /** This rank cannot go on with what all ranks do; those that wait for it are told. */
  public void leave(Throwable failure) {
    ranks.leave(failure);
  }

  /**
   * Makes the outcome of a checkpoint on this rank an agreed one, and then brings it to its tiers.
   *
   * @param mine how it ends on this rank
   * @param gate where it waits before it becomes durable
   * @return how it ended on all; and for each tier when it got there
   */
  public <T> Outcome<T> agree(Ticket ticket, CompletableFuture<T> mine, Gate gate) {
    return agreements.agree(ticket, mine, gate);
  }

  /**
   * Called when this rank has done its part in the checkpoints that were agreed on so far. Over a
   * transport that serves one thread the ranks agree on the outcome here, and the program waits.
   */
  public void conclude() {
    agreements.conclude();
  }

  /** A checkpoint is durable in the container of this rank: what is on disk may be looked at. */
  public void scrubSome() {
    local().ifPresent(mine -> scrubber.checkpointTaken(mine.get()));
  }

  /**
   * Says how many bytes files of other lives take, if it is a full disk that something failed of.
   */
  public void nameOthersIfFull(Throwable failure) {
    OtherLives.nameIfFull(me.home(), failure);
  }

  /**
   * Brings the newest version that all ranks have to a tier now; collective.
   *
   * @throws IllegalArgumentException if the job has no such tier
   */
  public void flush(TierKind kind) throws IOException {
    TierWorker worker = tiers.worker(kind);
    conclude();
    ranks.together(
        () -> {
          tiers.flush(worker);
          return worker;
        });
  }

  // ---------------------------------------------------------------- closing

  /**
   * Brings the newest version to all tiers before the job ends, if all ranks are closing; a rank
   * whose fellows do not come closes without.
   */
  public void flushAll(Duration limit) {
    if (lineage().isEmpty() || tiers.isEmpty() || limit.isZero()) {
      return;
    }
    if (activity().isEnded()) {
      abandon();
      return;
    }
    Departure departure = new Departure(me, tiers, channels.farewell(), this::abandon, limit);
    conclude();
    ranks.together(
        () -> {
          departure.flushAll();
          return departure;
        });
  }

  /** This rank leaves in the middle of something: closing must not wait for the other ranks. */
  public void abandon() {
    ranks.abandon();
    agreements.abandon();
    tiers.abandon();
  }

  /** Finishes what the tiers have been given, and leaves. */
  @Override
  public void close() throws IOException {
    Closing closing = new Closing().then(scrubber::close);
    if (!ranks.areAbandoned()) {
      closing.then(this::conclude);
    }
    closing.then(agreements::end);
    tiers.close(closing);
    closing.then(own::close);
    me.place().locks().forEach(lock -> closing.then(lock::close));
    channels.close(closing, ranks.areAbandoned());
    closing.end();
  }
}
