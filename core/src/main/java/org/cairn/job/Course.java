// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.restart.RestartTarget;
import org.cairn.version.Life;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;

/**
 * How far a job has come: from what was found at the start to a run, and from run to run. It moves
 * on when all ranks have entered a run, and not before.
 */
final class Course {
  private final ThisRank me;
  private final OwnContainer own;
  private final JobTiers tiers;
  private final Look look;
  private final Lease lease;
  private final Beginning beginning;
  private final Entering entering;
  private volatile Standing standing;

  Course(ThisRank me, OwnContainer own, JobTiers tiers, Look look, AtStart found) {
    this.me = me;
    this.own = own;
    this.tiers = tiers;
    this.look = look;
    this.standing = found;
    this.lease = new Lease(me, tiers);
    this.beginning = new Beginning(me, own, tiers);
    this.entering = new Entering(me, own, tiers, lease);
  }

  /** What was found at the start; empty once it is decided which job this is. */
  Optional<AtStart> atStart() {
    return standing instanceof AtStart found ? Optional.of(found) : Optional.empty();
  }

  /** The run and what it comes from; empty until it is decided which job this is. */
  Optional<Lineage> lineage() {
    return standing instanceof Run run ? Optional.of(run.lineage()) : Optional.empty();
  }

  /** The name of the next version. */
  VersionId nextVersion() {
    return switch (standing) {
      case Run run -> run.nextVersion();
      case AtStart _ -> throw undecided();
    };
  }

  static IllegalStateException undecided() {
    return new IllegalStateException("it is not decided yet which job this is");
  }

  /** Decides which job this is, if nothing has; collective. */
  void ensureDecided() throws IOException {
    if (standing instanceof AtStart found) {
      me.ranks().together(() -> enter(decide(found.table())));
    }
  }

  private Start decide(FragmentTable table) throws IOException {
    return switch (Choice.of(table, RestartRequest.newest(), me.everywhere())) {
      case Choice.FirstRun() -> beginning.first(table);
      case Choice.Again(Lineage lineage) -> beginning.again(table, lineage);
      case Choice.Restore _, Choice.Refuse _ ->
          throw new IllegalStateException(
              ("there are checkpoints in %s (%s); call restart() before the first checkpoint,"
                      + " or restart(RestartRequest.beginAnew()) to leave them behind")
                  .formatted(
                      me.everywhere(), table.lives().current().stream().map(Life::id).toList()));
    };
  }

  /** Restores, and begins a run that goes on from there; collective. */
  RestartReport restart(RestartRequest request, RestartTarget target) throws IOException {
    Restart restart = new Restart(me, own, tiers, look, lease, beginning, request);
    return me.ranks().together(() -> goOn(restart.run(standing, target)));
  }

  /** Reads what a restart would restore, and stays where it is; collective. */
  RestartReport peek(RestartRequest request, RestartTarget target) throws IOException {
    Restart restart = new Restart(me, own, tiers, look, lease, beginning, request);
    return me.ranks().together(() -> restart.peek(standing, target));
  }

  private RestartReport goOn(Restart.Result result) throws IOException {
    if (result.start().isEmpty()) {
      return result.report().get();
    }
    List<String> problems = enter(result.start().get());
    return result.report().get().beside(problems);
  }

  /** Enters a run; what did not go well is told. */
  private List<String> enter(Start start) throws IOException {
    standing = entering.enter(start, standing);
    return entering.afterwards(start);
  }
}
