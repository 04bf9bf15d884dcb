// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import java.util.ServiceConfigurationError;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.testkit.random.Seeds;
import org.jspecify.annotations.Nullable;

/**
 * Ranks that are threads of one heap. It is filled to the last bytes, or nearly, before a
 * checkpoint or at some moment of it, and emptied when all ranks have heard how it ended. They hear
 * the same, and the next checkpoint works; or the job has ended for all of them, and when it is
 * opened again they come back to one state that is right.
 */
final class FullHeapOfRanks {
  private static final int SIZE = 1 << 14;
  private static final long ENDED = -1;
  private static final long BEAT_NANOS = 1_000_000_000;
  private static final int PATIENCE = 240;
  private static final int STUCK = 70;

  private enum Heard {
    WELL,
    FAILED
  }

  private final Path directory;
  private final long seed;
  private final int rounds;
  private final int ranks;
  private final Tiers tiers;
  private final Heard[] heard;
  private final Heard[] arrived;
  private final long[] numbers;
  private final AtomicInteger comers = new AtomicInteger();
  private volatile boolean filled;

  // Changed by rank 0, between two meetings of all.
  private int round;
  private long tried;
  private long safe;
  private int lives;

  private FullHeapOfRanks(Path directory, long seed, int rounds, int ranks, Tiers tiers) {
    this.directory = directory;
    this.seed = seed;
    this.rounds = rounds;
    this.ranks = ranks;
    this.tiers = tiers;
    this.heard = new Heard[ranks];
    this.arrived = new Heard[ranks];
    this.numbers = new long[ranks];
  }

  public static void main(String[] args) {
    int ranks = Integer.parseInt(args[3]);
    Tiers tiers =
        args[4].equals("PARTNER")
            ? Tiers.none().partner(1)
            : Tiers.none().erasure(1).group(ranks, 1);
    FullHeapOfRanks job =
        new FullHeapOfRanks(
            Path.of(args[0]), Long.parseLong(args[1]), Integer.parseInt(args[2]), ranks, tiers);
    Thread.ofPlatform().daemon().start(job::giveUpWhereNobodyMoves);
    while (job.round < job.rounds) {
      job.lives++;
      Ranks.run(ranks, rank -> "node" + rank, job::liveOrSay);
    }
    System.out.println(job.round + " ended alike, in " + job.lives + " lives");
  }

  /** Whoever started this would wait for ever, too. It takes no memory. */
  private void giveUpWhereNobodyMoves() {
    int before = -1;
    int same = 0;
    while (same < PATIENCE) {
      LockSupport.parkNanos(BEAT_NANOS);
      int now = comers.get() + lives;
      same = now == before ? same + 1 : 0;
      before = now;
    }
    Runtime.getRuntime().halt(STUCK);
  }

  /** A rank that fails would be waited for by the others, here and not in Cairn. */
  private void liveOrSay(Communicator comm) {
    try {
      live(comm);
    } catch (Throwable e) {
      FullHeap.empty();
      if (String.valueOf(e.getMessage()).startsWith("closing")) {
        return; // the job has ended, and that is what close() says
      }
      if (isClassLost(e)) {
        System.out.println("lost a class: " + e);
      } else {
        e.printStackTrace(System.out);
      }
      System.exit(1);
    }
  }

  /** A class whose initializer meets a full heap is lost to its JVM for ever, the JDK's too. */
  private static boolean isClassLost(Throwable failure) {
    for (Throwable e = failure; e != null; e = e.getCause()) {
      if (e instanceof LinkageError || e instanceof ServiceConfigurationError) {
        return true;
      }
    }
    return false;
  }

  private void live(Communicator comm) {
    int me = comm.rank();
    double[] u = new double[SIZE];
    try (Checkpointer cairn = Checkpointer.open(directory, comm, options())) {
      LongCell number = cairn.protect("number", 0L);
      cairn.protect("u", u);
      cairn.restart();
      numbers[me] = number.get();
      meet();
      check(numbers[me] == numbers[0], "ranks come back to one version");
      check(numbers[me] >= safe && numbers[me] <= tried, "come back to what was safe");
      check(Arrays.equals(u, state(me, number.get())), "what comes back is right");
      meet();
      become(tried + 1, number, u, me);
      checkpointInPeace(cairn); // what it needs is loaded
      after(me, () -> safe = ++tried);
      while (round < rounds) {
        become(tried + 1, number, u, me);
        suffer(cairn, me);
        numbers[me] = checkpointInPeace(cairn);
        meet();
        boolean ended = numbers[0] == ENDED;
        check((numbers[me] == ENDED) == ended, "the job goes on, or ends for all");
        check(ended || heard[me] == heard[0] && arrived[me] == arrived[0], "all hear the same");
        if (ended) {
          after(me, () -> {});
          return;
        }
        after(me, () -> safe = tried);
      }
    }
  }

  /** One checkpoint without memory. */
  private void suffer(Checkpointer cairn, int me) {
    Random random = new Random(seed * 1000 + round);
    boolean asynchronous = random.nextBoolean();
    int left = random.nextInt(random.nextBoolean() ? 10 : 100);
    int moment = random.nextBoolean() ? 0 : 1 + random.nextInt(random.nextBoolean() ? 20_000 : 400);
    Runnable goingOn = this::goOn; // made while there is memory
    heard[me] = Heard.WELL;
    after(me, () -> fillAt(moment, left));
    Checkpoint taken = attempt(cairn, me, asynchronous);
    after(me, goingOn);
    arrived[me] = taken == null ? Heard.FAILED : arrival(taken);
  }

  private void fillAt(int moment, int left) {
    filled = false;
    Thread filler =
        new Thread(
            () -> {
              LockSupport.parkNanos(1000L * moment);
              FullHeap.fill(left);
              filled = true;
            });
    filler.start();
    while (moment == 0 && !filled) {
      LockSupport.parkNanos(1000);
    }
  }

  private void goOn() {
    while (!filled) {
      LockSupport.parkNanos(1000);
    }
    FullHeap.empty();
    tried++;
    round++;
    if (heard[0] == Heard.WELL) {
      safe = tried;
    }
  }

  /** Also waits for the tiers, as far as there is memory to do so. */
  private @Nullable Checkpoint attempt(Checkpointer cairn, int me, boolean asynchronous) {
    Checkpoint taken;
    try {
      taken = asynchronous ? cairn.checkpointAsync() : cairn.checkpoint();
      taken.await();
    } catch (IllegalStateException e) {
      throw e; // the call before has not ended, or so it is said
    } catch (OutOfMemoryError | RuntimeException e) {
      heard[me] = Heard.FAILED;
      return null;
    }
    try {
      taken.tiers().forEach(taken::await);
    } catch (OutOfMemoryError | RuntimeException e) {
      // Asked again when there is memory.
    }
    return taken;
  }

  private static Heard arrival(Checkpoint taken) {
    try {
      taken.tiers().forEach(taken::await);
      return Heard.WELL;
    } catch (CheckpointFailedException e) {
      return Heard.FAILED;
    }
  }

  /** Which state is safe now. */
  private long checkpointInPeace(Checkpointer cairn) {
    try {
      Checkpoint taken = cairn.checkpoint();
      taken.tiers().forEach(taken::await);
      return tried;
    } catch (StuckException e) {
      return ENDED;
    } catch (CheckpointFailedException e) {
      if (e.getCause() instanceof StuckException) {
        return ENDED;
      }
      throw e;
    }
  }

  // ---------------------------------------------------------------- meeting

  /** Something that one rank does for all. */
  private void after(int me, Runnable deed) {
    meet();
    if (me == 0) {
      deed.run();
    }
    meet();
  }

  /** A barrier that takes no memory. */
  private void meet() {
    int mine = comers.getAndIncrement();
    int all = (mine / ranks + 1) * ranks;
    while (comers.get() < all) {
      LockSupport.parkNanos(200_000);
    }
  }

  private void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(
          "not so: %s; after round %d: %s %s %s, safe is %d of %d"
              .formatted(
                  what,
                  round,
                  Arrays.toString(heard),
                  Arrays.toString(arrived),
                  Arrays.toString(numbers),
                  safe,
                  tried));
    }
  }

  // ---------------------------------------------------------------- state

  private static void become(long n, LongCell number, double[] u, int rank) {
    number.set(n);
    System.arraycopy(state(rank, n), 0, u, 0, SIZE);
  }

  private static double[] state(int rank, long number) {
    double[] u = new double[SIZE];
    for (long n = 1; n <= number; n++) {
      Random random = Seeds.content(rank * 1000L + n);
      for (int i = 0; i < SIZE; i += 1 + random.nextInt(2000)) {
        u[i]++;
      }
    }
    return u;
  }

  private Options options() {
    return Options.defaults()
        .threads(2)
        .buffer(2 << 20)
        .staging(4 << 20)
        .tiers(tiers)
        .waitAtMost(Duration.ofMinutes(20))
        .clock(new Quick());
  }

  /** Twenty seconds in one: who is told by beats is told soon. */
  private static final class Quick implements Clock {
    private static final int TIMES = 20;

    @Override
    public Instant now() {
      return Instant.now();
    }

    @Override
    public long nanos() {
      return TIMES * System.nanoTime();
    }

    @Override
    public void pause(Duration time) throws InterruptedException {
      Thread.sleep(time.dividedBy(TIMES));
    }
  }

  /** What fills the heap, seen by all threads. */
  private static final class FullHeap {
    private static final int LARGEST = 1 << 20;
    private static final int SMALLEST = 16;
    private static volatile @Nullable Link filling;

    private record Link(@Nullable Link next, byte @Nullable [] bytes) {}

    static void fill(int left) {
      for (int size = LARGEST; size >= SMALLEST; ) {
        try {
          filling = new Link(filling, size == SMALLEST ? null : new byte[size]);
        } catch (OutOfMemoryError e) {
          size /= 2;
        }
      }
      for (int i = 0; i < left; i++) {
        Link top = filling;
        filling = top == null ? null : top.next();
      }
    }

    static void empty() {
      filling = null;
    }
  }
}
