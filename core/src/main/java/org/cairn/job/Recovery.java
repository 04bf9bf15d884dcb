// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.Retention;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.version.VersionId;
import org.cairn.container.VersionInfo;
import org.cairn.restart.CheckpointUnavailableException;
import org.cairn.restart.RestartReport;
import org.cairn.restart.RestartRequest;
import org.cairn.restart.Restarter;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.tier.CopyTransfer;
import org.cairn.tier.FileNames;
import org.cairn.tier.Fragment;
import org.cairn.tier.LocalContainer;
import org.cairn.tier.TierKind;
import org.cairn.tier.parity.ErasureTier;
import org.cairn.tier.segment.SharedTier;
import org.jspecify.annotations.Nullable;

/**
 * Brings a job back: picks the newest version that every rank can have, rebuilds what is missing,
 * verifies and restores it. If anything turns out to be damaged on the way, the ranks agree to do
 * without it and look again.
 *
 * <p>What is rebuilt goes to a container of its own, and takes its place only when all ranks have
 * restored: a failure during recovery, however late, finds all sources as they were.
 */
final class Recovery {
  private final Communicator comm;
  private final Directories directories;
  private final LocalContainer local;
  private final FragmentTable table;
  private final Stability stability;
  private final @Nullable Store shared;
  private final Clock clock;
  private final List<String> problems = new ArrayList<>();
  private @Nullable Container rebuilt;

  Recovery(
      Communicator comm,
      Directories directories,
      LocalContainer local,
      FragmentTable table,
      Stability stability,
      @Nullable Store shared,
      Clock clock) {
    this.comm = comm;
    this.directories = directories;
    this.local = local;
    this.table = table;
    this.stability = stability;
    this.shared = shared;
    this.clock = clock;
  }

  RestartReport restart(RestartRequest request, Function<Container, Restarter> restarters)
      throws IOException {
    long start = clock.nanos();
    while (true) {
      Optional<FragmentTable.Plan> plan = table.plan(request.version().orElse(null));
      if (plan.isEmpty()) {
        return nothing(request);
      }
      try {
        Optional<RestartReport> report = attempt(plan.get(), request, restarters);
        if (report.isPresent()) {
          return report
              .get()
              .of(problems, origins(plan.get()), Duration.ofNanos(clock.nanos() - start));
        }
      } finally {
        dropRebuilt();
      }
    }
  }

  private static List<String> origins(FragmentTable.Plan plan) {
    List<String> origins = new ArrayList<>();
    for (int rank = 0; rank < plan.sources().size(); rank++) {
      FragmentTable.Source source = plan.sources().get(rank);
      boolean elsewhere = !source.isOwn(rank) && source.kind() != TierKind.SHARED;
      origins.add(
          source.kind().label()
              + (elsewhere && source.group() == null ? " of rank " + source.holder() : ""));
    }
    return origins;
  }

  private RestartReport nothing(RestartRequest request) {
    List<String> answers = new ArrayList<>(problems);
    answers.addAll(table.answers(2));
    if (!table.otherSizes().isEmpty() && table.isEmpty()) {
      throw OtherSizes.refusal(directories.location(), table.otherSizes(), comm.size(), answers);
    }
    if (table.isEmpty() && request.version().isEmpty()) {
      return RestartReport.nothingSaved(answers);
    }
    throw new CheckpointUnavailableException(
        request
                .version()
                .map(version -> "version " + version + " cannot be restored on all ranks from ")
                .orElse("no version can be restored on all ranks from ")
            + directories.location(),
        answers);
  }

  private Optional<RestartReport> attempt(
      FragmentTable.Plan plan, RestartRequest request, Function<Container, Restarter> restarters)
      throws IOException {
    if (!copy(plan) || !decode(plan) || !fetch(plan)) {
      return Optional.empty();
    }
    Restarter.Attempt attempt = examine(plan, request, restarters);
    if (attempt == null) {
      return Optional.empty();
    }
    Step fill = new Step();
    try {
      fill.damage(plan, attempt.fill());
    } catch (IOException | RuntimeException e) {
      fill.fail(e);
    }
    if (!fill.succeedsEverywhere()) {
      return Optional.empty();
    }
    RestartReport report = null;
    IOException mine = null;
    try {
      report = attempt.finish();
    } catch (IOException e) {
      mine = e;
    }
    Agreement.reach(comm, mine);
    install(plan);
    stability.reset(stable(plan));
    return Optional.ofNullable(report);
  }

  /** Looks at the version without changing any memory; null if something is damaged on any rank. */
  private Restarter.@Nullable Attempt examine(
      FragmentTable.Plan plan, RestartRequest request, Function<Container, Restarter> restarters)
      throws IOException {
    Restarter.Attempt attempt = null;
    boolean traces = false;
    Step examine = new Step();
    try {
      Container source = rebuilt == null ? local.usable() : rebuilt;
      attempt = restarters.apply(source).begin(find(source, plan.version()), request);
      examine.damage(plan, attempt.examine());
      traces = !knowsAllOlder(source, plan.version()) || attempt.mayLeaveTraces();
    } catch (IOException | RuntimeException e) {
      examine.fail(e);
    }
    if (!examine.succeedsEverywhere() || attempt == null) {
      return null;
    }
    // What one rank has filled would stay beside the state of an older version if another rank then
    // finds damage: in that case all verify before any of them fills.
    if (comm.allReduce(traces ? 1L : 0L, Reduction.MAX) == 0) {
      return attempt;
    }
    Step verify = new Step();
    try {
      verify.damage(plan, attempt.verify());
    } catch (IOException | RuntimeException e) {
      verify.fail(e);
    }
    return verify.succeedsEverywhere() ? attempt : null;
  }

  private boolean knowsAllOlder(Container container, VersionId version) {
    List<VersionId> known = container.versions().stream().map(VersionInfo::id).toList();
    return known.containsAll(table.olderThan(version));
  }

  /** A rank whose container was rebuilt has nothing older. */
  private List<VersionId> stable(FragmentTable.Plan plan) {
    List<VersionId> stable = new ArrayList<>();
    boolean all = true;
    for (int rank = 0; rank < comm.size(); rank++) {
      all &= plan.sources().get(rank).isOwn(rank);
    }
    if (all) {
      stable.addAll(table.commonLocal());
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
            () -> new IOException("version " + version + " is not in " + container.location()));
  }

  // ---------------------------------------------------------------- bringing states here

  /** Copies whole containers from rank to rank, in an order that all ranks keep. */
  private boolean copy(FragmentTable.Plan plan) throws IOException {
    Step step = new Step();
    for (int owner = 0; owner < comm.size(); owner++) {
      FragmentTable.Source source = plan.sources().get(owner);
      boolean involved = owner == comm.rank() || source.holder() == comm.rank();
      boolean copied = source.kind() == TierKind.LOCAL || source.kind() == TierKind.PARTNER;
      if (copied && involved && !source.isOwn(owner)) {
        copy(plan.version(), owner, source, step);
      }
    }
    return step.succeedsEverywhere();
  }

  private void copy(VersionId version, int owner, FragmentTable.Source source, Step step) {
    CopyTransfer.Outcome outcome =
        CopyTransfer.run(
            comm,
            source.holder(),
            owner,
            () -> storeOf(source.directory()),
            source.file(),
            version,
            this::createRebuilt);
    outcome.sourceFailure().ifPresent(failure -> step.bad(source, version, failure));
    outcome.targetFailure().ifPresent(step::fail);
  }

  private Store storeOf(String directory) throws IOException {
    return directory.equals(FragmentTable.directoryOf(comm.rank()))
        ? local.store()
        : directories.open(directory);
  }

  /** Decodes lost states from parity, in all groups at once. */
  private boolean decode(FragmentTable.Plan plan) throws IOException {
    List<Fragment.Group> groups = new ArrayList<>();
    for (FragmentTable.Source source : plan.sources()) {
      Fragment.Group group = source.group();
      if (group != null && !groups.contains(group)) {
        groups.add(group);
      }
    }
    if (groups.isEmpty()) {
      return true;
    }
    Fragment.Group mine =
        groups.stream()
            .filter(group -> group.members().contains(comm.rank()))
            .findFirst()
            .orElse(null);
    int color = mine == null ? groups.size() : groups.indexOf(mine);
    int key = mine == null ? comm.rank() : mine.members().indexOf(comm.rank());
    Step step = new Step();
    try (Communicator group = comm.split(color, key)) {
      if (mine != null) {
        decode(group, mine, plan, step);
      }
    }
    return step.succeedsEverywhere();
  }

  private void decode(
      Communicator group, Fragment.Group members, FragmentTable.Plan plan, Step step) {
    FragmentTable.Source source = plan.sources().get(comm.rank());
    String current = rebuilt == null ? local.name() : FileNames.rebuilt(comm.rank());
    String parity = FileNames.parity(comm.rank());
    boolean hasState = source.kind() == TierKind.LOCAL || source.kind() == TierKind.PARTNER;
    boolean hasParity = table.hasParity(comm.rank(), members, plan.version());
    ErasureTier.Sources sources =
        new ErasureTier.Sources(
            hasState ? () -> ContainerReader.open(local.store(), current) : null,
            hasParity ? () -> ContainerReader.open(local.store(), parity) : null);
    try {
      ErasureTier.rebuild(group, plan.version(), sources, this::createRebuilt);
    } catch (IOException e) {
      // All members of the group are told alike: this parity does not help.
      if (hasParity) {
        step.bad(
            new FragmentTable.Bad(
                comm.rank(),
                FragmentTable.directoryOf(comm.rank()),
                parity,
                plan.version(),
                String.valueOf(e.getMessage())));
      }
    }
  }

  private boolean fetch(FragmentTable.Plan plan) throws IOException {
    if (plan.sources().stream().noneMatch(source -> source.kind() == TierKind.SHARED)) {
      return true;
    }
    Step step = new Step();
    FragmentTable.Source mine = plan.sources().get(comm.rank());
    if (mine.kind() == TierKind.SHARED) {
      try {
        Store directory = shared;
        if (directory == null) {
          throw new IOException("no shared directory is configured");
        }
        SharedTier.rebuild(directory, plan.version(), comm.rank(), createRebuilt());
      } catch (IOException e) {
        step.bad(mine, plan.version(), e);
      }
    }
    return step.succeedsEverywhere();
  }

  private Container createRebuilt() throws IOException {
    dropRebuilt();
    Container fresh =
        Container.open(
            local.store(),
            FileNames.rebuilt(comm.rank()),
            Retention.newest(1),
            local.get().ownership());
    rebuilt = fresh;
    return fresh;
  }

  private void dropRebuilt() throws IOException {
    Container dropped = rebuilt;
    rebuilt = null;
    if (dropped != null) {
      dropped.close();
      String name = FileNames.rebuilt(comm.rank());
      local.store().delete(name);
      local.store().delete(name + ".lock");
    }
  }

  /** All ranks have restored: now, and only now, what was rebuilt takes its place. */
  private void install(FragmentTable.Plan plan) throws IOException {
    Container fresh = rebuilt;
    IOException mine = null;
    if (fresh != null) {
      try {
        fresh.close();
        rebuilt = null;
        local.replaceBy(FileNames.rebuilt(comm.rank()));
        local.store().delete(FileNames.rebuilt(comm.rank()) + ".lock");
        local.get().continueFrom(find(local.get(), plan.version()));
      } catch (IOException e) {
        mine = e;
      }
    }
    Agreement.reach(comm, mine);
  }

  // ---------------------------------------------------------------- agreeing on each step

  /** What went wrong on this rank in one step: something is damaged, or the rank itself failed. */
  private final class Step {
    private final List<FragmentTable.Bad> bad = new ArrayList<>();
    private @Nullable Throwable failure;

    void bad(FragmentTable.Bad damaged) {
      bad.add(damaged);
    }

    void bad(FragmentTable.Source source, VersionId version, Throwable why) {
      bad.add(
          new FragmentTable.Bad(
              source.holder(),
              source.directory(),
              source.file(),
              version,
              String.valueOf(why.getMessage())));
    }

    void damage(FragmentTable.Plan plan, Optional<String> what) {
      FragmentTable.Source source = plan.sources().get(comm.rank());
      what.ifPresent(text -> bad(source, plan.version(), new IOException(text)));
    }

    void fail(Throwable reason) {
      failure = failure == null ? reason : failure;
    }

    /**
     * Exchanges what was found; false if something must be done without, thrown if a rank failed.
     */
    boolean succeedsEverywhere() throws IOException {
      Agreement.reach(comm, failure);
      boolean good = true;
      boolean progress = false;
      for (byte[] message : comm.allGather(encode(bad))) {
        for (FragmentTable.Bad damaged : decode(message)) {
          good = false;
          if (table.exclude(damaged)) {
            progress = true;
            problems.add("version " + damaged.version() + ": " + damaged.why());
          }
        }
      }
      if (!good && !progress) {
        throw new AgreedFailureException("recovery makes no progress: " + problems);
      }
      return good;
    }

    private static byte[] encode(List<FragmentTable.Bad> all) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (DataOutputStream out = new DataOutputStream(bytes)) {
        out.writeInt(all.size());
        for (FragmentTable.Bad one : all) {
          out.writeInt(one.holder());
          out.writeUTF(one.directory());
          out.writeUTF(one.file());
          RecordWriter id = RecordWriter.onHeap();
          one.version().write(id);
          out.write(id.toArray());
          String why = one.why();
          out.writeUTF(why.length() > 1000 ? why.substring(0, 1000) : why);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return bytes.toByteArray();
    }

    private static List<FragmentTable.Bad> decode(byte[] message) {
      List<FragmentTable.Bad> all = new ArrayList<>();
      try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(message))) {
        int count = in.readInt();
        for (int i = 0; i < count; i++) {
          all.add(
              new FragmentTable.Bad(
                  in.readInt(),
                  in.readUTF(),
                  in.readUTF(),
                  VersionId.read(RecordReader.of(in.readNBytes(VersionId.BYTES), "a message")),
                  in.readUTF()));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return all;
    }
  }
}
