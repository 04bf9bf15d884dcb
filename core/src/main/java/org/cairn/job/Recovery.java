// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.CorruptContainerException;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.Tiers;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;
import org.cairn.container.Retention;
import org.cairn.restart.RestartTarget;
import org.cairn.store.Directories;
import org.cairn.tier.Home;
import org.cairn.tier.Roles;
import org.cairn.tier.Source;
import org.cairn.version.Life;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * Brings a job back: restores the version that the rules choose, and rebuilds what is missing. If
 * anything turns out to be damaged on the way, the ranks agree to do without it and choose again,
 * but never another life: memory may hold a part of the first.
 *
 * <p>What is rebuilt goes to a container of its own, and takes its place only when all ranks have
 * restored: a failure during recovery, however late, finds all sources as they were.
 *
 * <p>An attempt goes in phases, each taking what the one before gave: a plan and a table of {@link
 * Roles}, {@link BroughtStates}, the {@link OwnState} of this rank, what is {@linkplain Restoring
 * restored} to memory, a container that is {@linkplain Installing in place}.
 */
final class Recovery {
  private final Site site;
  private final FragmentTable table;
  private final Clock clock;
  private final Successor successor;
  private final boolean onlyReads;

  private final Traces traces = new Traces();

  /** The lineage that the run will have if it goes on with a version. */
  interface Successor {
    Lineage of(Choice.Restore choice);
  }

  /**
   * What was brought back.
   *
   * @param local the container to go on with; empty if it was only read
   * @param lineage what its run is
   * @param stable the versions that all ranks have, oldest first
   * @param ofOtherRanks whether another number of ranks saved it: there is no container to go on
   *     with
   * @param makesRoom whether files of that number had to go, and those that are left may
   */
  record Restored(
      Optional<LocalContainer> local,
      Lineage lineage,
      RestartReport report,
      List<VersionId> stable,
      boolean ofOtherRanks,
      boolean makesRoom) {}

  /**
   * A recovery.
   *
   * @param current the container that the job has been running with
   * @param onlyReads whether the run that is under way stays what it is: some datasets are read,
   *     and no container takes the place of another
   */
  Recovery(
      Communicator comm,
      Directories directories,
      Home home,
      FragmentTable table,
      Retention retention,
      Tiers tiers,
      Clock clock,
      Successor successor,
      Optional<LocalContainer> current,
      boolean onlyReads) {
    this.table = table;
    this.clock = clock;
    this.successor = successor;
    this.onlyReads = onlyReads;
    this.site =
        new Site(
            comm,
            directories,
            home,
            table,
            retention,
            tiers,
            current,
            new ArrayList<>(table.contradictions()));
  }

  /**
   * Restores; collective.
   *
   * @return what was restored, or why nothing can be
   */
  Outcome restart(RestartRequest request, RestartTarget target) throws IOException {
    long start = clock.nanos();
    Life first = null;
    Room room = new Room(site, request);
    while (true) {
      Choice choice = Choice.of(table, request, site.directories().location());
      if (!(choice instanceof Choice.Restore restore)) {
        return new Outcome(choice, null);
      }
      if (first != null && !first.id().equals(restore.life().id())) {
        return new Outcome(
            new Choice.Refuse(
                "the state of job %s turned out to be damaged; %s could be restored instead"
                    .formatted(first.id(), restore.life().id()),
                site.problems(),
                true),
            null);
      }
      first = restore.life();
      Optional<Restored> done = attempt(restore, request, target, room, start);
      if (done.isPresent()) {
        return new Outcome(choice, done.get());
      }
    }
  }

  /** What came of it: a state, or a choice that is none. */
  record Outcome(Choice choice, @Nullable Restored restored) {}

  private Optional<Restored> attempt(
      Choice.Restore choice, RestartRequest request, RestartTarget target, Room room, long start)
      throws IOException {
    FragmentTable.Plan plan = room.plan(choice.version());
    Lineage lineage = successor.of(choice);
    boolean asMany = plan.version().ranks() == site.comm().size();
    Roles roles = asMany ? roles(plan, lineage) : readers(plan);
    Optional<BroughtStates> brought = BroughtStates.bring(site, roles, lineage);
    if (brought.isEmpty()) {
      return Optional.empty();
    }
    try (BroughtStates states = brought.get()) {
      Optional<Went> went =
          asMany
              ? goOn(plan, lineage, states, request, target)
              : new OtherRanks(site, roles, request, target, traces)
                  .restore(states, new OtherRanks.Space(room, plan, lineage))
                  .map(report -> new Went(Optional.empty(), report));
      Duration time = Duration.ofNanos(clock.nanos() - start);
      return went.map(
          on ->
              new Restored(
                  on.local,
                  lineage,
                  on.report.of(site.problems(), origins(plan), time),
                  asMany ? stable(plan, choice.life(), lineage) : List.of(),
                  !asMany,
                  room.makesRoom()));
    }
  }

  /** What is in memory now, and the container that goes with it, unless it was only read. */
  private record Went(Optional<LocalContainer> local, RestartReport report) {}

  private Optional<Went> goOn(
      FragmentTable.Plan plan,
      Lineage lineage,
      BroughtStates states,
      RestartRequest request,
      RestartTarget target)
      throws IOException {
    Source source = plan.sources().get(site.rank());
    RecoveryStep opening = new RecoveryStep(site, plan.version());
    OwnState own = open(states, source, opening);
    boolean kept = false;
    try {
      Optional<RestartReport> report =
          new Restoring(site, plan.version(), source, lineage, request, target, traces)
              .restore(own, opening);
      if (report.isEmpty()) {
        return Optional.empty();
      }
      if (onlyReads) {
        return Optional.of(new Went(Optional.empty(), report.get()));
      }
      kept = true;
      LocalContainer local = new Installing(site, lineage).install(own, states, plan.version());
      return Optional.of(new Went(Optional.of(local), report.get()));
    } finally {
      if (!kept) {
        own.leave();
      }
    }
  }

  private OwnState open(BroughtStates states, Source source, RecoveryStep opening) {
    try {
      return OwnState.open(site, states, source);
    } catch (CorruptContainerException e) {
      opening.bad(source, e);
    } catch (IOException | RuntimeException | Error e) {
      opening.fail(e);
    }
    return new OwnState.Unusable();
  }

  // ---------------------------------------------------------------- who does what

  /** Every rank goes on with its own state: from a file of its own as it is, or from a new one. */
  private Roles roles(FragmentTable.Plan plan, Lineage lineage) {
    return Roles.of(
        table,
        plan.version(),
        plan.sources(),
        (member, source) ->
            new Roles.Want(
                member,
                isUsable(member, source, lineage) ? Roles.Form.IN_PLACE : Roles.Form.CONTAINER));
  }

  /** Another number of ranks saved it: all of it is only read. */
  private Roles readers(FragmentTable.Plan plan) {
    return Roles.of(
        table,
        plan.version(),
        plan.sources(),
        OtherRanks.readers(plan.sources().size(), site.comm().size()));
  }

  /** Whether a rank can go on with a file of its own directory as it is; the same on all ranks. */
  private boolean isUsable(int owner, Source source, Lineage lineage) {
    return source.isOwn(owner)
        && table.foundBy(owner).stream()
            .anyMatch(
                one ->
                    one.fragment().directory().equals(source.directory())
                        && one.fragment().file().equals(source.file())
                        && Installing.mayWrite(one.fragment(), lineage));
  }

  // ---------------------------------------------------------------- what is told of it

  private static List<String> origins(FragmentTable.Plan plan) {
    List<String> origins = new ArrayList<>();
    for (int rank = 0; rank < plan.sources().size(); rank++) {
      Source source = plan.sources().get(rank);
      boolean elsewhere = source.isContainer() && !source.isOwn(rank);
      origins.add(source.kind().label() + (elsewhere ? " of rank " + source.holder() : ""));
    }
    return origins;
  }

  /** A rank whose container was rebuilt has nothing older. */
  private List<VersionId> stable(FragmentTable.Plan plan, Life life, Lineage lineage) {
    List<VersionId> stable = new ArrayList<>();
    boolean all = true;
    for (int rank = 0; rank < plan.sources().size(); rank++) {
      all &= plan.sources().get(rank).isOwn(rank);
    }
    if (all) {
      stable.addAll(table.commonLocal(life, lineage));
      stable.removeIf(other -> other.compareTo(plan.version()) >= 0);
    }
    stable.add(plan.version());
    return stable;
  }
}
