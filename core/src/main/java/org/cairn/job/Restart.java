// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.cairn.CheckpointUnavailableException;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.restart.RestartTarget;
import org.cairn.version.Lineage;

/**
 * One restart: restores what is asked for from any tier, or begins a job where there is nothing to
 * restore. What comes of it is something for a run to begin with; if it throws, everything is as it
 * was.
 */
final class Restart {
  private final ThisRank me;
  private final OwnContainer own;
  private final JobTiers tiers;
  private final Look look;
  private final Lease lease;
  private final Beginning beginning;
  private final RestartRequest request;

  Restart(
      ThisRank me,
      OwnContainer own,
      JobTiers tiers,
      Look look,
      Lease lease,
      Beginning beginning,
      RestartRequest request) {
    this.me = me;
    this.own = own;
    this.tiers = tiers;
    this.look = look;
    this.lease = lease;
    this.beginning = beginning;
    this.request = request;
  }

  /**
   * What came of it.
   *
   * @param start what a run is to begin with; empty if the one that is there goes on
   * @param report told when that is done
   */
  record Result(Optional<Start> start, Supplier<RestartReport> report) {
    private static Result nothingSaved(Start start, Supplier<List<String>> answers) {
      return new Result(Optional.of(start), () -> RestartReport.nothingSaved(answers.get()));
    }
  }

  /**
   * Restarts; collective.
   *
   * @param standing how far the job has come
   */
  Result run(Standing standing, RestartTarget target) throws IOException {
    tiers.awaitIdle();
    FragmentTable table = look.again(standing);
    Choice choice = Choice.of(table, request, me.everywhere());
    refuseDifferentPlans(table, choice);
    if (request.otherwise() == RestartRequest.Otherwise.BEGIN_ANEW_ANYWAY) {
      return beginAnew(table, "as asked for");
    }
    if (choice instanceof Choice.Restore restore && lease.take(restore.life().lineage().job())) {
      // Whoever had it may have gone on meanwhile.
      return restore(look.again(standing), standing, target);
    }
    return restore(table, standing, target);
  }

  /** Reads what is asked for, if there is anything to restore; collective. */
  RestartReport peek(Standing standing, RestartTarget target) throws IOException {
    tiers.awaitIdle();
    FragmentTable table = look.again(standing);
    Choice choice = Choice.of(table, request, me.everywhere());
    refuseDifferentPlans(table, choice);
    if (request.otherwise() == RestartRequest.Otherwise.BEGIN_ANEW_ANYWAY) {
      return RestartReport.nothingSaved(List.of());
    }
    Recovery.Outcome outcome = recover(table, target, true);
    Recovery.Restored restored = outcome.restored();
    return restored != null
        ? restored.report()
        : RestartReport.nothingSaved(
            outcome.choice() instanceof Choice.Refuse refusal ? refusal.all() : List.of());
  }

  /**
   * Every rank computes for itself what is restored, and from where. Ranks that were asked for
   * different things, or are of different releases, would wait for messages that nobody sends.
   */
  private void refuseDifferentPlans(FragmentTable table, Choice choice) throws IOException {
    Ranks.refuseDifferent(
        me.comm(),
        "plans for a restart",
        request + ", " + plan(table, choice),
        "give all ranks the same request, release and kinds of tiers");
  }

  private static String plan(FragmentTable table, Choice choice) {
    return choice instanceof Choice.Restore restore
        ? "version %s by table %s"
            .formatted(restore.version().exact(), table.roles(restore.version()).digest())
        : choice.getClass().getSimpleName();
  }

  private Result restore(FragmentTable table, Standing standing, RestartTarget target)
      throws IOException {
    Recovery.Outcome outcome = recover(table, target, onlyReads(standing));
    Recovery.Restored restored = outcome.restored();
    if (restored != null) {
      return goOn(restored, table, onlyReads(standing));
    }
    return switch (outcome.choice()) {
      case Choice.FirstRun() ->
          Result.nothingSaved(beginning.first(table), () -> table.answers(List.of()));
      case Choice.Again(Lineage lineage) ->
          Result.nothingSaved(beginning.again(table, lineage), () -> table.answers(List.of()));
      case Choice.Refuse(String why, List<String> answers, boolean restorable) -> {
        if (request.otherwise() == RestartRequest.Otherwise.BEGIN_ANEW && !restorable) {
          yield beginAnew(table, why);
        }
        throw new CheckpointUnavailableException(why, answers);
      }
      case Choice.Restore _ -> throw new AssertionError("chosen, but not restored");
    };
  }

  private Recovery.Outcome recover(FragmentTable table, RestartTarget target, boolean onlyReads)
      throws IOException {
    Draw drawn = Draw.byFirst(me);
    return new Recovery(
            me.comm(),
            me.place().directories(),
            me.home(),
            table,
            tiers.retention(),
            me.setup().tiers(),
            me.clock(),
            choice -> drawn.successor(table.lives(), choice, request.isChoice()),
            own.get(),
            onlyReads)
        .restart(request, target);
  }

  /** If only some datasets are read, a run that is under way stays what it is. */
  private boolean onlyReads(Standing standing) {
    return standing instanceof Run && !request.only().isEmpty();
  }

  private Result beginAnew(FragmentTable table, String why) throws IOException {
    List<String> lost = beginning.warn(table, why);
    return Result.nothingSaved(beginning.anew(table), () -> lost);
  }

  private Result goOn(Recovery.Restored restored, FragmentTable table, boolean onlyReads)
      throws IOException {
    boolean all = request.only().isEmpty();
    Optional<Start> start =
        restored.ofOtherRanks() && !onlyReads
            ? Optional.of(world(table, restored))
            : restored.local().map(container -> Start.from(restored, container, table, all));
    return new Result(start, () -> restored.report().beside(others(table, restored.lineage())));
  }

  private Start world(FragmentTable table, Recovery.Restored restored) throws IOException {
    Start start = beginning.world(table, restored.lineage());
    if (!request.only().isEmpty()) {
      return start.ofSome();
    }
    return restored.makesRoom() ? start.makingRoom() : start;
  }

  /** Other lives that were seen and are left alone, for people. */
  private static List<String> others(FragmentTable table, Lineage mine) {
    return table.lives().current().stream()
        .filter(life -> !life.versions().stream().allMatch(mine::owns))
        .map(
            life ->
                "job %s is left alone: its newest version is %s, taken %s"
                    .formatted(
                        life.id(),
                        life.versions().getFirst().exact(),
                        table.lives().takenAt(life.versions().getFirst())))
        .toList();
  }
}
