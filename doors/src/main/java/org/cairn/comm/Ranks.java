// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.cairn.supply.HostName;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Runs a parallel program in this JVM, each rank in a thread of its own:
 *
 * <pre>{@code
 * Ranks.run(4, ranks -> System.out.println(ranks.allReduce(ranks.rank(), Reduction.SUM)));
 * }</pre>
 */
public final class Ranks {

  /** What every rank does. */
  @FunctionalInterface
  public interface Program {
    /** Runs as the rank that the communicator says. */
    void run(Communicator ranks) throws Exception;
  }

  private static final long PAUSE_NANOS = 1_000_000;

  private final ThreadWorld world;
  private final @Nullable Throwable[] failures;

  private Ranks(List<String> domains) {
    this.world = new ThreadWorld(domains);
    this.failures = new Throwable[domains.size()];
  }

  /** Runs the program on so many ranks of this host, and returns when all are done. */
  public static void run(int ranks, Program program) {
    run(ranks, rank -> HostName.get(), program);
  }

  /**
   * Runs the program on so many ranks, each in the failure domain that it is given, and returns
   * when all are done.
   *
   * @throws RankFailedException if a rank ends with an exception or error; the others then get a
   *     {@link RankLostException} from the call they wait in or the next one
   * @throws CommunicationException if the calling thread is interrupted; it waits for the ranks,
   *     which are interrupted too, and stays interrupted
   */
  public static void run(int ranks, IntFunction<String> domains, Program program) {
    if (ranks < 1) {
      throw new IllegalArgumentException("a program has at least one rank, not " + ranks);
    }
    new Ranks(IntStream.range(0, ranks).mapToObj(domains).toList()).run(program);
  }

  private void run(Program program) {
    List<Thread> threads = new ArrayList<>();
    ThreadTeam all = ThreadTeam.ofAll(world);
    for (int rank = 0; rank < world.size(); rank++) {
      start(rank, all, program, threads);
    }
    joinAll(threads);
    world.loss().ifPresent(this::report);
  }

  private void start(int rank, ThreadTeam all, Program program, List<Thread> threads) {
    try {
      threads.add(
          Supply.started(() -> live(new ThreadCommunicator(all, rank), program), "rank-" + rank));
    } catch (OutOfMemoryError e) {
      fail(rank, e); // no more threads; those that run must not wait for this one
    }
  }

  private void live(Communicator ranks, Program program) {
    try (ranks) {
      program.run(ranks);
      end(ranks.rank());
    } catch (Throwable e) {
      fail(ranks.rank(), e);
    }
  }

  private void fail(int rank, Throwable cause) {
    failures[rank] = cause;
    while (!lost(rank, cause)) {
      Supply.nap(this, PAUSE_NANOS);
    }
  }

  private void end(int rank) {
    while (!ended(rank)) {
      Supply.nap(this, PAUSE_NANOS);
    }
  }

  /** Whether there was memory to tell the others, who may wait for it. */
  private boolean lost(int rank, Throwable cause) {
    try {
      world.lose(rank, cause);
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  private boolean ended(int rank) {
    try {
      world.end(rank);
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  private void joinAll(List<Thread> threads) {
    boolean interrupted = false;
    for (int i = 0; i < threads.size(); ) {
      try {
        threads.get(i).join();
        i++;
      } catch (InterruptedException e) {
        interrupted = true;
        threads.forEach(Thread::interrupt);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
      throw new CommunicationException("interrupted while waiting for ranks");
    }
  }

  private void report(ThreadWorld.Loss first) {
    RankFailedException report = new RankFailedException(first.rank(), world.size(), first.cause());
    for (int rank = 0; rank < failures.length; rank++) {
      Throwable failure = failures[rank];
      if (failure != null && rank != first.rank()) {
        report.addSuppressed(failure);
      }
    }
    throw report;
  }
}
