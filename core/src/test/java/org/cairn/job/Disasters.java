// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.cairn.Checkpoint;
import org.cairn.CheckpointFailedException;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Checkpointer;
import org.cairn.Compression;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.WhenBusy;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.RankFailedException;
import org.cairn.comm.Ranks;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.supply.Supply;
import org.cairn.testkit.comm.Killed;
import org.cairn.testkit.comm.LossyCommunicator;
import org.cairn.testkit.memory.Remains;
import org.cairn.testkit.schedule.Simulation;
import org.cairn.testkit.schedule.Steps;
import org.cairn.testkit.schedule.Trace;
import org.cairn.testkit.store.AskingDirectories;
import org.cairn.testkit.store.AskingStore;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.SharedDisk;
import org.cairn.testkit.store.SimulatedCrash;
import org.cairn.tier.FileNames;
import org.cairn.tier.partner.Partners;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * A small parallel program that lives several times, on machines where everything goes wrong, and a
 * model of what must be left of it: after each restart the state of one and the same step on all
 * ranks, at least as new as the newest one that the model knows to have survived.
 */
final class Disasters {
  /** How often the rare things happened, over all runs. */
  static final Map<String, AtomicInteger> REACHED = new ConcurrentHashMap<>();

  /** All of them, of which none must be left when it is over. */
  static final Remains REMAINS = new Remains();

  private static final long LIFE = 1000;

  private final Random random;
  private final Simulation simulation;
  private final int ranks;
  private final List<Host> hosts = new ArrayList<>();
  private int[] placement;
  private final Options options;
  private final List<String> diary = Collections.synchronizedList(new ArrayList<>());

  /** What each rank had at each step, by mark. */
  private final Map<Long, RankState.Snapshot[]> history = new ConcurrentSkipListMap<>();

  private final Holdings safe;

  /** The directory that all hosts see, sooner or later; in some disasters there is none. */
  private final Optional<SharedDisk> shared;

  private final int sharedEvery;

  /** After so long a node sees what another one has done there. */
  private final Duration seenWithin;

  /** Whether a life begins late enough to see what the one before it left there. */
  private boolean seesShared = true;

  /** Whether a life may have gone on from an older version than is in the shared directory. */
  private boolean passedOver;

  /** Disks that were taken out, and may come back with what everybody has forgotten. */
  private final List<Away> away = new ArrayList<>();

  /** Hosts with disks that came back. */
  private final Set<Integer> returned = new TreeSet<>();

  private final Duration[] skews;
  private long life;
  private long[] usualMessages;
  private long[] usualWrites;

  private record Away(int host, Map<String, CrashingStore> disks) {}

  Disasters(long seed) {
    this(new Random(seed));
  }

  Disasters(Random random) {
    this(random, false);
  }

  /** Disasters with a shared directory in which segments are compressed. */
  static Disasters compressed(Random random) {
    return new Disasters(random, true);
  }

  private Disasters(Random random, boolean compressed) {
    this.random = random;
    this.simulation = REMAINS.of(new Simulation(random.nextLong(1L << 40)));
    this.ranks = Integer.getInteger("cairn.ranks", 2 + random.nextInt(3));
    this.placement = IntStream.range(0, ranks).toArray();
    for (int i = 0; i < ranks; i++) {
      hosts.add(new Host("host" + i, random.nextLong(1 << 30)));
    }
    this.seenWithin = Duration.ofMillis(20L << random.nextInt(5));
    this.shared =
        random.nextInt(3) == 0 || compressed || Boolean.getBoolean("cairn.shared")
            ? Optional.of(new SharedDisk(random.nextLong(1 << 30), seenWithin))
            : Optional.empty();
    this.sharedEvery = 1 + random.nextInt(2);
    Tiers drawn = drawTiers();
    Tiers tiers = compressed ? drawn.compression(Compression.fast()).frame(4 << 10) : drawn;
    this.options =
        Options.defaults()
            .flushOnClose(Duration.ZERO) // ranks die here, and others must not wait for them
            .random(new Random(random.nextLong())::nextLong)
            .waitAtMost(Duration.ofMillis(600))
            .blockSize(256)
            .threads(1 + random.nextInt(2))
            .buffer(2 << 20)
            .staging(4 << 20)
            .retain(1 + random.nextInt(3))
            .asynchronous(random.nextBoolean())
            .whenBusy(random.nextInt(3) == 0 ? WhenBusy.SKIP : WhenBusy.WAIT)
            .tiers(tiers);
    int distance = Math.max(1, tiers.partnerDistance());
    Partners partners =
        Partners.at(distance, IntStream.range(0, ranks).mapToObj(i -> "" + i).toList());
    this.safe = new Holdings(partners, ranks, tiers.every(TierKind.PARTNER) > 0);
    this.skews = new Duration[ranks];
    Arrays.setAll(skews, rank -> Duration.ofSeconds(random.nextInt(1200) - 600));
    if (random.nextBoolean()) {
      simulation.delayingOnceIn(40, Duration.ofMillis(2));
    }
    this.usualMessages = new long[ranks];
    this.usualWrites = new long[ranks];
    note(
        "%d ranks, %s, shared directory %s, asynchronous %s"
            .formatted(ranks, tiers, shared.isPresent(), options.asynchronous()));
  }

  /** Partner copies always, unless there is a shared directory to fall back on. */
  private Tiers drawTiers() {
    boolean alone = shared.isPresent() && random.nextInt(3) == 0;
    int every = random.nextInt(4) == 0 ? 2 : 1;
    int distance = ranks > 2 && random.nextInt(3) == 0 ? 2 : 0;
    Tiers tiers =
        Tiers.none()
            .partner(alone ? 0 : every)
            .partnerDistance(alone ? 0 : distance)
            .erasure(random.nextInt(3) == 0 ? 1 + random.nextInt(2) : 0)
            .patience(random.nextBoolean() ? Duration.ofMillis(500) : Duration.ZERO);
    return shared.isEmpty()
        ? tiers
        : tiers
            .sharedGroup(1 + random.nextInt(3))
            .sharedRetain(1 + random.nextInt(2))
            .leaseRest(seenWithin.multipliedBy(4))
            .visibility(seenWithin.multipliedBy(2));
  }

  /** Every rank has a clock of its own, and all of them are wrong. */
  private Options options(int rank, AskingStore.Question alive) {
    Options own = options.clock(simulation.clock(skews[rank]));
    return shared
        .map(disk -> own.tiers(own.tiers().shared(seenBy(rank, disk, alive), sharedEvery)))
        .orElse(own);
  }

  private Store seenBy(int rank, SharedDisk disk, AskingStore.Question alive) {
    return Steps.of(new AskingStore(disk.seenFrom(hosts.get(placement[rank]).name()), alive));
  }

  private void pause(Duration time) {
    try {
      simulation.clock().pause(time);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void note(String what) {
    diary.add(what);
  }

  static void reached(String what) {
    REACHED.computeIfAbsent(what, key -> new AtomicInteger()).incrementAndGet();
  }

  /** Tells each line of the trace as it happens. */
  Disasters telling(Consumer<String> listener) {
    simulation.telling(listener);
    return this;
  }

  /** Lives and dies, a few times. */
  Trace run() throws Exception {
    return simulation.run(this::lives);
  }

  private void lives() throws IOException {
    try {
      int lives = 2 + random.nextInt(3);
      for (life = 1; life <= lives; life++) {
        live(life == lives ? Doom.NONE : Doom.values()[random.nextInt(Doom.values().length)]);
        if (life < lives) {
          strike();
        }
      }
    } catch (AssertionError | RuntimeException e) {
      simulation.note("failed");
      e.addSuppressed(new RuntimeException("diary:\n  " + String.join("\n  ", diary)));
      throw e;
    }
  }

  /** What happens while the program runs. */
  private enum Doom {
    NONE,
    KILLED,
    KILLED_EARLY,
    SILENT,
    STORE_CRASHES,
    STORE_CRASHES_EARLY,
    DISK_FULL,
    FORCE_FAILS,
    PAUSED,
    CUT_OFF,
    LINK_LOST,
    TWIN;

    /** Whether the program must not notice. */
    boolean isHarmless() {
      return this == NONE || this == TWIN;
    }
  }

  // ---------------------------------------------------------------- living

  private void live(Doom doom) throws IOException {
    int victim = random.nextInt(ranks);
    int steps = 1 + random.nextInt(4);
    long seed = random.nextLong(1 << 30);
    note(
        "life "
            + life
            + ": "
            + doom
            + " of rank "
            + victim
            + ", placed "
            + Arrays.toString(placement));
    Life current = new Life(doom, victim, steps, seed);
    arm(doom, victim);
    Optional<Throwable> end = current.run();
    note("  ended: " + end.map(Throwable::toString).orElse("well"));
    current.learn();
    if (end.isPresent()) {
      judge(end.get(), doom, current);
    }
  }

  private CrashingStore storeOf(int rank) {
    return hosts.get(placement[rank]).create("rank" + rank);
  }

  private void arm(Doom doom, int victim) {
    CrashingStore store = storeOf(victim);
    long writes = Math.max(20, usualWrites[victim]);
    switch (doom) {
      case STORE_CRASHES -> store.crashAt(1 + random.nextLong(writes));
      case STORE_CRASHES_EARLY -> store.crashAt(1 + random.nextLong(25));
      case FORCE_FAILS -> store.failForce(3 + random.nextLong(20));
      default -> {}
    }
  }

  /** Only what was made to fail may have failed. */
  private void judge(Throwable end, Doom doom, Life current) throws IOException {
    List<Throwable> all = new ArrayList<>(List.of(end.getSuppressed()));
    for (Throwable one : all) {
      if (one instanceof CheckpointUnavailableException && isUnclear(one)) {
        current.unclear = true;
      } else if (one instanceof CheckpointUnavailableException) {
        assertThat(safe.best(seesShared))
            .as("lost though %s was safe: %s", safe.best(seesShared), one)
            .isEmpty();
        assertThat(one.getMessage()).contains("no version can be restored on all ranks");
        for (int rank = 0; rank < ranks; rank++) {
          assertThat(one.getMessage()).contains("rank " + rank + ": local");
        }
        current.unavailable = true;
      } else if (!isExpected(one, doom)) {
        throw new AssertionError("rank failed for no reason: " + one, one);
      }
    }
    if ((current.unavailable || current.unclear) && doom.isHarmless()) {
      assertThat(all).allMatch(CheckpointUnavailableException.class::isInstance);
    }
    if (current.unclear) {
      reached("unclear");
      takeOutWhatCameBack();
    } else if (current.unavailable) {
      reached("unavailable");
      startAnew();
    }
  }

  /** Of several lives a person has to choose; here it is always that which went on. */
  private static boolean isUnclear(Throwable refusal) {
    return String.valueOf(refusal.getMessage()).contains("it is not clear which to go on with");
  }

  private void takeOutWhatCameBack() throws IOException {
    assertThat(passedOver || !returned.isEmpty()).as("something came back").isTrue();
    if (passedOver) {
      shared.ifPresent(SharedDisk::lose);
      safe.loseShared();
      passedOver = false;
    }
    for (int host : List.copyOf(returned)) {
      loseHost(host);
    }
  }

  private static boolean isExpected(Throwable failure, Doom doom) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof Killed
          || cause instanceof SimulatedCrash
          || cause instanceof CommunicationException) {
        return !doom.isHarmless();
      }
      String text = String.valueOf(cause.getMessage());
      if (text.contains("imulated") || text.contains("since a write failed")) {
        return !doom.isHarmless();
      }
    }
    return false;
  }

  private void startAnew() throws IOException {
    takeOut(random.nextInt(ranks));
    hosts.forEach(Host::lose);
    returned.clear();
    shared.ifPresent(SharedDisk::lose);
    passedOver = false;
    safe.loseAll();
  }

  /** One run of the program. */
  private final class Life {
    private final Doom doom;
    private final int victim;
    private final int steps;
    private final long seed;
    private final long[] restored = new long[ranks];
    private final @Nullable RestartReport[] reports = new RestartReport[ranks];
    private final Map<Long, Set<TierKind>> told = new TreeMap<>();
    private final Optional<Long> expected = safe.best(seesShared);
    private final AtomicInteger refused = new AtomicInteger();
    private final Map<Integer, Throwable> failures = new TreeMap<>();
    private final AtomicInteger left = new AtomicInteger(ranks);
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger closing = new AtomicInteger();
    private final AtomicInteger twins = new AtomicInteger();
    private final AtomicInteger intruders = new AtomicInteger();
    private long cutUntil = -1;
    private boolean linkLost;
    private boolean unavailable;
    private boolean unclear;

    Life(Doom doom, int victim, int steps, long seed) {
      this.doom = doom;
      this.victim = victim;
      this.steps = steps;
      this.seed = seed;
      Arrays.fill(restored, -1);
    }

    /** Who is killed without a word never ends: nobody can wait for all. */
    Optional<Throwable> run() {
      Supply.started(
          () -> {
            try {
              Ranks.run(ranks, rank -> hosts.get(placement[rank]).name(), this::live);
            } catch (RankFailedException e) {
              // Every rank has kept its own.
            }
          },
          "ranks");
      if (doom == Doom.TWIN) {
        Supply.started(this::comeTwice, "twins");
      }
      pauseUntil(() -> left.get() == (simulation.isDead(group(victim)) ? 1 : 0));
      pauseUntil(() -> twins.get() == 0);
      assertThat(intruders).as("ranks that came into a job that runs").hasValue(0);
      if (simulation.isDead(group(victim))) {
        reached("killed without a word");
      } else if (failures.isEmpty()) {
        return Optional.empty();
      }
      RuntimeException all = new RuntimeException("ranks failed: " + failures.keySet());
      failures.values().forEach(all::addSuppressed);
      return Optional.of(all);
    }

    /** Somebody starts the same job again, while it runs. */
    private void comeTwice() {
      twins.set(ranks);
      pauseUntil(() -> opened.get() == ranks || left.get() < ranks);
      try {
        Ranks.run(ranks, rank -> hosts.get(placement[rank]).name(), this::intrude);
      } catch (RankFailedException e) {
        reached("refused to come twice");
      }
    }

    private void intrude(Communicator plain) {
      int rank = plain.rank();
      simulation.enter("life" + life + ".twin" + rank);
      LossyCommunicator comm = new LossyCommunicator(plain, seed);
      try (Checkpointer _ =
          Checkpointer.open(doors(rank, comm), comm, options(rank, alive(comm)))) {
        if (opened.get() == ranks && closing.get() == 0) {
          intruders.incrementAndGet();
        }
      } finally {
        twins.decrementAndGet();
      }
    }

    private String group(int rank) {
      return "life" + life + ".rank" + rank;
    }

    private void live(Communicator plain) {
      int rank = plain.rank();
      simulation.enter(group(rank));
      if (rank == victim && doom == Doom.SILENT) {
        simulation.killAt(group(rank), 1 + new Random(seed).nextLong(600));
      } else if (rank == victim && doom == Doom.PAUSED) {
        Random own = new Random(seed);
        simulation.pauseAt(
            group(rank), 1 + own.nextLong(600), Duration.ofMillis(1 + own.nextInt(2000)));
      }
      try {
        program(plain);
      } catch (Throwable e) {
        failures.put(rank, e);
        throw e;
      } finally {
        closing.incrementAndGet();
        left.decrementAndGet();
      }
    }

    /** From some message on, for a while, nothing goes from the victim to others, or to it. */
    private void cutOff(LossyCommunicator comm) {
      Random own = new Random(seed);
      long first = 1 + own.nextLong(Math.max(50, usualMessages[victim]));
      long length = Duration.ofMillis(1 + own.nextInt(2000)).toNanos();
      if (comm.rank() != victim) {
        comm.cut(victim, () -> simulation.clock().nanos() < cutUntil);
        return;
      }
      for (int other = 0; other < ranks; other++) {
        comm.cut(
            other,
            () -> {
              long now = simulation.clock().nanos();
              if (cutUntil < 0 && comm.operations() >= first) {
                reached("cut off");
                cutUntil = now + length;
              }
              return now < cutUntil;
            });
      }
    }

    /**
     * From some message on the victim and one other rank do not reach each other any more: either
     * their messages are not sent and wait for ever, or they are sent and lost.
     */
    private void loseLink(LossyCommunicator comm) {
      Random own = new Random(seed);
      long first = 1 + own.nextLong(Math.max(50, usualMessages[victim]));
      int other = (victim + 1 + own.nextInt(ranks - 1)) % ranks;
      boolean waits = own.nextBoolean();
      BooleanSupplier isGone =
          () -> {
            if (!linkLost && comm.rank() == victim && comm.operations() >= first) {
              reached(waits ? "a link that is cut for good" : "a link that loses everything");
              linkLost = true;
            }
            return linkLost;
          };
      if (comm.rank() == victim || comm.rank() == other) {
        int to = comm.rank() == victim ? other : victim;
        if (waits) {
          comm.cut(to, isGone);
        } else {
          comm.lose(to, isGone);
        }
      }
    }

    private void pauseUntil(BooleanSupplier end) {
      while (!end.getAsBoolean()) {
        pause(Duration.ofMillis(10));
      }
    }

    private void program(Communicator plain) {
      int rank = plain.rank();
      LossyCommunicator comm = new LossyCommunicator(plain, seed);
      Random own = new Random(seed);
      if (rank == victim && doom == Doom.KILLED) {
        comm.killAt(1 + own.nextLong(Math.max(50, usualMessages[rank])));
      } else if (rank == victim && doom == Doom.KILLED_EARLY) {
        comm.killAt(1 + own.nextLong(60));
      } else if (doom == Doom.CUT_OFF) {
        cutOff(comm);
      } else if (doom == Doom.LINK_LOST) {
        loseLink(comm);
      }
      long writes = storeOf(rank).operations();
      try (Checkpointer cairn =
          Checkpointer.open(doors(rank, comm), comm, options(rank, alive(comm)))) {
        opened.incrementAndGet();
        RankState state = new RankState(rank, 500 + 150 * rank);
        state.protect(cairn);
        RestartReport report = cairn.restart();
        check(rank, cairn, state, report);
        compute(rank, comm, cairn, state);
        closing.incrementAndGet();
      } catch (CheckpointUnavailableException e) {
        awaitOthers();
        throw e;
      } finally {
        usualMessages[rank] = Math.max(usualMessages[rank], comm.operations());
        if (!storeOf(rank).hasCrashed()) {
          usualWrites[rank] = Math.max(usualWrites[rank], storeOf(rank).operations() - writes);
        }
      }
    }

    /**
     * Of a rank that was killed nothing is written or unlocked while its threads come to an end.
     */
    private Directories doors(int rank, LossyCommunicator comm) {
      AskingStore.Question alive = alive(comm);
      return Steps.of(new AskingDirectories(hosts.get(placement[rank]), alive, alive));
    }

    private static AskingStore.Question alive(LossyCommunicator comm) {
      return (call, about) -> comm.checkAlive();
    }

    /** The first rank to end would take the others with it before they have got their answer. */
    private void awaitOthers() {
      refused.incrementAndGet();
      long end = simulation.clock().nanos() + Duration.ofMillis(500).toNanos();
      pauseUntil(() -> refused.get() == ranks || simulation.clock().nanos() > end);
    }

    private void check(int rank, Checkpointer cairn, RankState state, RestartReport report) {
      reports[rank] = report;
      long mark = report.version().isPresent() ? state.mark() : 0;
      restored[rank] = mark;
      RankState.Snapshot found =
          state.restored(cairn, report.version().isEmpty() || report.restored().contains("extra"));
      if (mark > 0) {
        RankState.Snapshot[] saved = history.get(mark);
        assertThat(saved).as("nobody ever had mark %d", mark).isNotNull();
        if (!found.matches(saved[rank])) {
          fail("rank %d got %s, not %s".formatted(rank, found, saved[rank]));
        }
      }
    }

    private void compute(int rank, LossyCommunicator comm, Checkpointer cairn, RankState state) {
      Random own = new Random(seed); // the same on all ranks
      List<Taken> handles = new ArrayList<>();
      for (int step = 1; step <= steps; step++) {
        long mark = life * LIFE + step;
        state.advance(cairn, mark);
        history.computeIfAbsent(mark, key -> new RankState.Snapshot[ranks])[rank] =
            state.snapshot();
        if (doom == Doom.DISK_FULL && rank == victim) {
          fillOrEmpty(step);
        }
        boolean awaits = own.nextInt(3) > 0;
        TierKind awaited =
            shared.isPresent() && own.nextBoolean() ? TierKind.SHARED : TierKind.PARTNER;
        try {
          Checkpoint taken = cairn.checkpoint();
          if (!taken.isSkipped()) {
            handles.add(new Taken(mark, taken));
            requireFreshEpoch(rank, taken.version());
            if (awaits && taken.tiers().contains(awaited)) {
              taken.await(awaited);
            }
          }
        } catch (CheckpointFailedException e) {
          dieIfDead(rank, comm, e);
          reached("agreed failure");
        }
        handles.forEach(this::observe);
      }
      handles.forEach(this::observe);
    }

    /** Whatever a run can know of is older than what it takes: no epoch is used twice. */
    private void requireFreshEpoch(int rank, VersionId taken) {
      RestartReport report = reports[rank];
      if (report != null && report.version().isPresent()) {
        assertThat(taken.epoch())
            .as("the epoch of %s, taken after a restart from %s", taken, report.version().get())
            .isGreaterThan(report.version().get().epoch());
      }
    }

    private void dieIfDead(int rank, LossyCommunicator comm, CheckpointFailedException e) {
      storeOf(rank).list(); // throws if it has crashed
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof Killed || cause instanceof CommunicationException) {
          throw e;
        }
      }
      comm.poll(Communicator.ANY_SOURCE, Communicator.ANY_TAG); // throws if it was killed
    }

    private void fillOrEmpty(int step) {
      try {
        if (step == 2) {
          storeOf(victim).fillDiskAfter(0);
        } else if (step == 4) {
          storeOf(victim).emptyDisk();
        }
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    private void observe(Taken one) {
      if (one.checkpoint.isDurable()) {
        Set<TierKind> tiers = told.computeIfAbsent(one.mark, key -> new TreeSet<>());
        Stream.of(TierKind.LOCAL, TierKind.PARTNER, TierKind.SHARED)
            .filter(one.checkpoint::isAt)
            .forEach(tiers::add);
      }
    }

    /** After it has ended, in whatever way: what is known now. */
    void learn() {
      long[] known = Arrays.stream(restored).filter(mark -> mark >= 0).distinct().toArray();
      assertThat(known).as("ranks restored different steps").hasSizeLessThanOrEqualTo(1);
      if (known.length == 0) {
        if (doom == Doom.KILLED_EARLY || doom == Doom.STORE_CRASHES_EARLY) {
          reached("died before anything was restored");
        }
        return;
      }
      if (Arrays.stream(restored).anyMatch(mark -> mark < 0)) {
        reached("died while others had restored");
      }
      note("  restored " + known[0] + ", told " + told);
      expected.ifPresent(
          mark ->
              assertThat(known[0]).as("an older step than was safe").isGreaterThanOrEqualTo(mark));
      noteRare(known[0]);
      passedOver |= safe.best(true).filter(mark -> mark > known[0]).isPresent();
      safe.learn(known[0], told, placement);
    }

    private void noteRare(long mark) {
      for (RestartReport report : reports) {
        if (report == null) {
          continue;
        }
        report.origins().stream()
            .filter(origin -> !origin.equals("local"))
            .forEach(origin -> reached("rebuilt from " + origin.replaceAll(" .*", "")));
        if (report.problems().stream().anyMatch(text -> text.startsWith("version"))) {
          reached("damage found");
          if (safe.isNewer(mark)) {
            reached("older version than the newest");
          }
        }
      }
    }
  }

  private record Taken(long mark, Checkpoint checkpoint) {}

  // ---------------------------------------------------------------- dying

  private void strike() throws IOException {
    for (Host host : hosts) {
      if (random.nextInt(3) == 0) {
        host.crashed(random);
        if (shared.isPresent()) {
          shared.get().died(host.name());
        }
      } else {
        host.killed();
      }
    }
    if (random.nextInt(4) == 0) {
      reschedule();
    }
    int losses = random.nextInt(10);
    if (losses < 5) {
      loseHost(random.nextInt(ranks));
    }
    if (losses == 0) {
      loseHost(random.nextInt(ranks));
    }
    if (!away.isEmpty() && random.nextInt(2) == 0) {
      bringBack();
    } else if (random.nextInt(8) == 0) {
      note("  everything was thrown away but the disks of one host");
      reached("begun anew by a person");
      startAnew();
    }
    if (random.nextInt(4) == 0) {
      damage(random.nextInt(ranks), random.nextBoolean());
    }
    if (shared.isPresent()) {
      strike(shared.get());
    }
  }

  private void takeOut(int host) throws IOException {
    note("  took out disks of host " + host);
    hosts.get(host).killed(); // what was to fail is not to fail when they come back
    away.add(new Away(host, hosts.get(host).takeOut()));
  }

  private void bringBack() throws IOException {
    Away back = away.remove(random.nextInt(away.size()));
    loseHost(back.host);
    note("  disks of host " + back.host + " came back");
    reached("disks came back");
    hosts.get(back.host).putBack(back.disks);
    returned.add(back.host);
  }

  private void loseHost(int host) throws IOException {
    note("  lost host " + host);
    returned.remove(host);
    if (random.nextInt(3) == 0) {
      takeOut(host);
    }
    hosts.get(host).lose();
    safe.lose(host, placement);
  }

  private void reschedule() {
    List<Integer> shuffled = new ArrayList<>(Arrays.stream(placement).boxed().toList());
    Collections.shuffle(shuffled, random);
    placement = shuffled.stream().mapToInt(Integer::intValue).toArray();
    note("  placed anew " + shuffled);
  }

  /** In the file that the newest version is in, wherever that is. */
  private void damage(int owner, boolean copy) throws IOException {
    for (int i = 0; i < ranks; i++) {
      for (int directory = 0; directory < ranks; directory++) {
        String file = copy ? FileNames.partner(owner) : FileNames.local(owner);
        if (hosts.get(i).damage("rank" + directory, file, 1 + random.nextInt(4), random)) {
          note("  damaged " + file + " in rank" + directory + " on host " + i);
        }
      }
    }
    safe.damage(owner, copy);
  }

  // ---------------------------------------------------------------- the shared directory

  private void strike(SharedDisk disk) throws IOException {
    seesShared = random.nextInt(3) > 0;
    if (seesShared) {
      pause(seenWithin);
    }
    if (random.nextInt(4) == 0) {
      disk.crashed(random);
    }
    int losses = random.nextInt(10);
    if (losses == 0) {
      note("  lost the shared directory");
      disk.lose();
      safe.loseShared();
    } else if (losses == 1) {
      damage(disk);
    }
  }

  private void damage(SharedDisk disk) throws IOException {
    List<String> files = disk.truth().list();
    if (!files.isEmpty()) {
      String file = files.get(random.nextInt(files.size()));
      note("  damaged " + file);
      Host.flipBits(disk.truth(), file, 1 + random.nextInt(4), random);
      safe.damageShared();
    }
  }
}
