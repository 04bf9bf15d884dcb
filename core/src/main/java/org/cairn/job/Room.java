// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.cairn.RestartRequest;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Reduction;
import org.cairn.tier.AgreedFailureException;
import org.cairn.tier.Agreement;
import org.cairn.tier.Found;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Room for the first version of a new number of ranks beside what was saved. Where there is none,
 * and the program says so, files of the old number go first: but only if the version that is
 * restored is complete where no such file is needed, and only after all of it was verified there,
 * what nobody wants now included.
 */
final class Room {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private final Site site;
  private final RestartRequest request;

  /** Whether files have to go; then the version is read from where it stays. */
  private boolean tight;

  Room(Site site, RestartRequest request) {
    this.site = site;
    this.request = request;
  }

  /** Whether files go; the same on all ranks. */
  boolean makesRoom() {
    return tight;
  }

  /**
   * Where the states of a version are read.
   *
   * @throws AgreedFailureException if files have to go and it is not complete without them; the
   *     same on all ranks
   */
  FragmentTable.Plan plan(VersionId version) throws AgreedFailureException {
    if (!tight) {
      return site.table().plan(version).orElseThrow();
    }
    return withoutFiles(site.table(), version)
        .orElseThrow(
            () ->
                new AgreedFailureException(
                    "there is no room for a version of %d ranks, and none can be made: version %s is not complete at the shared tier; make room, or give the job another directory"
                        .formatted(site.comm().size(), version)));
  }

  /** Where the states of a version can be read without any file of a rank. */
  private static Optional<FragmentTable.Plan> withoutFiles(FragmentTable table, VersionId version) {
    return table.plan(version, source -> source.directory().isEmpty() && source.group() == null);
  }

  /**
   * Looks whether there is room, before anything is filled; collective.
   *
   * @param state how many bytes this rank gets
   * @return false if files have to go, and the version was not read from where it stays: it has to
   *     be tried again
   * @throws IOException on all ranks, if there is no room and none can be made
   */
  boolean isFound(FragmentTable.Plan plan, Lineage lineage, long state) throws IOException {
    if (!request.only().isEmpty()) {
      return true; // nothing is written
    }
    long needed = onThisHost(withCopies(state));
    long missing = needed - free();
    if (site.comm().allReduce(missing, Reduction.MAX) > 0) {
      clear(lineage);
      missing = needed - free();
    }
    if (site.comm().allReduce(missing, Reduction.MAX) <= 0) {
      return true;
    }
    boolean canBeMade =
        request.makesRoom() && withoutFiles(site.table(), plan.version()).isPresent();
    long mine = 0;
    Throwable failure = null;
    try {
      mine = canBeMade ? bytes(files(lineage)) : 0;
    } catch (RuntimeException | Error e) {
      failure = e; // told when all have come so far
    }
    long old = onThisHost(mine);
    if (failure == null && missing > old) {
      failure = refusal(plan.version(), needed, missing, old);
    }
    Agreement.reach(site.comm(), failure);
    boolean again = !tight;
    tight = true;
    return !again;
  }

  private IOException refusal(VersionId version, long needed, long missing, long old) {
    String gone = request.makesRoom() ? whyNotMade(version, old) : "";
    return new IOException(
        "%s has %,d bytes left, and %,d are needed for a version of %d ranks beside what %d saved: %,d are missing%s; make room, %sor give the job another directory and a tier to restore from"
            .formatted(
                site.directories().location(),
                needed - missing,
                needed,
                site.comm().size(),
                version.ranks(),
                missing - old,
                gone,
                request.makesRoom()
                    ? ""
                    : "let old files go first with RestartRequest.makeRoom() where the shared tier has the version, "));
  }

  private String whyNotMade(VersionId version, long old) {
    return withoutFiles(site.table(), version).isEmpty()
        ? " (none can be made: version %s is not complete at the shared tier)".formatted(version)
        : " even without the %,d bytes of old files that can go; those with newer or kept versions stay"
            .formatted(old);
  }

  /** What the state takes with what this rank keeps for others. */
  private long withCopies(long state) {
    Tiers tiers = site.tiers();
    int ranks = site.comm().size();
    long copies = ranks > 1 && tiers.every(TierKind.PARTNER) > 0 ? state : 0;
    return state + copies + (ranks > 1 && tiers.every(TierKind.ERASURE) > 0 ? parity(state) : 0);
  }

  /** At least: ranks of a group may have more than this one. */
  private long parity(long state) {
    int group = Math.min(site.comm().size(), Math.max(2, site.tiers().groupSize()));
    int lost = Math.clamp(site.tiers().parity(), 1, group - 1);
    return state * lost / (group - lost);
  }

  /** What the disk has left; much, if that cannot be known: who writes will find out. */
  private long free() {
    try {
      return site.home().store().freeSpace();
    } catch (IOException e) {
      LOG.debug("how much room there is cannot be known", e);
      return Long.MAX_VALUE;
    }
  }

  /** What all ranks of this host have of something, which share its disks; collective. */
  private long onThisHost(long mine) {
    long[] all = new long[site.comm().size()];
    site.comm().allGather(new long[] {mine}, all);
    String host = site.comm().domain(site.rank());
    long sum = 0;
    for (int rank = 0; rank < all.length; rank++) {
      sum += site.comm().domain(rank).equals(host) ? all[rank] : 0;
    }
    return sum;
  }

  // ---------------------------------------------------------------- making it

  /** What starts left that came to nothing goes without being asked for; collective. */
  private void clear(Lineage lineage) {
    OldFiles unused = OldFiles.unusedFoundBy(site.rank(), site.table(), lineage, site::store);
    for (Found one : unused.all()) {
      delete(unused, one, "there was no room, and the start that made it came to nothing");
    }
    site.comm().barrier(); // ranks of a host look at the same disk
  }

  private OldFiles files(Lineage lineage) {
    return OldFiles.foundBy(site.rank(), site.table(), lineage, site::store);
  }

  private static long bytes(OldFiles files) {
    return files.all().stream().mapToLong(files::bytes).sum();
  }

  /**
   * All of the version is in memory, and what it was read from stays: lets old files go until there
   * is room, one of each rank at a time; collective.
   *
   * @param state how many bytes this rank has
   */
  void make(Lineage lineage, long state) {
    if (!tight) {
      return;
    }
    long needed = onThisHost(withCopies(state));
    OldFiles files = files(lineage);
    Deque<Found> left = new ArrayDeque<>(files.all());
    boolean go;
    do {
      go = free() < needed && !left.isEmpty();
      if (go) {
        delete(files, left.remove(), "room was to be made, and the shared tier has the version");
      }
    } while (site.comm().allReduce(go ? 1L : 0L, Reduction.MAX) != 0);
  }

  /** Others wait for this rank: whatever happens, it goes on, and who writes will find out. */
  private static void delete(OldFiles files, Found one, String why) {
    try {
      files.delete(one, why);
    } catch (RuntimeException | OutOfMemoryError e) {
      LOG.warn("{} stays", OldFiles.name(one.fragment()), e);
    }
  }
}
