// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.cairn.CheckpointUnavailableException;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.Tiers;
import org.cairn.comm.CommunicationException;
import org.cairn.job.Stage.Seen;
import org.cairn.job.Stage.Start;
import org.cairn.testkit.comm.Killed;
import org.cairn.testkit.comm.LossyCommunicator;
import org.cairn.testkit.store.SimulatedCrash;
import org.cairn.tier.FileNames;
import org.cairn.tier.shared.SharedDirectory;
import org.cairn.tier.shared.SharedNames;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * A small world: nodes that leave and return, ranks that wander over them, several jobs and several
 * runs of each, copies of directories that go on beside their originals, and deaths at any moment.
 *
 * <p>The oracle knows what truly happened: which start took which version, what state it had, what
 * the start could see when it began. What lineages in files say is nothing that it believes. After
 * every start it checks
 *
 * <ul>
 *   <li>that the state is exactly one that was once saved, the same on all ranks;
 *   <li>that it is not one that was left behind, as far as anything on these nodes tells, unless a
 *       person asked for it;
 *   <li>that it is as new as what is known to be there, and that nothing else had as good a claim;
 *   <li>that a start from nothing passed over nothing that was ever completed;
 *   <li>that a refusal had a reason and names the lives;
 *   <li>that no file was changed but those of the very life that goes on.
 * </ul>
 */
final class World {
  /** How often the rare things happened, over all worlds. */
  static final Map<String, AtomicInteger> REACHED = new ConcurrentHashMap<>();

  private final Random random;
  private final int ranks;
  private final int nodes;
  private final Stage stage;
  private final Tiers tiers;

  /** A directory that all nodes see, in some worlds. */
  private final Optional<Scratch> scratch;

  private final int retain;
  private final List<String> diary = new ArrayList<>();

  /** What is true of each run, by its number in files. */
  private final Map<RunId, Truth> runs = new HashMap<>();

  private final Map<RunId, JobId> jobs = new HashMap<>();

  /** The token of each version that is known. */
  private final Map<VersionId, Long> tokens = new HashMap<>();

  /** Versions that some rank was told to be durable everywhere. */
  private final Set<VersionId> completed = new HashSet<>();

  /** Files that were damaged, with what they held before. */
  private final Map<String, Set<VersionId>> damaged = new HashMap<>();

  private int[] placement;
  private Optional<String> suggested = Optional.empty();
  private boolean quiet;

  static void reached(String what) {
    REACHED.computeIfAbsent(what, _ -> new AtomicInteger()).incrementAndGet();
  }

  /** A run as it was. */
  private static final class Truth {
    final int start;
    final String name;
    final RunId id;
    boolean chosen;

    /** What it went on with; empty if it began from nothing. */
    Optional<VersionId> continued = Optional.empty();

    /** Versions that its state was computed from. */
    final Set<VersionId> ancestors = new TreeSet<>();

    /** Versions that it saw, or heard of, and did not go on with. */
    final Set<VersionId> leftBehind = new TreeSet<>();

    /** Runs that its files tell of. */
    final Set<RunId> knows = new HashSet<>();

    Truth(int start, String name, RunId id) {
      this.start = start;
      this.name = name;
      this.id = id;
    }
  }

  World(long seed) {
    this.random = new Random(seed);
    this.ranks = random.nextInt(3) == 0 ? 3 : 2;
    this.nodes = 2 * ranks;
    this.stage = new Stage(nodes, random.nextLong(1L << 40));
    this.tiers =
        switch (random.nextInt(4)) {
          case 0 -> Tiers.none();
          case 1 -> Tiers.none().partner(1).erasure(1);
          default -> Tiers.none().partner(1);
        };
    this.scratch = random.nextInt(3) == 0 ? Optional.of(new Scratch(random)) : Optional.empty();
    this.retain = 1 + random.nextInt(3);
    this.placement = IntStream.range(0, ranks).toArray();
    note("%d ranks on %d nodes, %s, retaining %d".formatted(ranks, nodes, tiers, retain));
    scratch.ifPresent(shared -> note("  " + shared));
  }

  private void note(String what) {
    diary.add(what);
  }

  void run() throws IOException {
    try {
      if (random.nextInt(3) > 0) {
        // Two that know nothing of each other: two jobs, or one and its copy.
        quiet = true;
        start();
        endure();
        if (random.nextBoolean()) {
          copyAll(true);
        }
        placement = place(3);
        start();
        endure();
        quiet = false;
        placement = place(random.nextBoolean() ? 1 + random.nextInt(4) : 5);
      }
      for (int starts = 3 + random.nextInt(3); starts > 0; starts--) {
        start();
        endure();
        happen();
      }
    } catch (AssertionError | RuntimeException e) {
      e.addSuppressed(new RuntimeException("diary:\n  " + String.join("\n  ", diary)));
      throw e;
    }
  }

  // ---------------------------------------------------------------- what happens in between

  private void happen() throws IOException {
    int[] before = placement;
    if (random.nextInt(2) == 0) {
      placement = place(random.nextInt(8));
    }
    if (!Arrays.equals(before, placement)) {
      suggested = Optional.empty();
    }
    switch (random.nextInt(14)) {
      case 0 -> loseNode();
      case 1, 2 -> copyDirectory();
      case 3 -> copyAll(random.nextBoolean());
      case 5 -> damage();
      case 6 -> misplace();
      default -> {}
    }
    if (scratch.isPresent()) {
      happenTo(scratch.get());
    }
  }

  private void happenTo(Scratch shared) throws IOException {
    switch (random.nextInt(8)) {
      case 0, 1 -> {
        List<String> gone = shared.purge(stage.starts() - random.nextInt(3));
        note("  purged " + gone);
        if (!gone.isEmpty()) {
          reached("purged");
        }
      }
      case 2 -> {
        note("  all nodes lost their disks");
        stage.nodes.forEach(Host::lose);
        damaged.clear();
      }
      case 3 -> shared.damage(random).ifPresent(name -> note("  damaged " + name));
      default -> {}
    }
  }

  /** One half of the nodes or the other, a part of each, or any. */
  private int[] place(int draw) {
    if (draw == 0) {
      List<Integer> all = new ArrayList<>(IntStream.range(0, nodes).boxed().toList());
      Collections.shuffle(all, random);
      return all.subList(0, ranks).stream().mapToInt(Integer::intValue).toArray();
    }
    int mixed = 1 + random.nextInt((1 << ranks) - 2);
    return IntStream.range(0, ranks)
        .map(
            rank ->
                switch (draw) {
                  case 1, 2 -> rank;
                  case 3, 4 -> ranks + rank;
                  default -> rank + ranks * (mixed >> rank & 1);
                })
        .toArray();
  }

  /** A copy of one half of the nodes on the other, which may go on beside its original. */
  private void copyAll(boolean up) throws IOException {
    note("  copied all of %s".formatted(up ? "the lower half" : "the upper half"));
    for (int rank = 0; rank < ranks; rank++) {
      int from = up ? rank : ranks + rank;
      int to = up ? ranks + rank : rank;
      stage.nodes.get(to).lose();
      damaged.keySet().removeIf(place -> place.startsWith(to + "/"));
      for (String directory : stage.nodes.get(from).names()) {
        stage.copy(from, directory, to, directory);
      }
      for (String place : List.copyOf(damaged.keySet())) {
        if (place.startsWith(from + "/")) {
          damaged.put(to + place.substring(place.indexOf('/')), damaged.get(place));
        }
      }
    }
  }

  private void loseNode() {
    int node = random.nextInt(nodes);
    note("  node " + node + " lost its disks");
    stage.nodes.get(node).lose();
    damaged.keySet().removeIf(place -> place.startsWith(node + "/"));
  }

  /** A backup, or a copy by hand: to the same directory of another node, or beside it. */
  private void copyDirectory() throws IOException {
    int from = random.nextInt(nodes);
    List<String> directories = stage.nodes.get(from).names();
    if (directories.isEmpty()) {
      return;
    }
    String directory = directories.get(random.nextInt(directories.size()));
    int to = random.nextInt(nodes);
    String target = random.nextInt(3) == 0 ? "rank" + (5 + random.nextInt(4)) : directory;
    if (from == to && target.equals(directory)) {
      return;
    }
    note("  copied %s of node %d to %s of node %d".formatted(directory, from, target, to));
    if (random.nextBoolean()) {
      stage.nodes.get(to).forget(target);
      damaged.keySet().removeIf(place -> place.startsWith(to + "/" + target + "/"));
    }
    stage.copy(from, directory, to, target);
    String source = from + "/" + directory + "/";
    String copies = to + "/" + target + "/";
    for (String place : List.copyOf(damaged.keySet())) {
      if (place.startsWith(copies) && stage.nodes.get(from).names().contains(directory)) {
        damaged.remove(place);
      }
    }
    for (String place : List.copyOf(damaged.keySet())) {
      if (place.startsWith(source)) {
        damaged.put(copies + place.substring(source.length()), damaged.get(place));
      }
    }
  }

  private Optional<Seen> anyFile() throws IOException {
    List<Seen> files = stage.look(IntStream.range(0, nodes).toArray());
    return files.isEmpty()
        ? Optional.empty()
        : Optional.of(files.get(random.nextInt(files.size())));
  }

  private void damage() throws IOException {
    Optional<Seen> file = anyFile();
    if (file.isPresent()) {
      Seen one = file.get();
      note("  damaged " + one.place());
      damaged.computeIfAbsent(one.place(), _ -> new TreeSet<>()).addAll(one.ids());
      stage
          .nodes
          .get(one.node())
          .damage(one.directory(), one.file(), 1 + random.nextInt(40), random);
    }
  }

  /** Somebody copies a container over that of another rank. */
  private void misplace() throws IOException {
    Optional<Seen> file = anyFile();
    if (file.isPresent() && !damaged.containsKey(file.get().place())) {
      Seen one = file.get();
      int rank = random.nextInt(ranks);
      int node = random.nextInt(nodes);
      String name = random.nextInt(3) == 0 ? "copy.cairn" : FileNames.local(rank);
      note("  copied %s over %s of node %d".formatted(one.place(), name, node));
      Stage.write(
          stage.store(node, rank),
          name,
          Stage.read(stage.nodes.get(one.node()).open(one.directory()), one.file()));
      damaged.remove(node + "/rank" + rank + "/" + name);
      reached("misplaced");
    }
  }

  /** What becomes of the nodes when a start has ended, in whatever way. */
  private void endure() throws IOException {
    for (Host node : stage.nodes) {
      if (!quiet && random.nextInt(4) == 0) {
        node.crashed(random);
      } else {
        node.killed();
      }
    }
    if (scratch.isPresent()) {
      if (!quiet && random.nextInt(4) == 0) {
        scratch.get().crashed(random);
      } else {
        scratch.get().killed();
      }
    }
  }

  // ---------------------------------------------------------------- what can be seen

  /** What the nodes of a start hold of jobs of one name, and what the oracle makes of it. */
  private final class Look {
    final List<Seen> files;
    final Map<VersionId, Instant> visible = new TreeMap<>();
    final Set<VersionId> past = new HashSet<>();
    final Set<VersionId> producible = new TreeSet<>();
    final Set<VersionId> flushed = new HashSet<>();
    final Set<RunId> known = new HashSet<>();
    final Set<RunId> pending = new HashSet<>();
    final Set<RunId> took = new HashSet<>();
    boolean isAnythingUnreadable;

    Look(String name) throws IOException {
      files = new ArrayList<>();
      for (Seen one : stage.look(placement)) {
        Ownership ownership = one.ownership();
        boolean doubtful = damaged.containsKey(one.place());
        isAnythingUnreadable |= doubtful || ownership == null;
        if (ownership != null && ownership.lineage().name().equals(name)) {
          files.add(one);
        }
      }
      for (int node : placement) {
        for (String directory : stage.nodes.get(node).names()) {
          isAnythingUnreadable |=
              stage.nodes.get(node).open(directory).list().stream()
                  .anyMatch(file -> file.contains(".damaged"));
        }
      }
      for (Seen one : files) {
        for (VersionInfo info : one.versions()) {
          visible.merge(info.id(), info.takenAt(), (a, b) -> a.isAfter(b) ? a : b);
        }
        RunId writer = Objects.requireNonNull(one.ownership()).lineage().run().id();
        Truth truth = runs.get(writer);
        if (truth != null && !damaged.containsKey(one.place())) {
          known.addAll(truth.knows);
        }
      }
      if (scratch.isPresent()) {
        look(scratch.get(), name);
      }
      visible.keySet().forEach(version -> took.add(version.run()));
      for (RunId run : known) {
        truth(run).leftBehind.forEach(version -> took.add(version.run()));
        truth(run).ancestors.forEach(version -> took.add(version.run()));
      }
      for (RunId run : known) {
        if (took.contains(run) || truth(run).chosen) {
          past.addAll(truth(run).leftBehind);
        }
        if (!took.contains(run) && truth(run).chosen && !isGivenUp(run)) {
          pending.add(run);
        }
      }
      for (VersionId version : visible.keySet()) {
        if (version.ranks() == ranks
            && IntStream.range(0, ranks).allMatch(rank -> isThere(rank, version))) {
          producible.add(version);
        }
      }
    }

    private void look(Scratch shared, String name) throws IOException {
      SharedDirectory.Survey survey = shared.survey();
      isAnythingUnreadable |= shared.hasDamage() || !survey.problems().isEmpty();
      for (SharedDirectory.Sighting one : survey.versions()) {
        if (one.lineage().name().equals(name)) {
          visible.merge(one.id(), one.takenAt(), (a, b) -> a.isAfter(b) ? a : b);
          known.addAll(truth(one.lineage().run().id()).knows);
          if (shared.isWhole(one)) {
            flushed.add(one.id());
          }
        }
      }
    }

    private boolean isGivenUp(RunId choice) {
      return known.stream()
          .map(World.this::truth)
          .anyMatch(
              later ->
                  later.start > truth(choice).start
                      && truth(choice).ancestors.stream().anyMatch(later.leftBehind::contains));
    }

    private boolean isThere(int rank, VersionId version) {
      return flushed.contains(version)
          || files.stream()
              .anyMatch(
                  one ->
                      Objects.requireNonNull(one.ownership()).rank() == rank
                          && one.ownership().kind() != Ownership.PARITY
                          && !one.file().endsWith(".new")
                          && one.ids().contains(version)
                          && !damaged.containsKey(one.place()));
    }

    List<VersionId> present() {
      return visible.keySet().stream().filter(version -> !isPast(version)).toList();
    }

    boolean isPast(VersionId version) {
      return known.stream()
          .filter(run -> took.contains(run) || truth(run).chosen)
          .map(World.this::truth)
          .anyMatch(run -> isUpTo(run.leftBehind, version) && !isUpTo(run.ancestors, version));
    }

    /** Present, or what something present comes from. */
    boolean isAlive(VersionId version) {
      return !isPast(version)
          || present().stream().anyMatch(later -> descends(later, version))
          || pending.stream().anyMatch(run -> isUpTo(truth(run).ancestors, version));
    }

    @Override
    public String toString() {
      return "%d files, present %s, past %s, producible %s%s"
          .formatted(
              files.size(),
              exact(present()),
              exact(visible.keySet().stream().filter(this::isPast).toList()),
              exact(producible),
              isAnythingUnreadable ? ", something unreadable" : "");
    }
  }

  private static List<String> exact(Collection<VersionId> versions) {
    return versions.stream().map(VersionId::exact).toList();
  }

  private Truth truth(RunId run) {
    Truth truth = runs.get(run);
    if (truth == null) {
      throw new AssertionError("nobody ever started run " + run);
    }
    return truth;
  }

  /** Whether the state of a version was computed from another. */
  private boolean descends(VersionId later, VersionId earlier) {
    return later.run().equals(earlier.run())
        ? earlier.compareTo(later) <= 0
        : isUpTo(truth(later.run()).ancestors, earlier);
  }

  /** Whether a version is one of these, or was taken by the same run before one of them. */
  private static boolean isUpTo(Set<VersionId> limits, VersionId version) {
    return limits.stream()
        .anyMatch(limit -> limit.run().equals(version.run()) && version.compareTo(limit) <= 0);
  }

  private boolean areRelated(VersionId one, VersionId other) {
    return descends(one, other) || descends(other, one);
  }

  // ---------------------------------------------------------------- a start

  private void start() throws IOException {
    String name = quiet ? "" : List.of("", "", "", "", "b", "b-20251116").get(random.nextInt(6));
    Look look = new Look(name);
    Tiers used = scratch.map(shared -> shared.addTo(tiers)).orElse(tiers);
    Start start = stage.start(placement).job(name).tiers(used).retain(retain);
    start.options = start.options.asynchronous(random.nextInt(3) == 0);
    start.request(request(look));
    if (!arm(start)) {
      start.options = start.options.flushOnClose(Duration.ofSeconds(20));
    }
    note(
        "start %d%s on %s, %s; there are %s"
            .formatted(
                start.number,
                name.isEmpty() ? "" : " of " + name,
                Arrays.toString(placement),
                start.request,
                look));
    Map<String, Long> before = stage.checksums();
    Map<String, Long> sharedBefore = scratch.isPresent() ? scratch.get().checksums() : Map.of();
    start.steps(random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(3));
    Map<String, Long> after = stage.checksums();
    note("  " + outcome(start) + report(start).map(report -> " " + report.problems()).orElse(""));
    learn(start, name, look);
    judge(start, look);
    checkFiles(start, look, before, after);
    if (scratch.isPresent()) {
      checkShared(start, sharedBefore, scratch.get().checksums());
      scratch.get().age(start.number, sharedBefore);
    }
    suggest(start, look);
  }

  private static String outcome(Start start) {
    return Arrays.stream(start.reports)
            .map(
                report ->
                    report == null
                        ? "none"
                        : report.version().map(VersionId::exact).orElse("nothing"))
            .toList()
        + " "
        + Arrays.stream(start.failures)
            .filter(Objects::nonNull)
            .map(failure -> String.valueOf(failure).lines().findFirst().orElse(""))
            .toList();
  }

  private RestartRequest request(Look look) {
    if (suggested.isPresent() && random.nextInt(4) > 0) {
      RestartRequest chosen = RestartRequest.newest().job(suggested.get());
      suggested = Optional.empty();
      return chosen;
    }
    int draw = quiet ? 19 : random.nextInt(20);
    if (draw == 0) {
      return RestartRequest.beginAnew();
    }
    // Forks of one job in the shared directory come from falling back; let there be many.
    boolean back = draw == 1 || scratch.isPresent() && draw >= 5 && draw < 10;
    if (back && !look.producible.isEmpty()) {
      List<VersionId> all = List.copyOf(look.producible);
      return RestartRequest.newest().version(all.get(random.nextInt(all.size())));
    }
    return draw < 5 ? RestartRequest.newest().orBeginAnew() : RestartRequest.newest();
  }

  private void suggest(Start start, Look look) {
    List<VersionId> present = look.present();
    if (refusal(start).isPresent() && !present.isEmpty()) {
      VersionId one = present.get(random.nextInt(present.size()));
      suggested = Optional.of(one.run().toString());
    }
  }

  /** Whether anybody will die. */
  private boolean arm(Start start) {
    int victim = random.nextInt(ranks);
    long at = 1 + random.nextLong(random.nextInt(3) == 0 ? 40 : 200);
    switch (quiet ? 7 : random.nextInt(8)) {
      case 0 -> stage.store(placement[victim], victim).crashAt(at);
      case 1 ->
          start.comm =
              plain -> {
                LossyCommunicator lossy = new LossyCommunicator(plain, at);
                if (plain.rank() == victim) {
                  lossy.killAt(at);
                }
                return lossy;
              };
      default -> {
        return false;
      }
    }
    note("  rank " + victim + " may die at " + at);
    return true;
  }

  // ---------------------------------------------------------------- learning what happened

  private Optional<RestartReport> report(Start start) {
    return Arrays.stream(start.reports).filter(Objects::nonNull).findFirst();
  }

  private static Optional<CheckpointUnavailableException> refusal(Start start) {
    return Arrays.stream(start.failures)
        .filter(CheckpointUnavailableException.class::isInstance)
        .map(CheckpointUnavailableException.class::cast)
        .findFirst();
  }

  private void learn(Start start, String name, Look look) throws IOException {
    completed.addAll(start.completed.keySet());
    tokens.putAll(start.taken);
    for (Host node : stage.nodes) {
      node.killed(); // so that everything can be looked at
    }
    for (Seen one : stage.look(placement)) {
      Ownership ownership = one.ownership();
      if (ownership != null && !runs.containsKey(ownership.lineage().run().id())) {
        learn(start, name, look, ownership.lineage());
      }
    }
    for (VersionId version : start.completed.keySet()) {
      assertThat(runs).as("the run of %s is in no file", version).containsKey(version.run());
    }
  }

  private void learn(Start start, String name, Look look, Lineage lineage) {
    RunInfo info = lineage.run();
    Truth truth = new Truth(start.number, name, info.id());
    runs.put(info.id(), truth);
    truth.chosen = info.chosen();
    boolean asked =
        start.request.isChoice()
            || start.request.otherwise() == RestartRequest.Otherwise.BEGIN_ANEW_ANYWAY;
    assertThat(info.chosen() || !asked).as("what a person chose must be durable").isTrue();
    if (info.chosen() && !asked) {
      assertThat(!look.pending.isEmpty() || info.continues().isEmpty() || !damaged.isEmpty())
          .as("nobody chose anything")
          .isTrue();
    }
    info.continues()
        .ifPresent(
            version -> {
              report(start).ifPresent(report -> assertThat(report.version()).contains(version));
              truth.ancestors.addAll(truth(version.run()).ancestors);
              look.visible.keySet().stream()
                  .filter(one -> one.run().equals(version.run()))
                  .filter(one -> one.compareTo(version) <= 0)
                  .forEach(truth.ancestors::add);
              tokens.keySet().stream()
                  .filter(one -> one.run().equals(version.run()))
                  .filter(one -> one.compareTo(version) <= 0)
                  .forEach(truth.ancestors::add);
              truth.ancestors.add(version);
              truth.continued = Optional.of(version);
            });
    truth.leftBehind.addAll(look.visible.keySet());
    truth.leftBehind.addAll(look.past);
    truth.leftBehind.removeAll(truth.ancestors);
    truth.knows.add(info.id());
    // Of other jobs a run keeps what they left behind, not who they were.
    look.known.stream()
        .filter(run -> Objects.equals(jobs.get(run), lineage.job()))
        .forEach(truth.knows::add);
    jobs.put(info.id(), lineage.job());
  }

  // ---------------------------------------------------------------- judging

  private void judge(Start start, Look look) {
    Set<Optional<VersionId>> answers =
        Arrays.stream(start.reports)
            .filter(Objects::nonNull)
            .map(RestartReport::version)
            .collect(Collectors.toSet());
    assertThat(answers).as("ranks were told different versions").hasSizeLessThanOrEqualTo(1);
    for (Throwable failure : start.failures) {
      if (failure != null && !isExpected(failure)) {
        throw new AssertionError("failed for no reason: " + failure, failure);
      }
    }
    Optional<CheckpointUnavailableException> refused = refusal(start);
    if (refused.isPresent()) {
      assertThat(answers).isEmpty();
      judgeRefusal(start, look, refused.get().getMessage());
      return;
    }
    if (answers.isEmpty()) {
      reached("died before it was restored");
      return;
    }
    Optional<VersionId> version = answers.iterator().next();
    if (version.isPresent()) {
      judgeRestored(start, look, version.get());
    } else {
      judgeBegun(start, look);
    }
  }

  private static boolean isExpected(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof Killed
          || cause instanceof SimulatedCrash
          || cause instanceof CommunicationException
          || cause instanceof CheckpointUnavailableException
          || String.valueOf(cause.getMessage()).contains("imulated")
          || String.valueOf(cause.getMessage()).contains("it failed on another rank")) {
        return true;
      }
    }
    return false;
  }

  private void judgeRestored(Start start, Look look, VersionId version) {
    reached("restored");
    assertThat(look.visible).as("restored what is not there").containsKey(version);
    Set<Long> found = new HashSet<>();
    for (int rank = 0; rank < ranks; rank++) {
      if (start.reports[rank] != null && start.tokens[rank] != 0) {
        found.add(start.tokens[rank]);
      }
    }
    assertThat(found).as("states of different versions are mixed").hasSizeLessThanOrEqualTo(1);
    for (long token : found) {
      Stage.Origin origin = stage.origins.get(token);
      assertThat(origin).as("a state that nobody ever had").isNotNull();
      assertThat(origin.start()).as("of another run").isEqualTo(truth(version.run()).start);
      Long saved = tokens.putIfAbsent(version, token);
      assertThat(saved == null || saved == token).as("another state than was saved").isTrue();
    }
    report(start).ifPresent(report -> noteRare(report));
    if (start.request.isChoice()) {
      reached("chosen");
      return;
    }
    assertThat(look.isAlive(version))
        .as("%s was left behind and came back", version.exact())
        .isTrue();
    for (VersionId other : look.present()) {
      if (descends(other, version) && !other.equals(version)) {
        if (look.producible.contains(other) && !isForked(other, look)) {
          throw new AssertionError(other.exact() + " is newer than " + version.exact());
        }
        reached("fell back");
      } else if (!areRelated(other, version)) {
        reached("restored beside another life");
        assertThat(look.producible.contains(other) && !isForked(other, look))
            .as("%s has as good a claim as %s", other.exact(), version.exact())
            .isFalse();
        assertThat(look.visible.get(other))
            .as("%s was taken later than %s", other.exact(), version.exact())
            .isBefore(look.visible.get(version));
      }
    }
  }

  /** Whether two lives descend from a version, which then speaks for neither. */
  private boolean isForked(VersionId version, Look look) {
    List<VersionId> later =
        look.present().stream().filter(other -> descends(other, version)).toList();
    return later.stream()
        .anyMatch(one -> later.stream().anyMatch(other -> !areRelated(one, other)));
  }

  private void noteRare(RestartReport report) {
    report.origins().stream()
        .filter(origin -> !origin.equals("local"))
        .forEach(origin -> reached("rebuilt from " + origin.replaceAll(" .*", "")));
    if (report.problems().stream().anyMatch(text -> text.contains("is lost"))) {
      reached("damage found");
    }
  }

  private void judgeBegun(Start start, Look look) {
    if (start.request.otherwise() == RestartRequest.Otherwise.BEGIN_ANEW_ANYWAY) {
      reached("begun anew");
      return;
    }
    if (start.request.otherwise() == RestartRequest.Otherwise.BEGIN_ANEW
        && report(start).orElseThrow().problems().stream()
            .anyMatch(line -> line.startsWith("BEGINS ANEW"))) {
      reached("begun anew for want of anything better");
      judgeRefusal(start, look, "");
      return;
    }
    if (!look.files.isEmpty()) {
      reached("again");
    }
    Set<VersionId> saved = new TreeSet<>(look.present());
    saved.retainAll(completed);
    assertThat(saved).as("begins from nothing in silence").isEmpty();
    for (VersionId version : scratch.map(Scratch::damagedVersions).orElse(Set.of())) {
      boolean mine = truth(version.run()).name.equals(start.options.job());
      assertThat(mine && completed.contains(version) && !look.isPast(version))
          .as("%s was in a damaged file of the shared directory, and is passed over", version)
          .isFalse();
    }
    damaged.forEach(
        (place, versions) -> {
          int node = Integer.parseInt(place.substring(0, place.indexOf('/')));
          if (Arrays.stream(placement).anyMatch(used -> used == node)) {
            for (VersionId version : versions) {
              boolean mine = truth(version.run()).name.equals(start.options.job());
              assertThat(mine && completed.contains(version) && !look.isPast(version))
                  .as("%s was in damaged %s, and is passed over", version.exact(), place)
                  .isFalse();
            }
          }
        });
  }

  /** Whether what a person chose, in vain so far, is the same life as all that is there. */
  private boolean goesWith(Truth choice, List<VersionId> present) {
    return choice.continued.isEmpty()
        || present.stream().allMatch(version -> areRelated(version, choice.continued.get()));
  }

  private void judgeRefusal(Start start, Look look, String message) {
    List<VersionId> present = look.present();
    boolean clear =
        present.stream().allMatch(one -> present.stream().allMatch(o -> areRelated(one, o)))
            && look.pending.stream().allMatch(run -> goesWith(truth(run), present));
    if (!clear) {
      reached("fork refused");
      Set<String> tips = new TreeSet<>();
      for (VersionId one : present) {
        if (present.stream().noneMatch(o -> !o.equals(one) && descends(o, one))) {
          tips.add(one.exact());
        }
      }
      if (!message.isEmpty() && !start.request.isChoice() && message.contains("lives")) {
        assertThat(message).contains(tips);
      }
      return;
    }
    reached("refused");
    if (!start.request.isChoice() && !look.isAnythingUnreadable) {
      Set<VersionId> usable = new TreeSet<>(look.producible);
      usable.removeIf(version -> !look.isAlive(version));
      assertThat(usable).as("refused though there was no doubt: %s", message).isEmpty();
    }
  }

  // ---------------------------------------------------------------- files

  private void checkFiles(Start start, Look look, Map<String, Long> before, Map<String, Long> after)
      throws IOException {
    Truth run = run(start);
    Map<String, Seen> seen = new HashMap<>();
    look.files.forEach(one -> seen.put(one.place(), one));
    for (String place : before.keySet()) {
      if (!before.get(place).equals(after.get(place))) {
        boolean refused = refusal(start).isPresent();
        if (look.isAnythingUnreadable && holdsTheSame(seen.get(place))) {
          reached("opened in vain"); // before the damage was found
        } else {
          assertThat(!refused && isOurs(seen.get(place), run, place))
              .as("%s is of another life and was changed or deleted", place)
              .isTrue();
        }
      }
    }
    if (refusal(start).isPresent()) {
      assertThat(before.keySet()).as("a refused start makes no file").containsAll(after.keySet());
    }
    if (after.keySet().stream()
        .anyMatch(place -> !before.containsKey(place) && place.matches(".*@[0-9a-f]{8}\\..*"))) {
      reached("beside another file");
    }
  }

  private @Nullable Truth run(Start start) {
    return runs.values().stream().filter(run -> run.start == start.number).findFirst().orElse(null);
  }

  /** What was in the shared directory goes only if it is of the very life that goes on. */
  private void checkShared(Start start, Map<String, Long> before, Map<String, Long> after) {
    Truth run = run(start);
    before.forEach(
        (name, sum) -> {
          Optional<VersionId> version = Scratch.version(name);
          if (version.isPresent() && !sum.equals(after.get(name))) {
            assertThat(run != null && isOursToCollect(run, name) && refusal(start).isEmpty())
                .as("%s is of another life and was changed or deleted", name)
                .isTrue();
            reached("collected");
          }
        });
    if (refusal(start).isPresent()) {
      after.keySet().removeAll(before.keySet());
      after.keySet().removeIf(name -> Scratch.version(name).isEmpty());
      assertThat(after).as("a refused start makes no file").isEmpty();
    }
  }

  /**
   * Segments may go that nobody refers to, of all runs that this one comes from; what a manifest
   * makes a version of is of this life only up to where the life left that run.
   */
  private static boolean isOursToCollect(Truth run, String name) {
    VersionId version = Scratch.version(name).orElseThrow();
    boolean segment = SharedNames.segment(name).isPresent();
    return isUpTo(run.ancestors, version)
        || segment && run.ancestors.stream().anyMatch(one -> one.run().equals(version.run()));
  }

  private boolean holdsTheSame(@Nullable Seen file) throws IOException {
    return file != null
        && stage.look(file.node()).stream()
            .anyMatch(
                now ->
                    now.place().equals(file.place())
                        && now.ids().equals(file.ids())
                        && Objects.equals(now.ownership(), file.ownership()));
  }

  /** Whether nothing is in a file but what the run descends from, or fell back from. */
  private boolean isOurs(@Nullable Seen file, @Nullable Truth run, String place) {
    boolean scratch = place.endsWith(".new") || place.contains(".rebuilt.");
    if (scratch || damaged.containsKey(place)) {
      return true;
    }
    if (file == null || run == null) {
      return run == null; // it died before it had a name; what it rebuilt is scratch
    }
    return file.ids().stream()
        .allMatch(
            version ->
                isUpTo(run.ancestors, version)
                    || isUpTo(run.leftBehind, version)
                        && file.ownership() != null
                        && run.knows.contains(version.run()));
  }
}
