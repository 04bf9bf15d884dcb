// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.version.VersionId;
import org.cairn.version.VersionName;

/**
 * Which version, and which of its datasets, to bring back.
 *
 * @param version a version; the newest good one if empty
 * @param only the names of the datasets wanted; all if empty
 * @param job the first digits of a job, a run, or both as {@code 91c3aa02-5f0c91aa}; empty to
 *     restore only where there is no doubt
 * @param otherwise what to do if nothing can be restored, or anyway
 */
public record RestartRequest(
    Optional<VersionName> version, Set<String> only, Optional<String> job, Otherwise otherwise) {

  /** What to do if nothing can be restored. */
  public enum Otherwise {
    /** Refuse: what was saved must not be given up in silence. */
    REFUSE,
    /** Begin anew. */
    BEGIN_ANEW,
    /** Begin anew, whatever could be restored. */
    BEGIN_ANEW_ANYWAY
  }

  /** Copies the names. */
  public RestartRequest {
    only = Set.copyOf(only);
  }

  /** All datasets of the newest version that is whole. */
  public static RestartRequest newest() {
    return new RestartRequest(Optional.empty(), Set.of(), Optional.empty(), Otherwise.REFUSE);
  }

  /**
   * Nothing: begins anew and leaves behind what was saved. The files of older jobs stay, and {@link
   * #job} finds them again.
   */
  public static RestartRequest beginAnew() {
    return new RestartRequest(
        Optional.empty(), Set.of(), Optional.empty(), Otherwise.BEGIN_ANEW_ANYWAY);
  }

  /** This version and no other. */
  public RestartRequest version(VersionName wanted) {
    return new RestartRequest(Optional.of(wanted), only, job, otherwise);
  }

  /** This version and no other. */
  public RestartRequest version(VersionId wanted) {
    return version(VersionName.of(wanted));
  }

  /** This version and no other, as a person writes it: {@code 1.3} or {@code 1.3@5f0c91aa}. */
  public RestartRequest version(String wanted) {
    return version(VersionName.parse(wanted));
  }

  /** These datasets and no others. */
  public RestartRequest only(String... names) {
    return new RestartRequest(version, Set.of(names), job, otherwise);
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
    return new RestartRequest(version, only, Optional.of(id.toLowerCase(Locale.ROOT)), otherwise);
  }

  /**
   * Begins anew where {@code restart} would refuse because something was saved and nothing of it
   * can be restored. What there is stays on its disks and is left behind. Where a person only has
   * to choose, this refuses too: a program that is started again and again must not give up what
   * can be restored; {@link #beginAnew} does.
   */
  public RestartRequest orBeginAnew() {
    return new RestartRequest(version, only, job, Otherwise.BEGIN_ANEW);
  }

  /** Whether a person has chosen among what was saved. */
  public boolean isChoice() {
    return version.isPresent() || job.isPresent();
  }

  /** The same words on all ranks for the same request. */
  @Override
  public String toString() {
    return "version %s, only %s, job %s, otherwise %s"
        .formatted(
            version.map(Object::toString).orElse("newest"),
            new TreeSet<>(only),
            job.orElse("any"),
            otherwise);
  }
}
