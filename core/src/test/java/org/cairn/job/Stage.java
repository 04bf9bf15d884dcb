// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;
import org.cairn.Checkpoint;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.Tiers;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;
import org.cairn.comm.RankFailedException;
import org.cairn.comm.Ranks;
import org.cairn.container.ContainerReader;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.tier.FileNames;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Nodes with disks of their own, on which programs are started again and again. The state of a
 * program tells by itself where it comes from: it is a function of one number, the token, and every
 * start and step makes another one of it. Two ranks with different tokens, or elements that do not
 * belong to theirs, are a mixture.
 */
final class Stage {
  static final Options SMALL =
      Options.defaults()
          .blockSize(128)
          .threads(1)
          .buffer(2 << 20)
          .staging(4 << 20)
          .flushOnClose(Duration.ZERO); // who dies must not wait for others

  final List<Host> nodes = new ArrayList<>();

  /** What is known of each token: the start that made it, how many steps in, and from which. */
  final Map<Long, Origin> origins = new ConcurrentHashMap<>();

  private final long seed;
  private final AtomicLong time = new AtomicLong(1_700_000_000_000L);
  private int starts;

  /** Where a state comes from. */
  record Origin(int start, int step, long before) {}

  Stage(int nodes, long seed) {
    this.seed = seed;
    for (int i = 0; i < nodes; i++) {
      this.nodes.add(new Host("node" + i, seed + 100L * i));
    }
  }

  /** Time passes whenever somebody looks at the clock. */
  private final class Ticking implements Clock {
    @Override
    public Instant now() {
      return Instant.ofEpochMilli(time.addAndGet(10));
    }

    @Override
    public long nanos() {
      return System.nanoTime();
    }
  }

  static long mix(long... parts) {
    long hash = 7;
    for (long part : parts) {
      hash = new SplittableRandom(hash * 31 + part).nextLong();
    }
    return hash;
  }

  /** How many there were. */
  int starts() {
    return starts;
  }

  Start start(int... placement) {
    return new Start(placement);
  }

  /** What ranks do once they are restored. */
  interface Work {
    void run(Actor actor) throws Exception;
  }

  /** One start of a program, on nodes. */
  final class Start {
    final int number = ++starts;
    final int[] placement;
    RestartRequest request = RestartRequest.newest();
    Options options = SMALL.tiers(Tiers.none().partner(1));
    UnaryOperator<Communicator> comm = plain -> plain;
    UnaryOperator<Directories> view = directories -> directories;
    boolean restarts = true;

    final @Nullable RestartReport[] reports;
    final @Nullable Throwable[] failures;
    final long[] tokens;

    /** Versions and what was saved as such, whatever became of it. */
    final Map<VersionId, Long> taken = new ConcurrentHashMap<>();

    /** Versions that a rank was told to be durable on all. */
    final Map<VersionId, Long> completed = new ConcurrentHashMap<>();

    private Start(int[] placement) {
      this.placement = placement;
      this.reports = new RestartReport[placement.length];
      this.failures = new Throwable[placement.length];
      this.tokens = new long[placement.length];
    }

    Start job(String name) {
      options = options.job(name);
      return this;
    }

    Start tiers(Tiers tiers) {
      options = options.tiers(tiers);
      return this;
    }

    Start retain(int versions) {
      options = options.retain(versions);
      return this;
    }

    Start request(RestartRequest wanted) {
      request = wanted;
      return this;
    }

    /** Takes so many steps with a checkpoint each. */
    Start steps(int count) {
      return run(
          actor -> {
            for (int i = 0; i < count; i++) {
              actor.step();
              actor.checkpoint();
            }
          });
    }

    Start run(Work work) {
      Options mine = options.clock(new Ticking());
      CountDownLatch end = new CountDownLatch(placement.length);
      try {
        Ranks.run(
            placement.length,
            rank -> nodes.get(placement[rank]).name(),
            plain -> {
              Random own = new Random(mix(seed, number, plain.rank()));
              try {
                live(plain, mine.random(own::nextLong), work);
              } catch (CheckpointUnavailableException | IllegalStateException e) {
                failures[plain.rank()] = e; // as on all ranks
              } catch (Exception | Error e) {
                failures[plain.rank()] = e;
                throw e;
              } finally {
                end.countDown();
              }
              // The first to end would take the others with it before they have their answer.
              end.await(20, TimeUnit.SECONDS);
            });
      } catch (RankFailedException e) {
        // Every rank has kept its own failure.
      }
      return this;
    }

    private void live(Communicator plain, Options mine, Work work) throws Exception {
      int rank = plain.rank();
      Communicator ranks = comm.apply(plain);
      try (Checkpointer cairn =
          Checkpointer.open(view.apply(nodes.get(placement[rank])), ranks, mine)) {
        Actor actor = new Actor(this, rank, cairn);
        if (restarts) {
          reports[rank] = cairn.restart(request);
          actor.check();
          if (!Objects.requireNonNull(reports[rank]).isRestored()) {
            actor.begin();
          }
          tokens[rank] = actor.token();
        } else {
          actor.begin();
        }
        try {
          work.run(actor);
        } finally {
          actor.observe();
        }
      }
    }

    /** The version that all ranks were restored to; fails if any was not. */
    VersionId version() {
      return report().version().orElseThrow(() -> new AssertionError("began from nothing"));
    }

    RestartReport report() {
      succeeds();
      return Objects.requireNonNull(reports[0]);
    }

    /** The token that all ranks have after the restart. */
    long token() {
      succeeds();
      if (Arrays.stream(tokens).distinct().count() != 1) {
        throw new AssertionError("mixed: " + Arrays.toString(tokens));
      }
      return tokens[0];
    }

    /** The start whose state it was restored to. */
    int origin() {
      return Objects.requireNonNull(origins.get(token())).start;
    }

    Start succeeds() {
      for (Throwable failure : failures) {
        if (failure != null) {
          throw new AssertionError("start " + number + " failed", failure);
        }
      }
      return this;
    }

    /** What all ranks were refused with. */
    String refused(Class<? extends Throwable> kind) {
      for (Throwable failure : failures) {
        if (!kind.isInstance(failure)) {
          throw new AssertionError("not refused: " + Arrays.toString(failures), failure);
        }
      }
      return String.valueOf(Objects.requireNonNull(failures[0]).getMessage());
    }
  }

  /** One rank of a program. */
  final class Actor {
    final int rank;
    final Checkpointer cairn;
    private final Start start;
    private final LongCell token;
    private final long[] u;
    private final List<Checkpoint> handles = new ArrayList<>();
    private int steps;

    private Actor(Start start, int rank, Checkpointer cairn) {
      this.start = start;
      this.rank = rank;
      this.cairn = cairn;
      this.token = cairn.protect("token", 0L);
      this.u = new long[40 + 8 * rank];
      cairn.protect("u", u);
    }

    long token() {
      return token.get();
    }

    void begin() {
      become(mix(seed, start.number), new Origin(start.number, 0, 0));
    }

    void step() {
      steps++;
      long before = token.get();
      become(mix(before, start.number, steps), new Origin(start.number, steps, before));
    }

    private void become(long next, Origin origin) {
      origins.put(next, origin);
      token.set(next);
      for (int i = 0; i < u.length; i++) {
        u[i] = mix(next, rank, i);
      }
    }

    void checkpoint() {
      Checkpoint checkpoint = cairn.checkpoint();
      start.taken.put(checkpoint.version(), token.get());
      handles.add(checkpoint);
      observe();
    }

    private void observe() {
      for (Checkpoint one : handles) {
        if (one.isDurable()) {
          start.completed.put(one.version(), start.taken.get(one.version()));
        }
      }
    }

    /** That the state is what its token says, of this rank. */
    void check() {
      for (int i = 0; i < u.length; i++) {
        long expected = token.get() == 0 ? 0 : mix(token.get(), rank, i);
        if (u[i] != expected) {
          throw new AssertionError(
              "rank %d: element %d does not belong to token %x".formatted(rank, i, token.get()));
        }
      }
    }
  }

  // ---------------------------------------------------------------- between starts

  /** All processes have ended; the machines went on. */
  void kill() throws IOException {
    for (Host node : nodes) {
      node.killed();
    }
  }

  CrashingStore store(int node, int rank) {
    return nodes.get(node).create(FileNames.directory(rank));
  }

  // ---------------------------------------------------------------- looking

  /**
   * A container on a node.
   *
   * @param ownership whose it is; null if it cannot be read
   */
  record Seen(
      int node,
      String directory,
      String file,
      @Nullable Ownership ownership,
      List<VersionInfo> versions) {
    String place() {
      return node + "/" + directory + "/" + file;
    }

    List<VersionId> ids() {
      return versions.stream().map(VersionInfo::id).toList();
    }
  }

  /** All containers on nodes, finished or not. */
  List<Seen> look(int... places) throws IOException {
    List<Seen> seen = new ArrayList<>();
    for (int node : places) {
      Host host = nodes.get(node);
      for (String directory : host.names()) {
        Store store = host.open(directory);
        for (String file : store.list()) {
          if (FileNames.isContainer(file) && FileNames.meaning(file).isPresent()) {
            seen.add(look(node, directory, store, file));
          }
        }
      }
    }
    return seen;
  }

  private static Seen look(int node, String directory, Store store, String file) {
    try (ContainerReader reader = ContainerReader.open(store, file)) {
      return new Seen(node, directory, file, reader.ownership(), reader.versions());
    } catch (IOException e) {
      return new Seen(node, directory, file, null, List.of());
    }
  }

  /** Checksums of all files that are not locks, logs or names of directories. */
  Map<String, Long> checksums() throws IOException {
    Map<String, Long> sums = new TreeMap<>();
    for (int node = 0; node < nodes.size(); node++) {
      for (String directory : nodes.get(node).names()) {
        CrashingStore store = ((CrashingStore) nodes.get(node).open(directory)).afterKill();
        for (String file : store.list()) {
          if (isState(file)) {
            sums.put(node + "/" + directory + "/" + file, checksum(store, file));
          }
        }
      }
    }
    return sums;
  }

  static boolean isState(String file) {
    return !file.endsWith(".lock")
        && !file.endsWith(".id")
        && FileNames.jobOfEvents(file).isEmpty();
  }

  static long checksum(Store store, String file) throws IOException {
    byte[] bytes = read(store, file);
    CRC32C sum = new CRC32C();
    sum.update(bytes);
    return sum.getValue() << 20 ^ bytes.length;
  }

  static byte[] read(Store store, String file) throws IOException {
    try (StoreFile open = store.open(file, Store.Access.READ)) {
      byte[] bytes = new byte[(int) open.size()];
      open.read(0, MemorySegment.ofArray(bytes));
      return bytes;
    }
  }

  static void write(Store store, String file, byte[] bytes) throws IOException {
    try (StoreFile open = store.open(file, Store.Access.CREATE)) {
      open.truncate(0);
      open.write(0, MemorySegment.ofArray(bytes));
      open.force();
    }
    store.forceDirectory();
  }

  /** Copies the files of a directory over those of another. */
  void copy(int fromNode, String fromDirectory, int toNode, String toDirectory) throws IOException {
    Store from = nodes.get(fromNode).open(fromDirectory);
    Store to = nodes.get(toNode).create(toDirectory);
    for (String file : from.list()) {
      if (!file.endsWith(".lock")) {
        write(to, file, read(from, file));
      }
    }
  }

  static Set<String> lines(String text) {
    Set<String> lines = new TreeSet<>();
    Collections.addAll(lines, text.split("\n"));
    return lines;
  }
}
