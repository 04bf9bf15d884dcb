// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.cairn.CorruptContainerException;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.comm.Reduction;
import org.cairn.division.Description;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.redivision.Inventory;
import org.cairn.redivision.Redivision;
import org.cairn.restart.Redividing;
import org.cairn.restart.RestartTarget;
import org.cairn.tier.Agreement;
import org.cairn.tier.FileNames;
import org.cairn.tier.Roles;
import org.cairn.tier.Source;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;
import org.cairn.version.VersionSource;
import org.jspecify.annotations.Nullable;

/**
 * Brings the state of a version into memory that another number of ranks saved, on all ranks or on
 * none: first all look at what they have, then all fill.
 */
final class OtherRanks {
  private final Site site;
  private final Roles roles;
  private final RestartRequest request;
  private final RestartTarget target;

  private final Traces traces;

  /** Who reads each member; who has its file, until {@linkplain #share others take their share}. */
  private final int[] readers;

  /**
   * One rank's part.
   *
   * @param roles who reads what
   * @param traces what was filled in vain before
   */
  OtherRanks(Site site, Roles roles, RestartRequest request, RestartTarget target, Traces traces) {
    this.traces = traces;
    this.site = site;
    this.roles = roles;
    this.request = request;
    this.target = target;
    this.readers = roles.members().stream().mapToInt(member -> member.want().process()).toArray();
  }

  /**
   * Who reads a member: best who has it in a directory; what any process can have is dealt out
   * evenly, in order, since what lies side by side is wanted side by side.
   */
  static Roles.Wishes readers(int members, int processes) {
    return (member, source) ->
        new Roles.Want(
            source.isContainer() ? source.holder() : (int) ((long) member * processes / members),
            Roles.Form.READABLE);
  }

  private int readerOf(int member) {
    return readers[member];
  }

  private Source sourceOf(int member) {
    return roles.members().get(member).source();
  }

  /** What room there is for a version of the new number, and what can go for it. */
  record Space(Room room, FragmentTable.Plan plan, Lineage lineage) {
    boolean isFound(long bytes) throws IOException {
      return room.isFound(plan, lineage, bytes);
    }

    void make(long bytes) {
      room.make(lineage, bytes);
    }
  }

  /**
   * Restores; collective. Empty if something is damaged on a rank, or it has to be read from
   * elsewhere.
   */
  Optional<RestartReport> restore(BroughtStates states, Space space) throws IOException {
    Map<Integer, VersionSource> mine = new TreeMap<>();
    if (!open(states, mine)) {
      return Optional.empty();
    }
    try (NearStates near = new NearStates(site, roles)) {
      share(mine, near);
      return restore(
          mine, new Redivision(site.comm(), mine, this::readerOf, near, target.crew()), space);
    }
  }

  private Optional<RestartReport> restore(
      Map<Integer, VersionSource> mine, Redivision redivision, Space space) throws IOException {
    Redividing attempt = plan(redivision);
    if (!space.isFound(attempt.bytes())) {
      return Optional.empty();
    }
    // Who begins anew in the end must find its memory untouched; and what has been filled would
    // stay beside an older version that does not have it.
    boolean doubtful =
        request.otherwise() != RestartRequest.Otherwise.REFUSE
            || !new Elders(site, roles).haveAll();
    boolean verified = site.comm().allReduce(doubtful ? 1L : 0L, Reduction.MAX) != 0;
    // What makes files superfluous must be good as a whole, also what is not wanted of it now.
    if ((verified || space.room.makesRoom()) && !verify(mine)) {
      return Optional.empty();
    }
    traces.refuseMixture(site.comm(), roles.version(), attempt.filled());
    traces.leave(attempt.filled());
    try (Redivision.Targets targets = targets(site, attempt)) {
      boolean good = fill(site, roles.version(), attempt, targets, this::bad);
      if (!good) {
        return Optional.empty();
      }
      RestartReport report = finish(attempt, targets);
      space.make(attempt.bytes());
      return Optional.of(report);
    }
  }

  private void bad(RecoveryStep step, int member, String what) {
    step.bad(sourceOf(member), new IOException(what));
  }

  private boolean open(BroughtStates states, Map<Integer, VersionSource> mine) throws IOException {
    RecoveryStep opening = new RecoveryStep(site, roles.version());
    for (int member = 0; member < roles.members().size(); member++) {
      if (readerOf(member) == site.rank()) {
        try {
          mine.put(member, states.source(member));
        } catch (IOException e) {
          opening.bad(sourceOf(member), e);
        } catch (RuntimeException | Error e) {
          opening.fail(e);
        }
      }
    }
    return opening.succeedsEverywhere();
  }

  /**
   * What lies in directories that no rank has any more was found by one process of each host, for
   * all. Others of that host that see the same files take their share of it, in order; collective.
   */
  private void share(Map<Integer, VersionSource> mine, NearStates near) {
    int[] takers = takers();
    if (Arrays.equals(takers, readers)) {
      return; // as all know from the table
    }
    long[] taken = new long[takers.length];
    for (int member = 0; member < takers.length; member++) {
      if (takers[member] == site.rank() && readers[member] != site.rank()) {
        Optional<VersionSource> seen = near.open(member);
        if (seen.isPresent()) {
          mine.put(member, seen.get());
          taken[member] = 1;
        }
      }
    }
    site.comm().allReduce(MemorySegment.ofArray(taken), ValueLayout.JAVA_LONG, Reduction.MAX);
    for (int member = 0; member < takers.length; member++) {
      if (taken[member] != 0) {
        if (readers[member] == site.rank()) {
          mine.remove(member);
        }
        readers[member] = takers[member];
      }
    }
  }

  /** Who is to read each member, if it sees its file; the same on all processes. */
  private int[] takers() {
    Map<Integer, List<Integer>> left = new TreeMap<>();
    for (int member = 0; member < readers.length; member++) {
      Source source = sourceOf(member);
      if (source.isContainer()
          && !source.directory().equals(FileNames.directory(source.holder()))) {
        left.computeIfAbsent(source.holder(), _ -> new ArrayList<>()).add(member);
      }
    }
    int[] takers = readers.clone();
    left.forEach(
        (holder, members) -> {
          int[] host = processesBeside(holder);
          for (int i = 0; i < members.size(); i++) {
            takers[members.get(i)] = host[(int) ((long) i * host.length / members.size())];
          }
        });
    return takers;
  }

  private int[] processesBeside(int holder) {
    String host = site.comm().domain(holder);
    return IntStream.range(0, site.comm().size())
        .filter(process -> site.comm().domain(process).equals(host))
        .toArray();
  }

  // ---------------------------------------------------------------- looking

  /** Says what is wanted of whom, on all ranks or on none; collective. */
  private Redividing plan(Redivision redivision) throws IOException {
    Redividing attempt = null;
    Description said = Description.nothing();
    Throwable mine = null;
    try {
      attempt = target.redividing(redivision, request);
      said = attempt.description();
    } catch (RuntimeException | Error e) {
      mine = e;
    }
    Agreement.reach(site.comm(), mine);
    if (attempt == null) {
      throw new AssertionError("agreed on nothing");
    }
    if (request.only().isEmpty()) {
      // The first version will be divided so: who finds out then has filled memory in vain.
      new DivisionAgreement(site.comm()).reach(said);
    }
    Inventory saved = attempt.inventory();
    Set<String> claimed = union(site, attempt.claims());
    // The same on all ranks: nobody waits for a rank that was refused.
    attempt.requireAll(saved, claimed, roles.members().size(), site.comm().size());
    attempt.regroup();
    planned(site, attempt, saved);
    Set<String> asked = union(site, attempt.bags());
    if (!asked.isEmpty() && request.only().isEmpty()) {
      // Who asks for some datasets only may protect the others later.
      Redivision.requireBags(asked, union(site, attempt.ownBags()));
    }
    for (String bag : asked) {
      attempt.requireAllItems(saved, bag, union(site, attempt.datasetsOf(bag)));
    }
    Redivision.requireFetched(saved, attempt.fetched());
    attempt.noteLeftOut(saved);
    return attempt;
  }

  /** One rank's plan, or a refusal on all. */
  static void planned(Site site, Redividing attempt, Inventory saved) throws IOException {
    Throwable mine = null;
    try {
      attempt.plan(saved);
    } catch (RuntimeException | Error e) {
      mine = e;
    }
    Agreement.reach(site.comm(), mine);
  }

  /** What any rank says; collective. */
  static Set<String> union(Site site, Set<String> mine) throws IOException {
    return read(
        site.comm()
            .allMerge(
                write(mine),
                (one, next) -> {
                  try {
                    Set<String> both = read(one);
                    both.addAll(read(next));
                    return write(both);
                  } catch (CorruptContainerException e) {
                    throw new IllegalStateException("what ranks protect", e);
                  }
                }));
  }

  private static byte[] write(Set<String> names) {
    RecordWriter out = RecordWriter.onHeap();
    names.forEach(out::putText);
    return out.toArray();
  }

  private static Set<String> read(byte[] message) throws CorruptContainerException {
    RecordReader in = RecordReader.of(message, "what ranks protect");
    Set<String> names = new TreeSet<>();
    while (in.remaining() > 0) {
      names.add(in.getText());
    }
    return names;
  }

  private boolean verify(Map<Integer, VersionSource> mine) throws IOException {
    RecoveryStep verify = new RecoveryStep(site, roles.version());
    for (Map.Entry<Integer, VersionSource> member : mine.entrySet()) {
      try {
        target.verify(member.getValue()).ifPresent(what -> bad(verify, member.getKey(), what));
      } catch (IOException | RuntimeException | Error e) {
        verify.fail(e);
      }
    }
    return verify.succeedsEverywhere();
  }

  // ---------------------------------------------------------------- filling

  /** Is told what of what this rank reads is damaged. */
  interface Damages {
    void bad(RecoveryStep step, int member, String what);
  }

  /** Fills memory on all ranks; false if something is damaged on any; collective. */
  static boolean fill(
      Site site, VersionId version, Redividing attempt, Redivision.Targets targets, Damages damages)
      throws IOException {
    RecoveryStep fill = new RecoveryStep(site, version);
    try {
      attempt.fill(targets, (member, what) -> damages.bad(fill, member, what));
    } catch (IOException e) {
      fill.fail(e); // anything else leaves others in the middle, and ends the job
    }
    if (!fill.succeedsEverywhere()) {
      return false;
    }
    if (attempt.mayConvert()) {
      convert(site, attempt, targets);
    }
    return true;
  }

  private static void convert(Site site, Redividing attempt, Redivision.Targets targets)
      throws IOException {
    Throwable mine = null;
    try {
      attempt.convert(targets);
    } catch (RuntimeException | Error e) {
      mine = e;
    }
    Agreement.reach(site.comm(), mine);
  }

  /** Memory on all ranks, or none is filled. */
  static Redivision.Targets targets(Site site, Redividing attempt) throws IOException {
    Redivision.Targets targets = null;
    Throwable mine = null;
    try {
      targets = attempt.targets();
    } catch (RuntimeException | Error e) {
      mine = e;
    }
    Agreement.reach(site.comm(), mine);
    if (targets == null) {
      throw new AssertionError("agreed on nothing");
    }
    return targets;
  }

  private RestartReport finish(Redividing attempt, Redivision.Targets targets) throws IOException {
    @Nullable RestartReport report = null;
    Throwable failure = null;
    try {
      report =
          attempt.finish(roles.version(), site.table().lives().takenAt(roles.version()), targets);
    } catch (RuntimeException | Error e) {
      failure = e;
    }
    Agreement.reach(site.comm(), failure);
    if (report == null) {
      throw new AssertionError("agreed on nothing");
    }
    return report;
  }
}
