// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.cairn.TierKind;
import org.cairn.record.Digest;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * Something that a rank found and that helps to produce versions of a rank, or tells of a job.
 *
 * @param kind the tier it belongs to
 * @param owner the rank whose state it holds; for parity, the rank that kept it; {@link #NOBODY} if
 *     it says something of all ranks, or of none
 * @param directory the name of the directory it lies in
 * @param file its name there; empty if the tier has its own ways
 * @param versions what it holds, newest first
 * @param group for parity: whose
 * @param epoch the newest epoch it knows of
 * @param lineage of the run that wrote it last; null if it cannot be read
 * @param state what is to be said of the file as a whole
 * @param problem what is wrong with it; empty if nothing is
 * @param mark for a file of another release: tells it from all others, and from itself after
 *     whoever can read it has changed it
 */
public record Fragment(
    TierKind kind,
    int owner,
    String directory,
    String file,
    List<Held> versions,
    @Nullable Group group,
    long epoch,
    @Nullable Lineage lineage,
    State state,
    String problem,
    Digest mark) {

  /** Something that can be read, or is damaged: it needs no mark. */
  public Fragment(
      TierKind kind,
      int owner,
      String directory,
      String file,
      List<Held> versions,
      @Nullable Group group,
      long epoch,
      @Nullable Lineage lineage,
      State state,
      String problem) {
    this(
        kind, owner, directory, file, versions, group, epoch, lineage, state, problem, Digest.NONE);
  }

  /** The owner of what holds the state of no rank in particular. */
  public static final int NOBODY = -1;

  /** What is to be said of a file as a whole. */
  public enum State {
    /** It holds versions, or did. */
    USED(0),
    /** It never held a version. */
    NEVER_USED(1),
    /** It was being made when the job ended; it never held a version. */
    UNFINISHED(2),
    /** It cannot be read. */
    UNREADABLE(3),
    /** It is of another release or machine: it must be left to who can read it. */
    FOREIGN_RELEASE(4);

    private final int number;

    State(int number) {
      this.number = number;
    }

    /** The number in messages. */
    public int number() {
      return number;
    }

    /** The state of a number. */
    public static State of(int number) {
      for (State state : values()) {
        if (state.number == number) {
          return state;
        }
      }
      throw new IllegalArgumentException("a fragment in state " + number);
    }
  }

  /** A version as a fragment has it, with the root digest of the owner's state. */
  public record Held(VersionId id, Instant takenAt, long digestLow, long digestHigh) {}

  /**
   * A group of ranks with parity.
   *
   * @param members its ranks, in the order in which the code numbers them
   * @param lost how many of them it can lose
   * @param stamp tells parities apart that were not made together
   */
  public record Group(List<Integer> members, int lost, String stamp) {}

  /** Whether it holds a version. */
  public boolean holds(VersionId version) {
    return find(version).isPresent();
  }

  /** A version that it holds. */
  public Optional<Held> find(VersionId version) {
    return versions.stream().filter(held -> held.id().equals(version)).findFirst();
  }

  /** The identities of what it holds, newest first. */
  public List<VersionId> ids() {
    return versions.stream().map(Held::id).toList();
  }

  /** A place or file that could not be looked at. */
  public static Fragment unreadable(
      TierKind kind, int owner, String directory, String file, String problem) {
    return new Fragment(
        kind, owner, directory, file, List.of(), null, 0, null, State.UNREADABLE, problem);
  }

  /** A file of another release or machine. */
  public static Fragment foreign(
      TierKind kind, int owner, String directory, String file, String problem, Digest mark) {
    return new Fragment(
        kind,
        owner,
        directory,
        file,
        List.of(),
        null,
        0,
        null,
        State.FOREIGN_RELEASE,
        problem,
        mark);
  }
}
