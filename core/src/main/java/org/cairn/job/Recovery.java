// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.cairn.CorruptContainerException;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.Tiers;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;
import org.cairn.container.Container;
import org.cairn.container.Retention;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.restart.Attempt;
import org.cairn.restart.RestartTarget;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.tier.AgreedFailureException;
import org.cairn.tier.Agreement;
import org.cairn.tier.Evidence;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.tier.Home;
import org.cairn.tier.Rebuild;
import org.cairn.tier.Source;
import org.cairn.tier.TierType;
import org.cairn.tier.TierTypes;
import org.cairn.version.Life;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Brings a job back: restores the version that the rules choose, and rebuilds what is missing. If
 * anything turns out to be damaged on the way, the ranks agree to do without it and choose again,
 * but never another life: memory may hold a part of the first.
 *
 * <p>What is rebuilt goes to a container of its own, and takes its place only when all ranks have
 * restored: a failure during recovery, however late, finds all sources as they were.
 */
final class Recovery {
  private final Communicator comm;
  private final Directories directories;
  private final Home home;
  private final FragmentTable table;
  private final Retention retention;
  private final Tiers tiers;
  private final Clock clock;
  private final Successor successor;
  private final List<String> problems = new ArrayList<>();

  /** The container that is open already, if the job has been running. */
  private final @Nullable LocalContainer current;

  private @Nullable LocalContainer opened;
  private @Nullable Container rebuilt;

  /** The lineage that the run will have if it goes on with a version. */
  interface Successor {
    Lineage of(Choice.Restore choice);
  }

  /**
   * What was brought back.
   *
   * @param local the container to go on with
   * @param lineage what its run is
   * @param stable the versions that all ranks have, oldest first
   */
  record Restored(
      LocalContainer local, Lineage lineage, RestartReport report, List<VersionId> stable) {}

  Recovery(
      Communicator comm,
      Directories directories,
      Home home,
      FragmentTable table,
      Retention retention,
      Tiers tiers,
      Clock clock,
      Successor successor,
      @Nullable LocalContainer current) {
    this.comm = comm;
    this.directories = directories;
    this.home = home;
    this.table = table;
    this.retention = retention;
    this.tiers = tiers;
    this.clock = clock;
    this.successor = successor;
    this.current = current;
    problems.addAll(table.contradictions());
  }

  /**
   * Restores; collective.
   *
   * @return what was restored, or why nothing can be
   */
  Outcome restart(RestartRequest request, RestartTarget target) throws IOException {
    long start = clock.nanos();
    Life first = null;
    while (true) {
      Choice choice = Choice.of(table, request, comm.size(), directories.location());
      if (!(choice instanceof Choice.Restore restore)) {
        return new Outcome(choice, null);
      }
      if (first != null && !first.id().equals(restore.life().id())) {
        return new Outcome(
            new Choice.Refuse(
                "the state of job %s turned out to be damaged; %s could be restored instead"
                    .formatted(first.id(), restore.life().id()),
                problems,
                true),
            null);
      }
      first = restore.life();
      Optional<Restored> done = attempt(restore, request, target, start);
      if (done.isPresent()) {
        return new Outcome(choice, done.get());
      }
    }
  }

  /** What came of it: a state, or a choice that is none. */
  record Outcome(Choice choice, @Nullable Restored restored) {}

  private static List<String> origins(FragmentTable.Plan plan) {
    List<String> origins = new ArrayList<>();
    for (int rank = 0; rank < plan.sources().size(); rank++) {
      Source source = plan.sources().get(rank);
      boolean elsewhere = source.isContainer() && !source.isOwn(rank);
      origins.add(source.kind().label() + (elsewhere ? " of rank " + source.holder() : ""));
    }
    return origins;
  }

  private Optional<Restored> attempt(
      Choice.Restore choice, RestartRequest request, RestartTarget target, long start)
      throws IOException {
    FragmentTable.Plan plan = table.plan(choice.version()).orElseThrow();
    Lineage lineage = successor.of(choice);
    boolean kept = false;
    try {
      Optional<RestartReport> report = restore(plan, lineage, request, target);
      if (report.isEmpty()) {
        return Optional.empty();
      }
      LocalContainer running = current;
      boolean onlyReads = running != null && !request.only().isEmpty();
      LocalContainer local = onlyReads ? running : install(plan, lineage);
      kept = !onlyReads;
      Duration time = Duration.ofNanos(clock.nanos() - start);
      return Optional.of(
          new Restored(
              local,
              lineage,
              report.get().of(problems, origins(plan), time),
              stable(plan, choice.life())));
    } finally {
      dropRebuilt();
      if (!kept) {
        closeOpened();
      }
    }
  }

  private Optional<RestartReport> restore(
      FragmentTable.Plan plan, Lineage lineage, RestartRequest request, RestartTarget target)
      throws IOException {
    for (TierType type : TierTypes.all()) {
      if (isNeeded(type, plan, lineage) && !rebuild(type, plan, lineage)) {
        return Optional.empty();
      }
    }
    Optional<Looked> looked = look(plan, lineage, request, target);
    return looked.isEmpty() ? Optional.empty() : fill(plan, looked.get());
  }

  private Optional<RestartReport> fill(FragmentTable.Plan plan, Looked looked) throws IOException {
    Step fill = new Step();
    try {
      fill.damage(plan, looked.attempt.fill());
    } catch (IOException | RuntimeException | Error e) {
      fill.fail(e);
    }
    if (!fill.succeedsEverywhere()) {
      return Optional.empty();
    }
    RestartReport report = null;
    Throwable mine = null;
    try {
      report = looked.attempt.finish(looked.problems);
    } catch (RuntimeException | Error e) {
      mine = e;
    }
    Agreement.reach(comm, mine);
    return Optional.ofNullable(report);
  }

  // ---------------------------------------------------------------- the own container

  /** Whether a rank can go on with a file of its own directory as it is; the same on all ranks. */
  private boolean isUsable(FragmentTable.Plan plan, int owner, Lineage lineage) {
    Source source = plan.sources().get(owner);
    return source.isOwn(owner)
        && table.foundBy(owner).stream()
            .anyMatch(
                one ->
                    one.fragment().directory().equals(source.directory())
                        && one.fragment().file().equals(source.file())
                        && mayWrite(one.fragment(), lineage));
  }

  /** Whether nothing is in it but what the run may drop one day. */
  private static boolean mayWrite(Fragment fragment, Lineage lineage) {
    Lineage written = fragment.lineage();
    return written != null
        && written.job().equals(lineage.job())
        && fragment.ids().stream().allMatch(lineage::owns);
  }

  private Container ownContainer(FragmentTable.Plan plan) throws IOException {
    Container fresh = rebuilt;
    if (fresh != null) {
      return fresh;
    }
    return open(plan.sources().get(comm.rank()).file()).usable();
  }

  private LocalContainer open(String file) throws IOException {
    LocalContainer running = current;
    if (running != null && running.name().equals(file)) {
      return running;
    }
    LocalContainer before = opened;
    if (before != null && before.name().equals(file)) {
      return before;
    }
    closeOpened();
    LocalContainer fresh = LocalContainer.open(home, file, retention);
    opened = fresh;
    return fresh;
  }

  private void closeOpened() throws IOException {
    LocalContainer before = opened;
    opened = null;
    if (before != null) {
      before.close();
    }
  }

  /** All ranks have restored: now, and only now, what was rebuilt takes its place. */
  private LocalContainer install(FragmentTable.Plan plan, Lineage lineage) throws IOException {
    LocalContainer local = null;
    Throwable mine = null;
    try {
      local = rebuilt == null ? open(plan.sources().get(comm.rank()).file()) : replace(lineage);
      local.get().continueFrom(find(local.get(), plan.version()));
    } catch (IOException | RuntimeException | Error e) {
      mine = e;
    }
    Agreement.reach(comm, mine);
    if (local == null) {
      throw new AssertionError("agreed on nothing");
    }
    return local;
  }

  private LocalContainer replace(Lineage lineage) throws IOException {
    Container fresh = rebuilt;
    if (fresh != null) {
      fresh.close();
      rebuilt = null;
    }
    String made = rebuiltName();
    String target = targetName(lineage);
    LocalContainer running = current;
    if (running != null && running.name().equals(target)) {
      running.replaceBy(made);
      home.store().delete(FileNames.lockOf(made));
      return running;
    }
    home.store().rename(made, target);
    home.store().forceDirectory();
    home.store().delete(FileNames.lockOf(made));
    return open(target);
  }

  /** In the place of what we had and lost; else beside what others have. */
  private String targetName(Lineage lineage) throws IOException {
    for (Found one : table.foundBy(comm.rank())) {
      if (one.isOwnState()
          && one.fragment().state() != Fragment.State.UNFINISHED
          && mayWrite(one.fragment(), lineage)) {
        return one.fragment().file();
      }
    }
    for (Found one : table.foundBy(comm.rank())) {
      if (one.isOwnState()
          && one.fragment().state() == Fragment.State.UNREADABLE
          && isInPlace(one.fragment().file())) {
        String aside = FileNames.putAside(home.store(), one.fragment().file());
        problems.add("put aside as " + aside + ": " + one.fragment().problem());
        return one.fragment().file();
      }
    }
    return FileNames.free(
        home.store(), comm.rank(), lineage.name(), Ownership.STATE, lineage.run().id());
  }

  private static boolean isInPlace(String file) {
    return FileNames.meaning(file)
        .filter(name -> name.condition() == FileNames.Condition.IN_PLACE)
        .isPresent();
  }

  // ---------------------------------------------------------------- looking

  /**
   * A version that can be restored on all ranks, as far as is known.
   *
   * @param problems what this rank has found damaged beside it
   */
  private record Looked(Attempt attempt, List<String> problems) {}

  /** Looks at the version without changing any memory; empty if something is damaged on a rank. */
  private Optional<Looked> look(
      FragmentTable.Plan plan, Lineage lineage, RestartRequest request, RestartTarget target)
      throws IOException {
    Looked looked = null;
    boolean traces = false;
    Step examine = new Step();
    try {
      Container source = ownContainer(plan);
      VersionInfo version = find(source, plan.version());
      Attempt attempt = target.begin(source.view(version), request);
      looked = new Looked(attempt, new ArrayList<>(source.problems()));
      // Who begins anew in the end must find its memory untouched.
      traces =
          request.otherwise() != RestartRequest.Otherwise.REFUSE
              || !knowsAllOlder(source, plan.version(), lineage)
              || mayLeaveTraces(looked, source, version);
    } catch (CorruptContainerException e) {
      examine.bad(plan.sources().get(comm.rank()), plan.version(), e);
    } catch (IOException | RuntimeException | Error e) {
      examine.fail(e);
    }
    long verdict = examine.verdict(traces);
    if (verdict == Step.DAMAGED || looked == null) {
      return Optional.empty();
    }
    // What one rank has filled would stay beside the state of an older version if another rank then
    // finds damage: in that case all verify before any of them fills.
    return verdict == Step.GOOD || verify(plan, looked.attempt)
        ? Optional.of(looked)
        : Optional.empty();
  }

  private boolean verify(FragmentTable.Plan plan, Attempt attempt) throws IOException {
    Step verify = new Step();
    try {
      verify.damage(plan, attempt.verify());
    } catch (IOException | RuntimeException | Error e) {
      verify.fail(e);
    }
    return verify.succeedsEverywhere();
  }

  /** Whether an older version of this container lacks something that filling would change. */
  private static boolean mayLeaveTraces(Looked looked, Container container, VersionInfo version)
      throws IOException {
    List<VersionInfo> all = container.versions();
    for (VersionInfo older : all.subList(all.indexOf(version) + 1, all.size())) {
      try {
        if (looked.attempt.changesMoreThan(container.datasetNames(older))) {
          return true;
        }
      } catch (CorruptContainerException e) {
        looked.problems.add("version " + older.id() + " is lost: " + e.getMessage());
      }
    }
    return false;
  }

  private boolean knowsAllOlder(Container container, VersionId version, Lineage lineage) {
    Set<VersionId> known =
        container.versions().stream().map(VersionInfo::id).collect(Collectors.toSet());
    return table.lives().versions().stream()
        .filter(other -> other.compareTo(version) < 0 && lineage.includes(other))
        .allMatch(known::contains);
  }

  /** A rank whose container was rebuilt has nothing older. */
  private List<VersionId> stable(FragmentTable.Plan plan, Life life) {
    List<VersionId> stable = new ArrayList<>();
    boolean all = true;
    for (int rank = 0; rank < comm.size(); rank++) {
      all &= plan.sources().get(rank).isOwn(rank);
    }
    if (all) {
      stable.addAll(table.commonLocal(life));
      stable.removeIf(other -> other.compareTo(plan.version()) >= 0);
    }
    stable.add(plan.version());
    return stable;
  }

  private static VersionInfo find(Container container, VersionId version) throws IOException {
    return container.versions().stream()
        .filter(info -> info.id().equals(version))
        .findFirst()
        .orElseThrow(
            () ->
                new IOException(
                    "version %s is not in %s%s"
                        .formatted(
                            version,
                            container.location(),
                            container.problems().isEmpty()
                                ? ""
                                : ": " + String.join("; ", container.problems()))));
  }

  // ---------------------------------------------------------------- bringing states here

  /** Whether a tier has to bring something; as all ranks know. */
  private boolean isNeeded(TierType type, FragmentTable.Plan plan, Lineage lineage) {
    for (int owner = 0; owner < comm.size(); owner++) {
      if (plan.sources().get(owner).kind().equals(type.kind()) && !isUsable(plan, owner, lineage)) {
        return true;
      }
    }
    return false;
  }

  private boolean rebuild(TierType type, FragmentTable.Plan plan, Lineage lineage)
      throws IOException {
    Step step = new Step();
    type.rebuild(new Rebuilding(plan, lineage, step));
    return step.succeedsEverywhere();
  }

  /** What a tier needs to do its part. */
  private final class Rebuilding implements Rebuild {
    private final FragmentTable.Plan plan;
    private final Lineage lineage;
    private final Step step;

    Rebuilding(FragmentTable.Plan plan, Lineage lineage, Step step) {
      this.plan = plan;
      this.lineage = lineage;
      this.step = step;
    }

    @Override
    public Communicator comm() {
      return comm;
    }

    @Override
    public VersionId version() {
      return plan.version();
    }

    @Override
    public Evidence evidence() {
      return table;
    }

    @Override
    public Tiers tiers() {
      return tiers;
    }

    @Override
    public List<Source> sources() {
      return plan.sources();
    }

    @Override
    public boolean isInPlace(int owner) {
      return isUsable(plan, owner, lineage);
    }

    @Override
    public Store store(String directory) throws IOException {
      return directory.equals(FileNames.directory(comm.rank()))
          ? home.store()
          : directories.open(directory);
    }

    @Override
    public Optional<String> state() {
      Source source = plan.sources().get(comm.rank());
      if (rebuilt != null) {
        return Optional.of(rebuiltName());
      }
      return source.isContainer() ? Optional.of(source.file()) : Optional.empty();
    }

    @Override
    public Container target() throws IOException {
      return createRebuilt(lineage);
    }

    @Override
    public void bad(Source source, Throwable why) {
      step.bad(source, plan.version(), why);
    }

    @Override
    public void bad(String file, Throwable why) {
      String own = FileNames.directory(comm.rank());
      String reason = String.valueOf(why.getMessage());
      step.bad(new FragmentTable.Bad(comm.rank(), own, file, plan.version(), reason));
    }

    @Override
    public void fail(Throwable why) {
      step.fail(why);
    }
  }

  private String rebuiltName() {
    return FileNames.rebuilt(comm.rank(), table.jobName());
  }

  private Container createRebuilt(Lineage lineage) throws IOException {
    dropRebuilt();
    Ownership owner = new Ownership(lineage, Ownership.STATE, comm.rank(), comm.size());
    // What an earlier start left half made.
    home.store().delete(rebuiltName());
    Container fresh =
        Container.open(home.store(), rebuiltName(), Retention.newest(1), owner, home.random());
    rebuilt = fresh;
    return fresh;
  }

  private void dropRebuilt() throws IOException {
    Container dropped = rebuilt;
    rebuilt = null;
    if (dropped != null) {
      dropped.close();
      home.store().delete(rebuiltName());
      home.store().delete(FileNames.lockOf(rebuiltName()));
    }
  }

  // ---------------------------------------------------------------- agreeing on each step

  /** What went wrong on this rank in one step: something is damaged, or the rank itself failed. */
  private final class Step {
    static final long GOOD = 0;
    static final long NOTED = 1;
    static final long DAMAGED = 2;
    static final long FAILED = 3;

    private final List<FragmentTable.Bad> bad = new ArrayList<>();
    private @Nullable Throwable failure;

    void bad(FragmentTable.Bad damaged) {
      bad.add(damaged);
    }

    void bad(Source source, VersionId version, Throwable why) {
      bad.add(
          new FragmentTable.Bad(
              source.holder(),
              source.directory(),
              source.file(),
              version,
              String.valueOf(why.getMessage())));
    }

    void damage(FragmentTable.Plan plan, Optional<String> what) {
      Source source = plan.sources().get(comm.rank());
      what.ifPresent(text -> bad(source, plan.version(), new IOException(text)));
    }

    void fail(Throwable reason) {
      failure = failure == null ? reason : failure;
    }

    /**
     * Exchanges what was found; false if something must be done without, thrown if a rank failed.
     */
    boolean succeedsEverywhere() throws IOException {
      return verdict(false) != DAMAGED;
    }

    /**
     * The same on all ranks, by a single number if all is well.
     *
     * @param noted something that all have to know if any rank says so
     */
    long verdict(boolean noted) throws IOException {
      long mine = noted ? NOTED : GOOD;
      mine = bad.isEmpty() ? mine : DAMAGED;
      long worst = comm.allReduce(failure == null ? mine : FAILED, Reduction.MAX);
      if (worst == FAILED) {
        Agreement.reach(comm, failure);
      }
      if (worst == DAMAGED) {
        doWithout(decode(comm.allMerge(encode(bad), Step::merge)));
      }
      return worst;
    }

    private void doWithout(List<FragmentTable.Bad> all) throws IOException {
      boolean progress = false;
      for (FragmentTable.Bad damaged : all) {
        if (table.exclude(damaged)) {
          progress = true;
          problems.add("version " + damaged.version() + " is lost: " + damaged.why());
        }
      }
      if (!progress) {
        throw new AgreedFailureException("recovery makes no progress: " + problems);
      }
    }

    private static byte[] merge(byte[] one, byte[] next) {
      try {
        List<FragmentTable.Bad> both = decode(one);
        both.addAll(decode(next));
        return encode(both);
      } catch (CorruptContainerException e) {
        throw new IllegalStateException("what ranks say is damaged", e);
      }
    }

    private static byte[] encode(List<FragmentTable.Bad> all) {
      RecordWriter out = RecordWriter.onHeap().putInt(all.size());
      for (FragmentTable.Bad one : all) {
        one.write(out);
      }
      return out.toArray();
    }

    private static List<FragmentTable.Bad> decode(byte[] message) throws CorruptContainerException {
      RecordReader in = RecordReader.of(message, "a message");
      List<FragmentTable.Bad> all = new ArrayList<>();
      for (int left = in.getCount(VersionId.BYTES); left > 0; left--) {
        all.add(FragmentTable.Bad.read(in));
      }
      return all;
    }
  }
}
