// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.cairn.Checkpoint;
import org.cairn.CheckpointBuilder;
import org.cairn.CheckpointFailedException;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Checkpointer;
import org.cairn.Dataset;
import org.cairn.Options;
import org.cairn.Part;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.RankFailedException;
import org.cairn.comm.Ranks;
import org.cairn.store.Directories;
import org.cairn.supply.Supply;
import org.cairn.testkit.comm.Killed;
import org.cairn.testkit.comm.LossyCommunicator;
import org.cairn.testkit.memory.Remains;
import org.cairn.testkit.schedule.Simulation;
import org.cairn.testkit.schedule.Steps;
import org.cairn.testkit.store.AskingDirectories;
import org.cairn.testkit.store.AskingStore;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.SharedDisk;
import org.cairn.testkit.store.SimulatedCrash;
import org.cairn.tier.FileNames;

/**
 * A job that lives several times, each time with another number of ranks and other settings, where
 * everything goes wrong; and a model of what must be left: after each restart the state of one
 * step, the same on all ranks, at least as new as one that is known to have survived.
 *
 * <p>Hosts are either one place that all ranks see, where directories of ranks are lost one by one,
 * or three machines with disks of their own, which are lost with all on them.
 */
final class ChangingRanks {
  /** How often the rare things happened, over all runs. */
  static final Map<String, AtomicInteger> REACHED = new ConcurrentHashMap<>();

  /** All of them, of which none must be left when it is over. */
  static final Remains REMAINS = new Remains();

  private static final int MACHINES = 3;

  /** Nothing. */
  private static final long NONE = 0;

  private final Random random;
  private final Simulation simulation;
  private final DividedJob job;
  private final boolean onePlace;
  private final List<Host> hosts = new ArrayList<>();
  private final Optional<SharedDisk> shared;
  private final List<String> diary = Collections.synchronizedList(new ArrayList<>());

  /** A step that is there if nothing is lost; one that is there if a directory is, or a machine. */
  private long safe = NONE;

  private long safeIfOneIsLost = NONE;

  /** What was taken away and may come back. */
  private final List<Away> away = new ArrayList<>();

  private boolean somethingCameBack;
  private int life;

  private record Away(int host, Map<String, CrashingStore> directories) {}

  ChangingRanks(long seed) {
    this.random = new Random(seed);
    this.simulation = REMAINS.of(new Simulation(random.nextLong(1L << 40)));
    this.job = new DividedJob(random.nextLong(1 << 20));
    this.onePlace = random.nextBoolean();
    for (int i = 0; i < (onePlace ? 1 : MACHINES); i++) {
      hosts.add(new Host("host" + i, random.nextLong(1 << 30)));
    }
    this.shared =
        random.nextInt(3) == 0
            ? Optional.of(new SharedDisk(random.nextLong(1 << 30), Duration.ofMillis(20)))
            : Optional.empty();
    note(
        "%s, shared directory %s"
            .formatted(onePlace ? "one place" : "machines", shared.isPresent()));
  }

  private void note(String what) {
    diary.add(what);
  }

  static void reached(String what) {
    REACHED.computeIfAbsent(what, _ -> new AtomicInteger()).incrementAndGet();
  }

  /** Lives and dies, a few times. */
  void run() throws Exception {
    simulation.run(this::lives);
  }

  private void lives() throws IOException {
    try {
      int lives = 3 + random.nextInt(3);
      for (life = 1; life <= lives; life++) {
        live(life == lives ? Doom.NONE : Doom.values()[random.nextInt(Doom.values().length)]);
        if (life < lives) {
          strike();
        }
      }
    } catch (AssertionError | RuntimeException e) {
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
    STORE_CRASHES_EARLY
  }

  // ---------------------------------------------------------------- living

  private void live(Doom doom) throws IOException {
    int ranks = onePlace ? 1 + random.nextInt(5) : MACHINES + random.nextInt(3);
    Life now = new Life(doom, ranks);
    note(
        "life %d: %d ranks, %s of rank %d, %s".formatted(life, ranks, doom, now.victim, now.tiers));
    now.run();
    note("  restored %s, told %s, failed %s".formatted(now.restored(), now.told, now.failures));
    now.judge();
  }

  private Host hostOf(int rank) {
    return hosts.get(onePlace ? 0 : rank % MACHINES);
  }

  /** One run of the program. */
  private final class Life {
    private final Doom doom;
    private final int ranks;
    private final int victim;
    private final int steps;
    private final long seed;
    private final Tiers tiers;
    private final Options options;
    private final long[] restored;
    private final int[] items;
    private final Map<Integer, Throwable> failures = new TreeMap<>();
    private final AtomicInteger left;
    private final AtomicInteger refused = new AtomicInteger();

    /** Of each tier the newest step that a rank was told to be there. */
    private final Map<TierKind, Long> told = new TreeMap<>();

    private boolean secured = true;

    Life(Doom doom, int ranks) {
      this.doom = doom;
      this.ranks = ranks;
      this.victim = random.nextInt(ranks);
      this.steps = 1 + random.nextInt(3);
      this.seed = random.nextLong(1 << 30);
      this.restored = new long[ranks];
      Arrays.fill(restored, -1);
      this.items = new int[ranks];
      this.left = new AtomicInteger(ranks);
      boolean copies = random.nextInt(4) > 0;
      Tiers local =
          Tiers.none().partner(copies ? 1 : 0).erasure(!copies || random.nextInt(3) == 0 ? 1 : 0);
      this.tiers =
          shared.isEmpty()
              ? local
              : local
                  .sharedGroup(1 + random.nextInt(3))
                  .leaseRest(Duration.ofMillis(80))
                  .visibility(Duration.ofMillis(40));
      this.options =
          Options.defaults()
              .flushOnClose(Duration.ZERO) // ranks die here, and others must not wait for them
              .random(new Random(random.nextLong())::nextLong)
              .waitAtMost(Duration.ofMillis(600))
              .blockSize(128 + 8 * random.nextInt(30))
              .threads(1)
              .buffer(2 << 20)
              .staging(4 << 20)
              .retain(1 + random.nextInt(3))
              .asynchronous(random.nextBoolean())
              .tiers(tiers);
    }

    String restored() {
      return Arrays.toString(restored);
    }

    private String group(int rank) {
      return "life" + life + ".rank" + rank;
    }

    private String domain(int rank) {
      return onePlace ? "node" + rank : hostOf(rank).name();
    }

    private CrashingStore storeOf(int rank) {
      return hostOf(rank).create(FileNames.directory(rank));
    }

    void run() {
      if (doom == Doom.STORE_CRASHES || doom == Doom.STORE_CRASHES_EARLY) {
        storeOf(victim).crashAt(1 + random.nextLong(doom == Doom.STORE_CRASHES ? 150 : 25));
      }
      Supply.started(
          () -> {
            try {
              Ranks.run(ranks, this::domain, this::live);
            } catch (RankFailedException e) {
              // Every rank has kept its own.
            }
          },
          "ranks");
      pauseUntil(() -> left.get() == (simulation.isDead(group(victim)) ? 1 : 0));
    }

    private void live(Communicator plain) {
      int rank = plain.rank();
      simulation.enter(group(rank));
      if (rank == victim && doom == Doom.SILENT) {
        simulation.killAt(group(rank), 1 + new Random(seed).nextLong(600));
      }
      try {
        program(plain);
      } catch (Throwable e) {
        failures.put(rank, e);
        throw e;
      } finally {
        left.decrementAndGet();
      }
    }

    private void program(Communicator plain) {
      int rank = plain.rank();
      LossyCommunicator comm = new LossyCommunicator(plain, seed);
      if (rank == victim && doom == Doom.KILLED) {
        comm.killAt(1 + new Random(seed).nextLong(400));
      } else if (rank == victim && doom == Doom.KILLED_EARLY) {
        comm.killAt(1 + new Random(seed).nextLong(90));
      }
      AskingStore.Question alive = (_, _) -> comm.checkAlive();
      Directories doors = Steps.of(new AskingDirectories(hostOf(rank), alive, alive));
      try (Checkpointer cairn = Checkpointer.open(doors, comm, options(rank, alive))) {
        DividedJob.Rank state = job.new Rank(cairn, new DividedJob.Life(ranks, life), rank);
        RestartReport report = state.restart(request());
        restored(rank, state, report);
        for (int step = 0; step < steps; step++) {
          state.advance();
          take(cairn, comm, rank, state.step());
        }
      } catch (CheckpointUnavailableException e) {
        awaitOthers();
        throw e;
      }
    }

    /** Where room is made, files go before there are as many versions: nothing is lost by it. */
    private RestartRequest request() {
      RestartRequest newest = RestartRequest.newest().dropping("late");
      return seed % 3 == 0 ? newest.makeRoom() : newest;
    }

    private Options options(int rank, AskingStore.Question alive) {
      Options own = options.clock(simulation.clock(Duration.ofSeconds(rank - 2L)));
      return shared
          .map(
              disk ->
                  own.tiers(
                      tiers.shared(
                          Steps.of(new AskingStore(disk.seenFrom(domain(rank)), alive)), 1)))
          .orElse(own);
    }

    private void restored(int rank, DividedJob.Rank state, RestartReport report) {
      restored[rank] = report.isRestored() ? state.step() : 0;
      items[rank] = state.items();
      secured &= report.problems().stream().noneMatch(text -> text.contains("did not get to"));
      if (report.version().filter(version -> version.ranks() != ranks).isPresent()) {
        reached("another number");
        report.origins().stream()
            .map(origin -> "from " + origin.replaceAll(" .*", ""))
            .distinct()
            .forEach(ChangingRanks::reached);
      }
      if (!report.problems().isEmpty()) {
        reached("damage or loss told");
      }
    }

    private void take(Checkpointer cairn, LossyCommunicator comm, int rank, long step) {
      try {
        Checkpoint taken = step % 2 == 0 ? cairn.checkpoint() : stepByStep(cairn, rank);
        if (new Random(seed + step).nextBoolean()) {
          taken.tiers().forEach(taken::await);
        }
        taken.tiers().stream().filter(taken::isAt).forEach(kind -> tell(kind, step));
        if (taken.isDurable()) {
          tell(TierKind.LOCAL, step);
        }
      } catch (CheckpointFailedException e) {
        storeOf(rank).list(); // throws if it has crashed
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
          if (cause instanceof Killed || cause instanceof CommunicationException) {
            throw e;
          }
        }
        comm.checkAlive();
        reached("agreed failure");
      }
    }

    /** With something that is known only when the checkpoint is open. */
    private Checkpoint stepByStep(Checkpointer cairn, int rank) {
      try (CheckpointBuilder builder = cairn.begin()) {
        builder.add("step");
        Part part = Part.of(new long[] {10L * ranks}, new long[] {10L * rank}, new long[] {3});
        Dataset late = cairn.protect("late", new long[3]).part(part.holes(-1));
        try {
          builder.add(late);
          return builder.commit();
        } finally {
          cairn.unprotect("late");
        }
      }
    }

    private void tell(TierKind kind, long step) {
      told.merge(kind, step, Math::max);
    }

    private void awaitOthers() {
      refused.incrementAndGet();
      long end = simulation.clock().nanos() + Duration.ofMillis(500).toNanos();
      pauseUntil(() -> refused.get() == ranks || simulation.clock().nanos() > end);
    }

    private void pauseUntil(BooleanSupplier end) {
      while (!end.getAsBoolean()) {
        try {
          simulation.clock().pause(Duration.ofMillis(10));
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }

    // -------------------------------------------------------------- what is known afterwards

    void judge() {
      long[] known = Arrays.stream(restored).filter(step -> step >= 0).distinct().toArray();
      assertThat(known).as("ranks restored different steps").hasSizeLessThanOrEqualTo(1);
      if (known.length == 1) {
        assertThat(known[0]).as("an older step than was safe").isGreaterThanOrEqualTo(safe);
        learn(known[0]);
      }
      boolean all = Arrays.stream(restored).allMatch(step -> step > 0);
      if (all) {
        assertThat(Arrays.stream(items).sum())
            .as("items at step %d", restored[0])
            .isEqualTo(DividedJob.itemsAt(restored[0]));
      }
      boolean unclear = false;
      boolean unavailable = false;
      for (Throwable one : failures.values()) {
        if (one instanceof CheckpointUnavailableException) {
          boolean fork = String.valueOf(one.getMessage()).contains("not clear which");
          unclear |= fork;
          unavailable |= !fork;
        } else {
          assertThat(isExpected(one)).as("failed for no reason: %s", one).isTrue();
        }
      }
      if (unclear) {
        assertThat(somethingCameBack).as("what is unclear came back").isTrue();
        reached("unclear");
        beginAnew();
      } else if (unavailable) {
        assertThat(safe).as("lost though it was safe: %s", failures).isEqualTo(NONE);
        reached("unavailable");
        beginAnew();
      }
    }

    private void learn(long step) {
      boolean bears =
          ranks > 1
              && secured
              && (tiers.every(TierKind.PARTNER) > 0
                  || onePlace && tiers.every(TierKind.ERASURE) > 0);
      safe = Math.max(step, told.getOrDefault(TierKind.LOCAL, NONE));
      long elsewhere = told.getOrDefault(TierKind.PARTNER, NONE);
      elsewhere = Math.max(elsewhere, told.getOrDefault(TierKind.SHARED, NONE));
      if (onePlace) {
        elsewhere = Math.max(elsewhere, told.getOrDefault(TierKind.ERASURE, NONE));
      }
      // Who fell back to an older step has given up what was newer.
      safeIfOneIsLost = Math.min(safeIfOneIsLost, safe);
      safeIfOneIsLost = Math.max(safeIfOneIsLost, Math.max(bears ? step : NONE, elsewhere));
    }

    private boolean isExpected(Throwable failure) {
      for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
        String text = String.valueOf(cause.getMessage());
        if (cause instanceof Killed
            || cause instanceof SimulatedCrash
            || cause instanceof CommunicationException
            || text.contains("imulated")
            || text.contains("since a write failed")) {
          return doom != Doom.NONE;
        }
      }
      return false;
    }
  }

  private void beginAnew() {
    hosts.forEach(Host::lose);
    shared.ifPresent(SharedDisk::lose);
    away.clear();
    somethingCameBack = false;
    safe = NONE;
    safeIfOneIsLost = NONE;
    note("  began anew");
  }

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
    pause();
    int losses = random.nextInt(8);
    if (losses < 4) {
      loseOne();
    }
    if (losses == 0) {
      loseOne();
    }
    if (!away.isEmpty() && random.nextInt(3) == 0) {
      bringBack();
    }
    if (losses >= 4 && random.nextInt(3) == 0) {
      damage();
    }
  }

  private void pause() {
    try {
      simulation.clock().pause(Duration.ofMillis(100));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void oneIsLost() {
    safe = safeIfOneIsLost;
    safeIfOneIsLost = NONE;
  }

  private void loseOne() {
    int number = random.nextInt(hosts.size());
    Host host = hosts.get(number);
    Map<String, CrashingStore> gone = new TreeMap<>();
    if (onePlace) {
      List<String> names = host.names();
      if (names.isEmpty()) {
        return;
      }
      String name = names.get(random.nextInt(names.size()));
      gone.put(name, host.create(name));
      host.forget(name);
    } else {
      gone.putAll(host.takeOut());
    }
    note("  lost " + gone.keySet() + " of " + host.name());
    if (random.nextInt(2) == 0) {
      away.add(new Away(number, gone));
    }
    oneIsLost();
  }

  /** In the place of what is there now, which is lost so. */
  private void bringBack() {
    Away back = away.remove(random.nextInt(away.size()));
    note("  came back: " + back.directories.keySet() + " of host " + back.host);
    reached("came back");
    Host host = hosts.get(back.host);
    if (!onePlace) {
      host.lose();
    }
    back.directories.forEach(host::put);
    somethingCameBack = true;
    oneIsLost();
  }

  private void damage() throws IOException {
    Host host = hosts.get(random.nextInt(hosts.size()));
    List<String> places = new ArrayList<>();
    for (String directory : host.names()) {
      for (String file : host.open(directory).list()) {
        if (FileNames.isContainer(file)) {
          places.add(directory + "/" + file);
        }
      }
    }
    if (!places.isEmpty()) {
      String[] place = places.get(random.nextInt(places.size())).split("/");
      host.damage(place[0], place[1], 1 + random.nextInt(4), random);
      note("  damaged " + String.join("/", place));
      oneIsLost();
    }
  }
}
