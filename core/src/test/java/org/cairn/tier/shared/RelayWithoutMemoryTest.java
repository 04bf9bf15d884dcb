// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.cairn.Checkpointer;
import org.cairn.Compression;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.supply.Supply;
import org.cairn.testkit.random.OnlyThorough;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.random.Thorough;
import org.cairn.testkit.schedule.Simulation;
import org.cairn.testkit.store.MemoryDirectories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;

/**
 * Ranks come back from compressed segments, of which one of them reads frames for all, and one of
 * them has no memory for the n-th piece of it: all are restored, or all are told why not, and
 * nobody waits for ever. Whoever starts then finds everything as it was.
 */
@Timeout(300)
@Thorough
class RelayWithoutMemoryTest {
  private static final String IN_VAIN = "none has moved";
  private static final String TRANSPORT = "org.cairn.comm.Thread";
  private static final StackWalker STACK = StackWalker.getInstance();

  /** Denies the n-th piece of memory that a rank wants to bring its state, or all from it on. */
  private static final class Denial {
    private final Simulation simulation;
    private final Predicate<StackWalker.StackFrame> concerned;
    private final String victim;
    private final long at;
    private final boolean forGood;
    private long count;

    /** Whether a message could not even be sent: then nobody can be told why. */
    private boolean inTransport;

    Denial(
        Simulation simulation,
        Predicate<StackWalker.StackFrame> concerned,
        int victim,
        long at,
        boolean forGood) {
      this.simulation = simulation;
      this.concerned = concerned;
      this.victim = "rank" + victim;
      this.at = at;
      this.forGood = forGood;
    }

    void requested(Supply.Kind kind, long amount) {
      if (kind == Supply.Kind.THREAD || !simulation.group().equals(victim) || !is(concerned)) {
        return;
      }
      count++;
      if (count == at || forGood && count > at) {
        inTransport |= is(one -> one.getClassName().startsWith(TRANSPORT));
        throw new OutOfMemoryError("denied: %s, %d bytes of memory".formatted(kind, amount));
      }
    }

    private static boolean is(Predicate<StackWalker.StackFrame> caller) {
      return STACK.walk(frames -> frames.anyMatch(caller));
    }

    boolean hasDenied() {
      return count >= at;
    }
  }

  /** A job that was flushed once, and lost all but the shared directory. */
  private static final class Job {
    private final int ranks;
    private final int group;
    private final int blockSize;
    private final int frame;
    private final int[] lengths;
    private final long content;

    Job(Random random) {
      ranks = 2 + random.nextInt(3);
      group = Math.max(2, ranks - random.nextInt(2));
      blockSize = 256 << random.nextInt(3);
      frame = 4096 << random.nextInt(2);
      lengths = random.ints(4 + random.nextInt(4), 1, 2000).toArray();
      content = random.nextLong();
    }

    Options options(Simulation simulation, MemoryStore shared) {
      Random bits = Seeds.content(content);
      return Options.defaults()
          .threads(1)
          .blockSize(blockSize)
          .waitAtMost(Duration.ofSeconds(20))
          .flushOnClose(Duration.ZERO)
          .tiers(
              Tiers.none()
                  .shared(shared, 1)
                  .sharedGroup(group)
                  .compression(Compression.fast())
                  .frame(frame)
                  .leaseRest(Duration.ofSeconds(1)))
          .clock(simulation.clock())
          .random(bits::nextLong);
    }

    /** What rank and number of a variable decide; half of it is noise. */
    byte[] variable(int rank, int number) {
      byte[] bytes = new byte[lengths[number]];
      Seeds.content(content + 31L * rank + number).nextBytes(bytes);
      Arrays.fill(bytes, bytes.length / 2, bytes.length, (byte) rank);
      return bytes;
    }

    void flush(Simulation simulation, MemoryStore shared) {
      Ranks.run(
          ranks,
          rank -> "node" + rank,
          comm -> {
            try (Checkpointer cairn =
                Checkpointer.open(new MemoryDirectories(), comm, options(simulation, shared))) {
              cairn.protect("step", 0L).set(7);
              for (int i = 0; i < lengths.length; i++) {
                cairn.protect("u" + i, variable(comm.rank(), i));
              }
              cairn.checkpoint().await(TierKind.SHARED);
            }
          });
    }

    @Override
    public String toString() {
      return "%d ranks in groups of %d, frames of %d".formatted(ranks, group, frame);
    }

    /** Restores on an empty machine, and compares all of it. */
    void restore(Communicator comm, Options options) {
      try (Checkpointer cairn = Checkpointer.open(new MemoryDirectories(), comm, options)) {
        LongCell step = cairn.protect("step", 0L);
        List<byte[]> found = new ArrayList<>();
        for (int i = 0; i < lengths.length; i++) {
          found.add(new byte[lengths[i]]);
          cairn.protect("u" + i, found.get(i));
        }
        assertThat(cairn.restart().isRestored()).isTrue();
        assertThat(step.get()).isEqualTo(7);
        for (int i = 0; i < lengths.length; i++) {
          assertThat(found.get(i)).isEqualTo(variable(comm.rank(), i));
        }
      }
    }
  }

  @SeededTest(seeds = 3)
  void framesThatAreReadForOthers(long seed) throws Exception {
    allAreRestoredOrAllAreTold(
        seed, one -> one.getClassName().equals(FrameRelay.class.getName()), 4);
  }

  @SeededTest(seeds = 3)
  @OnlyThorough
  void allThatBringsAState(long seed) throws Exception {
    allAreRestoredOrAllAreTold(
        seed,
        one ->
            one.getClassName().equals(SharedType.class.getName())
                && one.getMethodName().equals("rebuild"),
        50);
  }

  private static void allAreRestoredOrAllAreTold(
      long seed, Predicate<StackWalker.StackFrame> concerned, int leastPlaces) throws Exception {
    Random random = Seeds.content(seed);
    Job job = new Job(random);
    MemoryStore flushed = new MemoryStore();
    Simulation peace = new Simulation(seed);
    peace.run(() -> job.flush(peace, flushed));
    int restored = 0;
    int failed = 0;
    for (int victim : new int[] {0, 1 + random.nextInt(job.ranks - 1)}) {
      for (boolean forGood : new boolean[] {false, true}) {
        long n = 0;
        boolean denied = true;
        while (denied) {
          Simulation simulation = new Simulation(seed + ++n);
          Denial denial = new Denial(simulation, concerned, victim, n, forGood);
          String what = "rank %d, %d%s".formatted(victim, n, forGood ? " ff." : "");
          try {
            boolean[] all = new boolean[1];
            simulation
                .supplying(denial::requested)
                .run(() -> all[0] = isRestored(job, simulation, denial, flushed.copy()));
            denied = denial.hasDenied();
            restored += denied && all[0] ? 1 : 0;
            failed += all[0] ? 0 : 1;
          } catch (Throwable e) {
            throw new AssertionError(what + ": " + e.getMessage(), e);
          }
        }
        assertThat(n).as("places where memory is wanted").isGreaterThan(leastPlaces);
      }
    }
    System.out.printf("%s: %d restarts without memory, %d refused%n", job, restored, failed);
    assertThat(restored).as("restarts that went without what was denied").isPositive();
    assertThat(failed).as("restarts that could not").isPositive();
  }

  /** Whether all ranks were restored; all of them later, in any case. */
  private static boolean isRestored(
      Job job, Simulation simulation, Denial denial, MemoryStore shared) {
    @Nullable Throwable[] failures = new Throwable[job.ranks];
    Ranks.run(
        job.ranks,
        rank -> "node" + rank,
        comm -> {
          simulation.enter("rank" + comm.rank());
          try {
            job.restore(comm, job.options(simulation, shared));
          } catch (RuntimeException | Error e) {
            failures[comm.rank()] = e;
          }
        });
    Ranks.run(
        job.ranks,
        rank -> "node" + rank,
        comm -> {
          simulation.enter("later" + comm.rank());
          job.restore(comm, job.options(simulation, shared));
        });
    List<Throwable> told = Arrays.stream(failures).filter(one -> one != null).toList();
    for (Throwable one : told) {
      if (one instanceof AssertionError wrong) {
        throw wrong;
      }
      assertThat(one.toString()).doesNotContain(IN_VAIN);
      if (!(denial.inTransport && one instanceof CommunicationException)) {
        assertThat(one.toString()).contains("denied");
      }
    }
    assertThat(told.size()).as("told alike: %s", told).isIn(0, job.ranks);
    return told.isEmpty();
  }
}
