// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.cairn.version.VersionId;

/**
 * Which version, and which of its datasets, to bring back.
 *
 * @param version a version that a person chose; the newest good one if empty
 * @param bound which versions come into question, where nobody has chosen; all if empty
 * @param only the names of the datasets wanted; all if empty
 * @param dropping the names of datasets that are given up
 * @param changes how the program differs from the one that took the checkpoint
 * @param job the first digits of a job, a run, or both as {@code 91c3aa02-5f0c91aa}; empty to
 *     restore only where there is no doubt
 * @param otherwise what to do if nothing can be restored, or anyway
 * @param regrouping what this rank wants of what another number of ranks saved
 * @param makesRoom whether old files may go first, where there is no room for another number of
 *     ranks
 */
public record RestartRequest(
    Optional<VersionName> version,
    Optional<Bound> bound,
    Optional<Set<String>> only,
    Set<String> dropping,
    Changes changes,
    Optional<String> job,
    Otherwise otherwise,
    Regrouping regrouping,
    boolean makesRoom) {

  /** What to do if nothing can be restored. */
  public enum Otherwise {
    /** Refuse: what was saved must not be given up in silence. */
    REFUSE,
    /** Begin anew. */
    BEGIN_ANEW,
    /** Begin anew, whatever could be restored. */
    BEGIN_ANEW_ANYWAY
  }

  /** Which versions come into question, where nobody has chosen one. */
  public sealed interface Bound {
    /** This one and no other. */
    record Exactly(VersionId version) implements Bound {
      @Override
      public boolean admits(VersionId other) {
        return version.equals(other);
      }

      @Override
      public String toString() {
        return "version " + version.exact() + " as peeked at";
      }
    }

    /** Those that are older. */
    record Before(VersionId version) implements Bound {
      @Override
      public boolean admits(VersionId other) {
        return other.compareTo(version) < 0;
      }

      @Override
      public String toString() {
        return "version before " + version.exact();
      }
    }

    /** Whether a version comes into question. */
    boolean admits(VersionId other);
  }

  /** Copies the names. */
  public RestartRequest {
    only = only.map(Set::copyOf);
    dropping = Set.copyOf(dropping);
  }

  /** All datasets of the newest version that is whole. */
  public static RestartRequest newest() {
    return nothing(Otherwise.REFUSE);
  }

  private static RestartRequest nothing(Otherwise otherwise) {
    return new RestartRequest(
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Set.of(),
        Changes.none(),
        Optional.empty(),
        otherwise,
        Regrouping.NONE,
        false);
  }

  /**
   * Nothing: begins anew and leaves behind what was saved. The files of older jobs stay, and {@link
   * #job} finds them again.
   */
  public static RestartRequest beginAnew() {
    return nothing(Otherwise.BEGIN_ANEW_ANYWAY);
  }

  /** This version and no other. */
  public RestartRequest version(VersionName wanted) {
    return of(Optional.of(wanted), Optional.empty());
  }

  private RestartRequest of(Optional<VersionName> chosen, Optional<Bound> admitted) {
    return new RestartRequest(
        chosen, admitted, only, dropping, changes, job, otherwise, regrouping, makesRoom);
  }

  /** This version and no other. */
  public RestartRequest version(VersionId wanted) {
    return version(VersionName.of(wanted));
  }

  /** This version and no other, as a person writes it: {@code 1.3} or {@code 1.3@5f0c91aa}. */
  public RestartRequest version(String wanted) {
    return version(VersionName.parse(wanted));
  }

  /**
   * The version that {@link Checkpointer#peek} found, and no other: what it gave and the rest are
   * of one version. Unlike {@link #version(VersionId)} this is no choice that a person made: should
   * the program end before its next checkpoint, newer versions are not left behind. If it cannot be
   * restored as a whole, {@link CheckpointUnavailableException}; then ask for one {@link #before}.
   */
  public RestartRequest asPeeked(VersionId found) {
    return of(Optional.empty(), Optional.of(new Bound.Exactly(found)));
  }

  /**
   * The newest good version that is older than this one, for a program that finds that it cannot go
   * on with this one: as if this one and all newer ones were damaged. They are left behind when the
   * run has taken a version of its own. With {@link #orBeginAnew} it begins anew if there is none.
   */
  public RestartRequest before(VersionId unusable) {
    return of(Optional.empty(), Optional.of(new Bound.Before(unusable)));
  }

  /** These datasets and no others, whether those are protected before or after the restart. */
  public RestartRequest only(String... names) {
    return new RestartRequest(
        version,
        bound,
        Optional.of(Set.of(names)),
        dropping,
        changes,
        job,
        otherwise,
        regrouping,
        makesRoom);
  }

  /**
   * Goes on without these datasets too, if the version has them: the next checkpoint is without
   * them, and a {@code protect} of such a name after the restart begins a new dataset. Otherwise a
   * checkpoint refuses to drop what nothing protects. A name that the version does not have is
   * passed over: so a program may say this at each of its starts, and ranks of different content
   * say the same. A name that is protected cannot be dropped.
   */
  public RestartRequest dropping(String... names) {
    return dropping(List.of(names));
  }

  /** Goes on without these datasets too, see {@link #dropping(String...)}. */
  public RestartRequest dropping(Collection<String> names) {
    Set<String> all = new TreeSet<>(dropping);
    all.addAll(names);
    return new RestartRequest(
        version, bound, only, all, changes, job, otherwise, regrouping, makesRoom);
  }

  /**
   * The program calls a dataset otherwise than the one that took the checkpoint did. Everything
   * else in this request, and the report, speak of the new name; several renamings happen at once,
   * so that two datasets can change their names. A name that the version does not have is passed
   * over: so a program may say this at each of its starts. A version that has a dataset of the new
   * name, too, is refused, unless that one is renamed as well.
   *
   * @param saved the name in the checkpoint
   * @param now the name that is protected
   */
  public RestartRequest rename(String saved, String now) {
    return with(changes.rename(saved, now));
  }

  /**
   * These datasets may have been saved as {@code float} and be {@code double} now, or the other way
   * round: a restart converts them, which takes memory for the saved form while it lasts. Numbers
   * that become {@code float} are rounded; one that is too large for that is refused, and so is the
   * restart. What has the same type, or is not there, is passed over. The next checkpoint saves
   * them as they are now.
   */
  public RestartRequest converting(String... names) {
    return with(changes.convert(Set.of(names)));
  }

  /**
   * A dataset that the version lacks has this number in all its elements; without this it keeps
   * what it holds. Where nothing is restored, on a first run, it keeps that in any case.
   */
  public RestartRequest orElse(String name, double value) {
    return with(changes.orElse(name, new Default.Value(value)));
  }

  /**
   * A dataset that the version lacks is filled by a function, which finds all others restored; if
   * it is protected after the restart, when that is done. See {@link #orElse(String, double)}.
   */
  public RestartRequest orElse(String name, Runnable function) {
    return with(changes.orElse(name, new Default.Made(function)));
  }

  private RestartRequest with(Changes other) {
    return new RestartRequest(
        version, bound, only, dropping, other, job, otherwise, regrouping, makesRoom);
  }

  /**
   * Chooses where there are several jobs, or several lives of one: by the first digits of the job,
   * of the run, or as the refusal lists them. The others are left behind.
   */
  public RestartRequest job(String id) {
    if (!id.matches("[0-9a-fA-F]{1,32}(-[0-9a-fA-F]{1,16})?")) {
      throw new IllegalArgumentException(
          "\"" + id + "\" is not a job; write digits of it as cairn ls shows them, 91c3aa02");
    }
    return new RestartRequest(
        version,
        bound,
        only,
        dropping,
        changes,
        Optional.of(id.toLowerCase(Locale.ROOT)),
        otherwise,
        regrouping,
        makesRoom);
  }

  /**
   * Begins anew where {@code restart} would refuse because something was saved and nothing of it
   * can be restored. What there is stays on its disks and is left behind. Where a person only has
   * to choose, this refuses too: a program that is started again and again must not give up what
   * can be restored; {@link #beginAnew} does.
   */
  public RestartRequest orBeginAnew() {
    return new RestartRequest(
        version, bound, only, dropping, changes, job, Otherwise.BEGIN_ANEW, regrouping, makesRoom);
  }

  /**
   * On another number of ranks this rank gets these items of a bag, in place of an equal share.
   * Ranks say different things; together they must get every item once, which is checked by count.
   *
   * @param from the first, of the sequence that the items of all ranks make
   * @param to behind the last
   */
  public RestartRequest items(String bag, long from, long to) {
    return with(regrouping.with(bag, new Regrouping.Items.Stretch(from, to)));
  }

  /** The same: this rank gets all items of these of the ranks that saved them. */
  public RestartRequest items(String bag, IntPredicate oldRanks) {
    return with(regrouping.with(bag, new Regrouping.Items.OfRanks(oldRanks)));
  }

  /**
   * On another number of ranks a dataset that was each rank's alone is read as it was saved, by
   * whoever wants it, and a function makes of it what the program wants: after everything else is
   * restored, before {@code restart()} returns. What is protected under that name is left to the
   * function, whatever it is now. All ranks name the same datasets; each gets those of the old
   * ranks that it wants, which may be none. One that was no rank's alone is refused. On as many
   * ranks as saved it, it means nothing; nor where {@link #only} or {@link Checkpointer#peek} does
   * not name it.
   *
   * @param dataset its name
   * @param oldRanks those whose dataset this rank wants
   * @param function is given them, in the order of old ranks
   */
  public RestartRequest otherwise(
      String dataset, IntPredicate oldRanks, Consumer<List<OldDataset>> function) {
    return with(regrouping.with(dataset, new Regrouping.Fetched(oldRanks, function)));
  }

  /**
   * On another number of ranks, where there is no room for a version of it beside what was saved,
   * files of the old number go first, one after the other, until there is: if the version that is
   * restored is complete at the shared tier, and after all of it was verified there and read from
   * there. What is left of them then goes as soon as the new number has a version at all its tiers,
   * and not when it has as many as are retained. Versions that are kept stay, and so do newer ones
   * than the one that is restored, and what the shared tier has. Where there is room it means
   * nothing.
   */
  public RestartRequest makeRoom() {
    return new RestartRequest(
        version, bound, only, dropping, changes, job, otherwise, regrouping, true);
  }

  private RestartRequest with(Regrouping other) {
    return new RestartRequest(
        version, bound, only, dropping, changes, job, otherwise, other, makesRoom);
  }

  /** Whether a dataset is wanted. */
  public boolean wants(String dataset) {
    return only.isEmpty() || only.get().contains(dataset);
  }

  /** Whether a version comes into question; a person may have chosen one nevertheless. */
  public boolean admits(VersionId candidate) {
    return bound.isEmpty() || bound.get().admits(candidate);
  }

  /** Whether the program does without a version, though it could perhaps be restored. */
  public boolean givesUp(VersionId candidate) {
    return bound.filter(Bound.Before.class::isInstance).isPresent() && !admits(candidate);
  }

  /** Whether a person has chosen among what was saved. */
  public boolean isChoice() {
    return version.isPresent() || job.isPresent();
  }

  /** The same words on all ranks for the same request. */
  @Override
  public String toString() {
    return "%s, %s, dropping %s, job %s, otherwise %s%s"
        .formatted(
            version
                .map(chosen -> "version " + chosen)
                .or(() -> bound.map(Object::toString))
                .orElse("version newest"),
            only.map(names -> "only " + new TreeSet<>(names)).orElse("all datasets"),
            new TreeSet<>(dropping),
            job.orElse("any"),
            otherwise,
            (changes.equals(Changes.none()) ? "" : ", " + changes)
                + (makesRoom ? ", making room" : "")
                + (regrouping.fetched().isEmpty()
                    ? ""
                    : ", reading " + new TreeSet<>(regrouping.fetched().keySet())));
  }
}
